import type { Metadata } from 'next';
import { WorkloadClient } from './workload-client';
import { type ObjectPageProps, readWorkloadRef } from '@/components/queries/workload-ref';

export async function generateMetadata(props: ObjectPageProps): Promise<Metadata> {
  const { namespace, name } = await readWorkloadRef(props);
  return { title: `${namespace}/${name}` };
}

export default async function WorkloadPage(props: ObjectPageProps) {
  const workload = await readWorkloadRef(props);
  return <WorkloadClient key={Object.values(workload).join('/')} workload={workload} />;
}
