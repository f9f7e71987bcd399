'use client';

import { Button } from '@/components/ui/button';
import { useConnection } from '@/components/ui/connection';
import { Notice } from '@/components/ui/notice';
import { useNow, useTimeZone } from '@/components/ui/time';
import { formatAge } from '@/lib/format/duration';
import { formatClock } from '@/lib/format/time';

/**
 * The band over a page whose content can't be trusted to be the present; nothing while it can. Says how old it is, why,
 * and that nothing is written until it is fresh again.
 */
export function StaleNotice({ onRetry, className }: { onRetry: () => void; className?: string }) {
  const { stale, link, linkSinceMs, observedAt, message } = useConnection();
  const nowMs = useNow();
  const timeZone = useTimeZone();
  if (!stale) return null;
  const seenMs = link === 'lost' ? linkSinceMs : observedAt === null ? null : Date.parse(observedAt);
  return (
    <Notice
      tone="stale"
      className={className}
      title={seenMs === null ? 'Nothing has been read yet.' : `This is ${formatAge(nowMs - seenMs)} old.`}
      action={
        <Button size="small" onClick={onRetry}>
          Try now
        </Button>
      }
    >
      {link === 'lost'
        ? 'The connection to Shiplog is lost'
        : withoutStop(message ?? 'The API server does not answer')}
      {seenMs !== null && ` since ${formatClock(seenMs, timeZone)}`}. Reading goes on by itself; nothing can
      be changed until then.
    </Notice>
  );
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, '');
}
