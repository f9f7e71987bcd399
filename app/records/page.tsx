import type { Metadata } from 'next';
import { Records } from '@/components/records/records';

export const metadata: Metadata = { title: 'History' };

export default function RecordsPage() {
  return <Records />;
}
