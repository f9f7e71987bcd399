import { type Metadata } from 'next';
import { PeriodPage } from '@/components/review/period-page';

export const metadata: Metadata = { title: 'Period' };

export default function ReportPage() {
  return <PeriodPage />;
}
