'use client';

import Link from 'next/link';
import { clsx } from 'clsx';
import { useClusters } from '@/components/queries/cluster';
import { type PageConnection, useConnection } from '@/components/ui/connection';
import { useNow, useTimeZone } from '@/components/ui/time';
import type { ClusterItem } from '@/lib/api/cluster';
import { formatAge } from '@/lib/format/duration';
import { formatClock } from '@/lib/format/time';

/** How stale the page may be: a dot, a label, and the details in the title. With several clusters a link to them. */
export function Freshness() {
  const connection = useConnection();
  const { list, isSeveral } = useClusters();
  const nowMs = useNow();
  const timeZone = useTimeZone();
  const { word, tone } = describeFreshness(connection, nowMs);
  const away = connection.link === 'lost' ? [] : describeAway(list?.items ?? [], timeZone);
  const title = [describeConnection(connection, timeZone), ...(isSeveral ? away : [])].join('\n');
  const count = /^(\d+ of \d+) unreachable$/.exec(word)?.[1];
  const indicator = (
    <span
      title={title}
      data-link={connection.link}
      className={clsx(
        'inline-flex items-center gap-2 text-small whitespace-nowrap',
        tone === 'bad' ? 'text-degraded' : 'text-ink-3',
      )}
    >
      <Dot tone={tone} />
      <span aria-hidden="true">
        {count ?? word}
        {/* A phone has no room for it next to the choice of clusters. */}
        {count !== undefined && <span className="max-desk:hidden"> unreachable</span>}
      </span>
      <span role="status" className="sr-only">
        {tone === 'bad' ? title : 'Live'}
      </span>
    </span>
  );
  if (!isSeveral) return indicator;
  return (
    <Link href="/clusters" prefetch={false} className="rounded-2">
      {indicator}
    </Link>
  );
}

/** A line for each cluster that can't be reached. */
export function describeAway(
  clusters: readonly Pick<ClusterItem, 'name' | 'state' | 'since' | 'message'>[],
  timeZone: string,
): readonly string[] {
  return clusters
    .filter(({ state }) => state === 'unreachable')
    .map(({ name, since, message }) =>
      `${name}: unreachable since ${formatClock(Date.parse(since), timeZone)}. ${message ?? ''}`.trim(),
    );
}

type Tone = 'good' | 'wait' | 'bad';

/** The label next to the dot: "live", "connecting", "4 min old", "disconnected for 12 s". */
export function describeFreshness(connection: PageConnection, nowMs: number): { word: string; tone: Tone } {
  if (connection.link === 'lost') {
    return { word: `disconnected for ${formatAge(nowMs - connection.linkSinceMs)}`, tone: 'bad' };
  }
  if (connection.cluster === 'unreachable') {
    return {
      word: connection.observedAt ? `${ageOf(connection.observedAt, nowMs)} old` : 'cluster unreachable',
      tone: 'bad',
    };
  }
  if (connection.link === 'connecting' || connection.cluster === 'connecting') {
    return { word: 'connecting', tone: 'wait' };
  }
  if (connection.unreachableCount > 0) {
    return { word: `${connection.unreachableCount} of ${connection.count} unreachable`, tone: 'bad' };
  }
  return { word: 'live', tone: 'good' };
}

function describeConnection(
  { link, linkSinceMs, cluster, observedAt, message, count, unreachableCount }: PageConnection,
  timeZone: string,
): string {
  const lastHeard = observedAt ? ` Last update ${formatClock(Date.parse(observedAt), timeZone)}.` : '';
  if (link === 'lost')
    return `Connection to Shiplog lost, reconnecting. Data as of ${formatClock(linkSinceMs, timeZone)}.`;
  if (cluster === 'unreachable') return `${message ?? 'The API server does not respond.'}${lastHeard}`;
  if (link === 'connecting' || cluster === 'connecting') return 'Connecting.';
  if (unreachableCount > 0)
    return `${unreachableCount} of ${count} clusters cannot be reached. What was last read of them is shown; Clusters says why.`;
  return `Cluster changes appear here within a second.${lastHeard}`;
}

function ageOf(iso: string, nowMs: number): string {
  return formatAge(nowMs - Date.parse(iso));
}

function Dot({ tone }: { tone: Tone }) {
  return (
    <i
      data-bar=""
      className={clsx(
        'mx-[3px] size-1.5 rounded-full ring-[3px]',
        tone === 'good' && 'bg-complete ring-complete-soft',
        tone === 'wait' && 'bg-control ring-fill',
        tone === 'bad' && 'bg-degraded ring-degraded-soft',
      )}
    />
  );
}
