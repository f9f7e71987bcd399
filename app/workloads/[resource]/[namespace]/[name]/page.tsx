import { type Metadata } from 'next';
import { WorkloadClient } from './workload-client';
import { placeOf, readWorkloadRef, type WorkloadPageProps } from '@/components/queries/workload-ref';

export async function generateMetadata(props: WorkloadPageProps): Promise<Metadata> {
  return { title: placeOf(await readWorkloadRef(props)) };
}

export default async function WorkloadPage(props: WorkloadPageProps) {
  const workload = await readWorkloadRef(props);
  return <WorkloadClient key={Object.values(workload).join('/')} workload={workload} />;
}
