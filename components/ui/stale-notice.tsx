'use client';

import { Button } from '@/components/ui/button';
import { useConnection } from '@/components/ui/connection';
import { Notice } from '@/components/ui/notice';
import { useNow, useTimeZone } from '@/components/ui/time';
import { formatAge } from '@/lib/format/duration';
import { formatClock } from '@/lib/format/time';

/**
 * The band above a page whose content may be out of date; nothing otherwise. Shows its age, the reason, and that
 * writes are disabled until it is fresh again.
 */
export function StaleNotice({ onRetry, className }: { onRetry: () => void; className?: string }) {
  const { stale, link, linkSinceMs, observedAt, message } = useConnection();
  const nowMs = useNow();
  const timeZone = useTimeZone();
  if (!stale) return null;
  const observedMs = link === 'lost' ? linkSinceMs : observedAt === null ? null : Date.parse(observedAt);
  return (
    <Notice
      tone="stale"
      className={className}
      title={
        observedMs === null ? 'Nothing could be read yet' : `Data is ${formatAge(nowMs - observedMs)} old`
      }
      action={
        <Button size="small" onClick={onRetry}>
          Try now
        </Button>
      }
    >
      {reasonOf(link === 'lost', message, observedMs === null ? null : formatClock(observedMs, timeZone))}{' '}
      Shiplog reconnects automatically; actions are disabled until then.
    </Notice>
  );
}

function reasonOf(isLost: boolean, message: string | null, since: string | null): string {
  if (isLost) return `Connection to Shiplog lost${since === null ? '' : ` since ${since}`}.`;
  const reason = message ?? 'The API server does not respond.';
  return since === null ? reason : `${reason} Last read at ${since}.`;
}
