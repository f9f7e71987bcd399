import type { Metadata } from 'next';
import type { ObjectPageProps } from '@/components/queries/workload-ref';
import { RolloutHistory } from '@/components/rollout-histories/rollout-history';

export async function generateMetadata({ params }: ObjectPageProps<'namespace' | 'name'>): Promise<Metadata> {
  return { title: `RolloutHistory ${decodeURIComponent((await params).name)}` };
}

export default async function RolloutHistoryPage({
  params,
  searchParams,
}: ObjectPageProps<'namespace' | 'name'>) {
  const [{ namespace, name }, { cluster }] = await Promise.all([params, searchParams]);
  const history = {
    cluster: [cluster].flat()[0],
    namespace: decodeURIComponent(namespace),
    name: decodeURIComponent(name),
  };
  return <RolloutHistory key={Object.values(history).join('/')} of={history} />;
}
