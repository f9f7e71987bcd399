import { type Metadata } from 'next';
import { RolloutClient } from './rollout-client';
import { placeOf, readWorkloadRef, type WorkloadPageProps } from '@/components/queries/workload-ref';

export async function generateMetadata(props: WorkloadPageProps): Promise<Metadata> {
  return { title: `Rollout ${placeOf(await readWorkloadRef(props))}` };
}

export default async function RolloutPage(props: WorkloadPageProps) {
  const rollout = await readWorkloadRef(props);
  return <RolloutClient key={Object.values(rollout).join('/')} rollout={rollout} />;
}
