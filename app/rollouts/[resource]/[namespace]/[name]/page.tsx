import { type Metadata } from 'next';
import { RolloutClient } from './rollout-client';
import { readWorkloadRef, type WorkloadRef } from '@/components/queries/workload-ref';

interface PageProps {
  params: Promise<{ [Part in keyof WorkloadRef]: string }>;
}

export async function generateMetadata({ params }: PageProps): Promise<Metadata> {
  const { namespace, name } = await readWorkloadRef(params);
  return { title: `Rollout ${namespace}/${name}` };
}

export default async function RolloutPage({ params }: PageProps) {
  const rollout = await readWorkloadRef(params);
  return <RolloutClient key={Object.values(rollout).join('/')} rollout={rollout} />;
}
