import type { Metadata } from 'next';
import { Fleet } from '@/components/fleet/fleet';

export const metadata: Metadata = { title: { absolute: 'Workloads · Shiplog' } };

export default function FleetPage() {
  return <Fleet />;
}
