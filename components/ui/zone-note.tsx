'use client';

import { clsx } from 'clsx';
import { useTimeZone } from '@/components/ui/time';

/** The time zone of the page, stated once, because people in several zones share the times of an incident. */
export function ZoneNote({ className }: { className?: string }) {
  return <span className={clsx('flex-none', className)}>Times in {useTimeZone()}</span>;
}
