'use client';

import { clsx } from 'clsx';
import { useLocalZone, useTimeZone } from '@/components/ui/time';
import { chooseZone } from '@/components/ui/time-zone';

/**
 * The time zone of the page, named once, because people in several zones share the times of an incident. A press
 * switches all times between UTC and the zone of the browser.
 */
export function ZoneNote({ className }: { className?: string }) {
  const zone = useTimeZone();
  const local = useLocalZone();
  if (local === 'UTC') return <span className={clsx('flex-none', className)}>Times in UTC</span>;
  const other = zone === 'UTC' ? local : 'UTC';
  return (
    <span className={clsx('flex-none', className)}>
      <button
        type="button"
        title={`Switch to ${other}`}
        aria-label={`Times in ${zone}, switch to ${other}`}
        onClick={() => chooseZone(other === 'UTC' ? 'utc' : 'local')}
        className="rounded-2 hover:text-ink max-desk:min-h-11"
      >
        Times in <span className="underline decoration-line-2 underline-offset-2">{zone}</span>
      </button>
    </span>
  );
}
