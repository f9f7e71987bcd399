import { type Metadata } from 'next';
import { Records } from '@/components/records/records';

export const metadata: Metadata = { title: 'Records' };

export default function RecordsPage() {
  return <Records />;
}
