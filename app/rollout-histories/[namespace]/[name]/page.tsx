import { type Metadata } from 'next';
import { RolloutHistory } from '@/components/rollout-histories/rollout-history';
import { readCluster, type WorkloadPageProps } from '@/components/queries/workload-ref';

interface PageProps extends Pick<WorkloadPageProps, 'searchParams'> {
  params: Promise<{ namespace: string; name: string }>;
}

export async function generateMetadata({ params }: PageProps): Promise<Metadata> {
  return { title: `RolloutHistory ${decodeURIComponent((await params).name)}` };
}

export default async function RolloutHistoryPage({ params, searchParams }: PageProps) {
  const { namespace, name } = await params;
  const history = {
    cluster: readCluster(await searchParams),
    namespace: decodeURIComponent(namespace),
    name: decodeURIComponent(name),
  };
  return <RolloutHistory key={Object.values(history).join('/')} {...history} />;
}
