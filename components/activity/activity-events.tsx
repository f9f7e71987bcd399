'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { parseAsStringLiteral } from 'nuqs';
import { WorkloadCell, workloadLink } from '@/components/activity/activity-cells';
import type { List } from '@/components/list/list';
import { ListPage } from '@/components/list/list-page';
import { FilterBar } from '@/components/list/filter-bar';
import { activityEventsQuery, type ActivityEventFilters } from '@/components/queries/activity';
import { recordPagePath } from '@/components/queries/records';
import { Avatar } from '@/components/ui/avatar';
import { Crumbs } from '@/components/ui/crumbs';
import { EmptyState } from '@/components/ui/empty-state';
import { AbsoluteTime } from '@/components/ui/time';
import { activityEventKinds } from '@/lib/api/action-values';
import type { ActivityEvents as Page, ActivityEvent } from '@/lib/api/activity-event';
import { VerdictTag } from '@/components/shared/verdict-tag';
import { Glyph, type GlyphName } from '@/components/ui/glyph';

const faces: Record<ActivityEvent['event'], { word: string; glyph: GlyphName }> = {
  verdict: { word: 'Verdict', glyph: 'review' },
  comment: { word: 'Comment', glyph: 'note' },
  edit: { word: 'Edited comment', glyph: 'note' },
  pin: { word: 'Pinned', glyph: 'archive' },
  unpin: { word: 'Unpinned', glyph: 'archive' },
  signIn: { word: 'Signed in', glyph: 'lock' },
  signOut: { word: 'Signed out', glyph: 'lock' },
  signInRefused: { word: 'Sign-in refused', glyph: 'failed' },
  clusterAccepted: { word: 'Accepted cluster', glyph: 'check' },
  clusterMoved: { word: 'Cluster moved', glyph: 'note' },
};

function EventCell({ event: { event, verdict, code } }: { event: ActivityEvent }) {
  const { word, glyph } = faces[event];
  const isFailure = code !== null || event === 'signInRefused';
  return (
    <span className={`inline-flex items-center gap-1.5 ${isFailure ? 'text-stuck' : ''}`}>
      <Glyph name={isFailure ? 'failed' : glyph} size={12} />
      {word}
      {verdict !== null && <VerdictTag verdict={verdict} />}
    </span>
  );
}

function EventDetailsCell({ event: { code, reason, address } }: { event: ActivityEvent }) {
  return (
    <>
      {code !== null && <span>Failed: {code}</span>}
      {reason !== null && <span>{reason} </span>}
      {address !== null && <span className="text-ink-3">from {address}</span>}
    </>
  );
}

/** The state of the page as stored in the address; names as in the API. */
const address = { kind: parseAsStringLiteral(activityEventKinds) };

const events: List<typeof address, Page> = {
  title: 'Reviews and sign-ins',
  head: (
    <>
      <Crumbs items={[{ label: 'Activity', href: '/activity' }, { label: 'Reviews and sign-ins' }]} />
      <h1 className="pt-1.5 text-title">Reviews and sign-ins</h1>
    </>
  ),
  label: 'Reviews and sign-ins, newest first',
  noun: 'event',
  address,
  useAnswer: useEvents,
  Bar: FilterBar,
  filters: {
    chips: [
      { label: 'All', set: { kind: null } },
      { label: 'Reviews', set: { kind: 'review' } },
      { label: 'Sign-ins', set: { kind: 'signIn' } },
      { label: 'Clusters', set: { kind: 'cluster' } },
    ],
  },
  loading: { label: 'Loading reviews and sign-ins', rows: 12 },
  noMatch: 'Choose All to see every event.',
  empty: () => (
    <EmptyState title="No events yet" glyph="terminal" className="mt-3">
      Verdicts, comments, and pins of workloads that you can see are listed here, and when you signed in.
    </EmptyState>
  ),
  bottom: ({ ofEveryone }) =>
    ofEveryone ? null : <p className="pt-2 text-small text-ink-3">Of sign-ins, only your own are listed.</p>,
  keyOf: ({ id }) => id,
  href: ({ record }) => (record === null ? null : recordPagePath(record)),
  columns: [
    {
      title: 'Time',
      width: '96px',
      className: 'text-small text-ink-2 max-desk:text-right max-desk:[grid-area:1/2]',
      cell: ({ at }) => <AbsoluteTime iso={at} form="short" />,
    },
    {
      title: 'Person',
      width: '22%',
      className: 'max-desk:[grid-area:1/1]',
      cell: ({ by, event }) =>
        by === null ? (
          <span className="text-ink-3">{event === 'clusterMoved' ? 'Shiplog' : 'Unknown'}</span>
        ) : (
          <span className="flex items-center gap-1.5">
            <Avatar name={by} size="row" />
            <bdi className="min-w-0 truncate">{by}</bdi>
          </span>
        ),
    },
    {
      title: 'Event',
      width: '170px',
      className: 'max-desk:[grid-area:2/1]',
      cell: (event) => <EventCell event={event} />,
    },
    {
      title: 'Workload',
      width: '26%',
      className: 'max-desk:[grid-area:2/2]',
      link: workloadLink,
      cell: ({ workload }) => workload && <WorkloadCell workload={workload} />,
    },
    {
      title: 'Details',
      width: 'auto',
      className: 'text-ink-2 max-desk:[grid-area:3/1/4/3] max-desk:whitespace-normal',
      cell: (event) => <EventDetailsCell event={event} />,
    },
  ],
};

function useEvents(filters: ActivityEventFilters) {
  return useInfiniteQuery(activityEventsQuery(filters));
}

/** What people do besides actions: verdicts, comments, and pins, and when they sign in. */
export function ActivityEvents() {
  return <ListPage list={events} />;
}
