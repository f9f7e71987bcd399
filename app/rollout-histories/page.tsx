import type { Metadata } from 'next';
import { RolloutHistories } from '@/components/rollout-histories/rollout-histories';

export const metadata: Metadata = { title: 'OpenKruise RolloutHistory' };

export default function RolloutHistoriesPage() {
  return <RolloutHistories />;
}
