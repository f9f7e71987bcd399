'use client';

import { useClusters } from '@/components/queries/cluster';
import { TextLink } from '@/components/ui/link';
import { Notice } from '@/components/ui/notice';
import { useTimeZone } from '@/components/ui/time';
import type { PartialResult } from '@/lib/api/common';
import { formatList } from '@/lib/format/text';
import { formatClock } from '@/lib/format/time';

/** Reports in one line which of several clusters are missing or outdated below; `parts` name their clusters. */
export function ClusterNotice({ parts, className }: { parts: readonly PartialResult[]; className?: string }) {
  const timeZone = useTimeZone();
  const { find } = useClusters();
  const names = [...new Set(parts.flatMap(({ cluster }) => cluster ?? []))];
  const [part] = parts;
  if (part === undefined) return null;
  const link = <TextLink href="/clusters">Clusters</TextLink>;
  if (names.length > 1)
    return (
      <Notice tone="stale" title={`${formatList(names)} are incomplete.`} className={className}>
        Rows of them may be outdated or missing. {link}
      </Notice>
    );
  const item = find(part.cluster);
  const isAway = part.resource === undefined && item?.state === 'unreachable';
  const since = part.since === undefined ? '' : ` since ${formatClock(Date.parse(part.since), timeZone)}`;
  return (
    <Notice
      tone="stale"
      title={`${names[0]} is ${isAway ? 'unreachable' : 'incomplete'}${since}.`}
      className={className}
    >
      {part.reason} {isAway && item.observedAt !== null && 'What it had then is shown. '}
      {parts.length > 1 && `${parts.length - 1} more reasons. `}
      {link}
    </Notice>
  );
}
