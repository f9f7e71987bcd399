'use client';

import { Notice } from '@/components/ui/notice';
import { useTimeZone } from '@/components/ui/time';
import type { PartialResult } from '@/lib/api/common';
import { formatClock } from '@/lib/format/time';
import { capitalize } from '@/lib/format/text';

/** Reports that a part of the content below is missing (`missing` names it) or stale, and why. */
export function PartialNotice({
  part: { resource, reason, asOf },
  missing,
  className,
  children,
}: {
  part: PartialResult;
  /** "Without pods." */
  missing: string;
  className?: string;
  /** Added after the reason where the part is missing. */
  children?: React.ReactNode;
}) {
  const timeZone = useTimeZone();
  if (asOf === undefined) {
    return (
      <Notice tone="partial" title={missing} className={className}>
        {reason}
        {children}
      </Notice>
    );
  }
  const title = `${capitalize(resource?.split('.')[0] ?? 'state')} as of ${formatClock(Date.parse(asOf), timeZone)}.`;
  return (
    <Notice tone="stale" title={title} className={className}>
      Later changes are missing: {reason} Shiplog retries automatically.
    </Notice>
  );
}
