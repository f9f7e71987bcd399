import type { Metadata } from 'next';
import { CompareView } from './compare-view';
import { type ObjectPageProps, readWorkloadRef } from '@/components/queries/workload-ref';

export async function generateMetadata(props: ObjectPageProps): Promise<Metadata> {
  const { namespace, name } = await readWorkloadRef(props);
  return { title: `Compare ${namespace}/${name}` };
}

export default async function ComparePage(props: ObjectPageProps) {
  const workload = await readWorkloadRef(props);
  return <CompareView key={Object.values(workload).join('/')} workload={workload} />;
}
