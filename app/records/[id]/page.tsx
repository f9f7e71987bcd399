import type { Metadata } from 'next';
import { RecordPageView } from './record-page-view';

export const metadata: Metadata = { title: 'Record' };

export default async function RecordPage({ params }: { params: Promise<{ id: string }> }) {
  const id = decodeURIComponent((await params).id);
  return <RecordPageView key={id} id={id} />;
}
