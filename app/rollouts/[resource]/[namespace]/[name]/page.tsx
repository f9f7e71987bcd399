import type { Metadata } from 'next';
import { RolloutClient } from './rollout-client';
import { type ObjectPageProps, readWorkloadRef } from '@/components/queries/workload-ref';

export async function generateMetadata(props: ObjectPageProps): Promise<Metadata> {
  const { namespace, name } = await readWorkloadRef(props);
  return { title: `Rollout ${namespace}/${name}` };
}

export default async function RolloutPage(props: ObjectPageProps) {
  const rollout = await readWorkloadRef(props);
  return <RolloutClient key={Object.values(rollout).join('/')} rollout={rollout} />;
}
