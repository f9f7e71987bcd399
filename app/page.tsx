import { type Metadata } from 'next';
import { Fleet } from '@/components/fleet/fleet';

export const metadata: Metadata = { title: 'Fleet' };

export default function FleetPage() {
  return <Fleet />;
}
