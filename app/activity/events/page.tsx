import type { Metadata } from 'next';
import { ActivityEvents } from '@/components/activity/activity-events';

export const metadata: Metadata = { title: 'Reviews and sign-ins' };

export default function ActivityEventsPage() {
  return <ActivityEvents />;
}
