import type { Metadata } from 'next';
import { Clusters } from '@/components/clusters/clusters';

export const metadata: Metadata = { title: 'Clusters' };

export default function ClustersPage() {
  return <Clusters />;
}
