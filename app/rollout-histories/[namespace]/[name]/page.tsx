import { type Metadata } from 'next';
import { RolloutHistory } from '@/components/rollout-histories/rollout-history';

interface PageProps {
  params: Promise<{ namespace: string; name: string }>;
}

export async function generateMetadata({ params }: PageProps): Promise<Metadata> {
  return { title: `RolloutHistory ${decodeURIComponent((await params).name)}` };
}

export default async function RolloutHistoryPage({ params }: PageProps) {
  const { namespace, name } = await params;
  const ref = { namespace: decodeURIComponent(namespace), name: decodeURIComponent(name) };
  return <RolloutHistory key={Object.values(ref).join('/')} {...ref} />;
}
