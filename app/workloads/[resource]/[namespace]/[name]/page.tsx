import { type Metadata } from 'next';
import { WorkloadClient } from './workload-client';
import { type WorkloadRef } from '@/components/queries/workload-ref';

interface PageProps {
  params: Promise<{ [Part in keyof WorkloadRef]: string }>;
}

export async function generateMetadata({ params }: PageProps): Promise<Metadata> {
  const { namespace, name } = await readRef(params);
  return { title: `${namespace}/${name}` };
}

export default async function WorkloadPage({ params }: PageProps) {
  const workload = await readRef(params);
  return <WorkloadClient key={Object.values(workload).join('/')} workload={workload} />;
}

async function readRef(params: PageProps['params']): Promise<WorkloadRef> {
  const { resource, namespace, name } = await params;
  return {
    resource: decodeURIComponent(resource),
    namespace: decodeURIComponent(namespace),
    name: decodeURIComponent(name),
  };
}
