import { type Metadata } from 'next';
import { RolloutHistories } from '@/components/rollout-histories/rollout-histories';

export const metadata: Metadata = { title: 'RolloutHistory records' };

export default function RolloutHistoriesPage() {
  return <RolloutHistories />;
}
