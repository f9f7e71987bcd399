import { type Metadata } from 'next';
import { PeriodPage } from '@/components/review/period-page';

export const metadata: Metadata = { title: 'Report' };

export default function ReportPage() {
  return <PeriodPage />;
}
