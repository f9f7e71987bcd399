'use client';

import { clsx } from 'clsx';
import { useTimeZone } from '@/components/ui/time';

/** Of which zone all times of the page are, once: minutes of an incident are passed on between zones. */
export function ZoneNote({ className }: { className?: string }) {
  return <span className={clsx('flex-none', className)}>Times in {useTimeZone()}</span>;
}
