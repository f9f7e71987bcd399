import { type Metadata } from 'next';
import { WorkloadClient } from './workload-client';
import { readWorkloadRef, type WorkloadRef } from '@/components/queries/workload-ref';

interface PageProps {
  params: Promise<{ [Part in keyof WorkloadRef]: string }>;
}

export async function generateMetadata({ params }: PageProps): Promise<Metadata> {
  const { namespace, name } = await readWorkloadRef(params);
  return { title: `${namespace}/${name}` };
}

export default async function WorkloadPage({ params }: PageProps) {
  const workload = await readWorkloadRef(params);
  return <WorkloadClient key={Object.values(workload).join('/')} workload={workload} />;
}
