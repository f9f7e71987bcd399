import type { Metadata } from 'next';
import { Identity } from '@/components/identity/identity';

export const metadata: Metadata = { title: 'Your identity' };

export default function IdentityPage() {
  return <Identity />;
}
