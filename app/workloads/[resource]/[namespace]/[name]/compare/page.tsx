import { type Metadata } from 'next';
import { CompareView } from './compare-view';

interface Props {
  params: Promise<{ resource: string; namespace: string; name: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { namespace, name } = await params;
  return { title: `Compare ${decodeURIComponent(namespace)}/${decodeURIComponent(name)}` };
}

export default async function ComparePage({ params }: Props) {
  const { resource, namespace, name } = await params;
  const workload = {
    resource: decodeURIComponent(resource),
    namespace: decodeURIComponent(namespace),
    name: decodeURIComponent(name),
  };
  return <CompareView key={Object.values(workload).join('/')} workload={workload} />;
}
