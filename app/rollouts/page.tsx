import type { Metadata } from 'next';
import { Rollouts } from '@/components/rollouts/rollouts';

export const metadata: Metadata = { title: 'Rollouts' };

export default function RolloutsPage() {
  return <Rollouts />;
}
