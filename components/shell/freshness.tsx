'use client';

import Link from 'next/link';
import { clsx } from 'clsx';
import { useClusters } from '@/components/queries/clusters';
import { type ShownConnection, useConnection, useConnections } from '@/components/ui/connection';
import { useNow, useTimeZone } from '@/components/ui/time';
import { type ClusterItem } from '@/lib/api/cluster';
import { formatAge } from '@/lib/format/duration';
import { formatClock } from '@/lib/format/time';

/** How stale the page may be: a dot, a label, and the details in the title. Of several clusters also how many. */
export function Freshness() {
  const connection = useConnection();
  const { isSeveral } = useClusters();
  const nowMs = useNow();
  const timeZone = useTimeZone();
  if (isSeveral && connection.link !== 'lost') return <FreshnessOfSeveral />;
  return (
    <Indicator
      link={connection.link}
      freshness={describeFreshness(connection, nowMs)}
      title={describeConnection(connection, timeZone)}
    />
  );
}

function FreshnessOfSeveral() {
  const { link, clusters } = useConnections();
  const { items } = useClusters();
  const timeZone = useTimeZone();
  const current = items.map((item) => ({ ...item, state: clusters[item.id]?.state ?? item.state }));
  return (
    <Link href="/clusters" prefetch={false} className="rounded-2">
      <Indicator
        link={link}
        freshness={describeClusters(link, current)}
        title={describeUnreachable(current, timeZone)}
      />
    </Link>
  );
}

function Indicator({
  link,
  freshness: { word, more = '', tone },
  title,
}: {
  link: ShownConnection['link'];
  freshness: FreshnessLabel;
  title: string;
}) {
  return (
    <span
      title={title}
      data-link={link}
      className={clsx(
        'inline-flex items-center gap-2 text-small whitespace-nowrap',
        tone === 'bad' ? 'text-degraded' : 'text-ink-3',
      )}
    >
      <Dot tone={tone} />
      <span aria-hidden="true">
        {word}
        <span className="max-desk:hidden">{more}</span>
      </span>
      <span role="status" className="sr-only">
        {tone === 'bad' ? title : 'Live'}
      </span>
    </span>
  );
}

type Tone = 'good' | 'wait' | 'bad';

interface FreshnessLabel {
  word: string;
  /** What a phone has no room for. */
  more?: string;
  tone: Tone;
}

/** The label next to the dot: "live", "connecting", "4 min old", "disconnected for 12 s". */
export function describeFreshness(connection: ShownConnection, nowMs: number): FreshnessLabel {
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
  return { word: 'live', tone: 'good' };
}

type Reached = Pick<ClusterItem, 'name' | 'state' | 'since' | 'message'>;

/** The same of several clusters: "live", "1 of 3 unreachable". */
export function describeClusters(
  link: ShownConnection['link'],
  clusters: readonly Pick<Reached, 'state'>[],
): FreshnessLabel {
  const countOf = (state: Reached['state']) => clusters.filter((each) => each.state === state).length;
  const unreachable = countOf('unreachable');
  const of = (count: number) => `${count} of ${clusters.length}`;
  if (unreachable > 0) return { word: of(unreachable), more: ' unreachable', tone: 'bad' };
  if (link === 'connecting') return { word: 'connecting', tone: 'wait' };
  const connecting = countOf('connecting');
  return connecting > 0
    ? { word: of(connecting), more: ' connecting', tone: 'wait' }
    : { word: 'live', tone: 'good' };
}

/** A line for each cluster that is not connected. */
function describeUnreachable(clusters: readonly Reached[], timeZone: string): string {
  const away = clusters.filter(({ state }) => state !== 'connected');
  if (away.length === 0) return `All ${clusters.length} clusters are connected.`;
  return away
    .map(({ name, state, since, message }) =>
      state === 'connecting'
        ? `${name}: connecting`
        : `${name}: unreachable since ${formatClock(Date.parse(since), timeZone)}. ${message ?? ''}`.trim(),
    )
    .join('\n');
}

function describeConnection(
  { link, linkSinceMs, cluster, observedAt, message }: ShownConnection,
  timeZone: string,
): string {
  const lastHeard = observedAt ? ` Last update ${formatClock(Date.parse(observedAt), timeZone)}.` : '';
  if (link === 'lost')
    return `Connection to Shiplog lost, reconnecting. Data as of ${formatClock(linkSinceMs, timeZone)}.`;
  if (cluster === 'unreachable') return `${message ?? 'The API server does not respond.'}${lastHeard}`;
  if (link === 'connecting' || cluster === 'connecting') return 'Connecting.';
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
