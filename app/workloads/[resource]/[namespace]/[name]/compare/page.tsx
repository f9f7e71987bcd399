import { type Metadata } from 'next';
import { CompareView } from './compare-view';
import { placeOf, readWorkloadRef, type WorkloadPageProps } from '@/components/queries/workload-ref';

export async function generateMetadata(props: WorkloadPageProps): Promise<Metadata> {
  return { title: `Compare ${placeOf(await readWorkloadRef(props))}` };
}

export default async function ComparePage(props: WorkloadPageProps) {
  const workload = await readWorkloadRef(props);
  return <CompareView key={Object.values(workload).join('/')} workload={workload} />;
}
