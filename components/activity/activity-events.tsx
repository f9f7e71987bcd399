'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { parseAsString, parseAsStringLiteral } from 'nuqs';
import { EventCell, EventDetailsCell, EventTargetCell } from '@/components/activity/event-cells';
import { type List } from '@/components/list/list';
import { ListPage } from '@/components/list/list-page';
import { FilterBar } from '@/components/list/filter-bar';
import { activityEventsQuery, type ActivityEventFilters } from '@/components/queries/activity';
import { recordPagePath } from '@/components/queries/records';
import { Avatar } from '@/components/ui/avatar';
import { EmptyState } from '@/components/ui/empty-state';
import { TextLink } from '@/components/ui/link';
import { AbsoluteTime } from '@/components/ui/time';
import { type ActivityEvents as Page } from '@/lib/api/activity-event';
import { eventKinds } from '@/lib/api/activity-event-values';

/** The state of the page as stored in the address; names as in the API. */
const address = { q: parseAsString.withDefault(''), kind: parseAsStringLiteral(eventKinds) };

const events: List<typeof address, Page> = {
  title: 'Reviews and sign-ins',
  head: (
    <h1 className="flex flex-wrap items-baseline gap-x-3 pt-4 text-lead font-semibold tracking-[-0.011em]">
      Reviews and sign-ins
      <TextLink href="/activity" className="text-small font-normal">
        Actions
      </TextLink>
    </h1>
  ),
  label: 'Reviews and sign-ins, newest first',
  noun: 'entry',
  address,
  useAnswer: useEvents,
  Bar: FilterBar,
  filters: {
    chips: [
      { label: 'All', set: { kind: null } },
      { label: 'Reviews', set: { kind: 'review' } },
      { label: 'Sign-ins', set: { kind: 'signIn' } },
    ],
  },
  loading: { label: 'Loading reviews and sign-ins', rows: 12 },
  noMatch: 'Choose All to see every entry.',
  empty: () => (
    <EmptyState title="No entries yet" glyph="terminal" className="mt-3">
      Verdicts, comments, and pins of workloads that you can see are listed here, and when you signed in.
    </EmptyState>
  ),
  bottom: ({ ofEveryone }) =>
    ofEveryone ? null : <p className="pt-2 text-small text-ink-3">Of sign-ins, only your own are listed.</p>,
  keyOf: ({ id }) => id,
  href: ({ record }) => (record === null ? '/settings/identity' : recordPagePath(record)),
  columns: [
    {
      title: 'Time',
      width: '96px',
      className: 'text-small text-ink-2',
      cell: ({ at }) => <AbsoluteTime iso={at} form="short" />,
    },
    {
      title: 'Person',
      width: '22%',
      className: '',
      cell: ({ by }) =>
        by === null ? (
          <span className="text-ink-3">Unknown</span>
        ) : (
          <span className="inline-flex max-w-full items-center gap-1.5">
            <Avatar name={by} size="row" />
            <bdi className="truncate">{by}</bdi>
          </span>
        ),
    },
    { title: 'What', width: '150px', className: '', cell: (event) => <EventCell event={event} /> },
    { title: 'Workload', width: '24%', className: '', cell: (event) => <EventTargetCell event={event} /> },
    {
      title: 'Details',
      width: 'auto',
      className: 'text-ink-2',
      cell: (event) => <EventDetailsCell event={event} />,
    },
  ],
};

function useEvents({ kind }: ActivityEventFilters) {
  return useInfiniteQuery(activityEventsQuery({ kind }));
}

/** What people do besides actions: verdicts, comments, and pins, and when they sign in. */
export function ActivityEvents() {
  return <ListPage list={events} />;
}
