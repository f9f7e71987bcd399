import type { Metadata } from 'next';
import { FleetTimeline } from '@/components/fleet-timeline/fleet-timeline';

export const metadata: Metadata = { title: 'Timeline' };

export default function TimelinePage() {
  return <FleetTimeline />;
}
