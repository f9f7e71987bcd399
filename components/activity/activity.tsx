'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { parseAsString, parseAsStringLiteral } from 'nuqs';
import {
  ActorCell,
  DescriptionCell,
  RecordCell,
  StateCell,
  WhatCell,
} from '@/components/activity/activity-cells';
import { activityLabels } from '@/components/activity/action-text';
import { NotificationLines } from '@/components/activity/notification-lines';
import { type List } from '@/components/list/list';
import { ListPage } from '@/components/list/list-page';
import { periodMenu, SearchBar } from '@/components/list/search-bar';
import { actionPagePath } from '@/components/queries/action';
import { activityQuery } from '@/components/queries/activity';
import { recordPagePath } from '@/components/queries/records';
import { EmptyState } from '@/components/ui/empty-state';
import { AbsoluteTime } from '@/components/ui/time';
import { type Activity as Answer } from '@/lib/api/activity';
import { actionNames } from '@/lib/api/action-values';

/** The state of the page as stored in the address; names as in the API. */
const address = {
  q: parseAsString.withDefault(''),
  state: parseAsStringLiteral(['open', 'accepted', 'following', 'done', 'failed', 'refused']),
  action: parseAsStringLiteral(actionNames),
  actor: parseAsString,
  namespace: parseAsString,
  resource: parseAsString,
  name: parseAsString,
  since: parseAsString,
  until: parseAsString,
};

const activity: List<typeof address, Answer> = {
  title: 'Activity',
  label: 'Activity, newest first',
  noun: 'action',
  address,
  useAnswer: (stated) => useInfiniteQuery(activityQuery(stated)),
  Bar: SearchBar,
  filters: {
    search: { label: 'Search the activity', placeholder: 'Workload, person or reason' },
    chips: [
      { label: 'All', set: { state: null } },
      { label: 'In progress', set: { state: 'open' } },
      { label: 'Done', set: { state: 'done' } },
      { label: 'Failed', set: { state: 'failed' } },
      { label: 'Refused', set: { state: 'refused' } },
    ],
    menus: [
      {
        name: 'action',
        label: 'Action',
        any: 'Any action',
        terse: true,
        options: actionNames.map((value) => ({ value, label: activityLabels[value] })),
      },
      periodMenu,
    ],
    exact: ['actor', 'namespace', 'resource', 'name', 'until'],
  },
  open: {
    label: 'Open the rollout that it began, or its workload',
    href: (action) => (action.recordId === null ? actionPagePath(action) : recordPagePath(action.recordId)),
  },
  loading: { label: 'Reading what was done', rows: 12 },
  missing: 'Older ones are missing.',
  noMatch: 'Words are looked for in the workload, the person, the reason and how it went.',
  empty: ({ partial }) => (
    <EmptyState
      title={partial.length > 0 ? 'Nothing was done lately' : 'Nothing was done through Shiplog yet'}
      glyph="terminal"
      className="mt-3"
    >
      Every rollback, pause, resume and restart is listed here, refused and failed attempts too.
    </EmptyState>
  ),
  bottom: ({ notifications }) => <NotificationLines targets={notifications} />,
  keyOf: ({ id }) => id,
  href: actionPagePath,
  columns: [
    {
      title: 'How it went',
      width: '104px',
      className: 'align-top max-desk:[grid-area:2/2] desk:pt-[6px]',
      cell: (action) => <StateCell action={action} />,
    },
    {
      title: 'What',
      width: '140px',
      className:
        'align-top max-desk:[grid-area:2/1] desk:py-[6px] desk:leading-[19px] desk:whitespace-normal',
      cell: (action) => <WhatCell action={action} />,
    },
    {
      title: 'Workload',
      width: '17%',
      className: 'align-top max-desk:[grid-area:1/1] desk:pt-[6px]',
      link: 'inline-flex max-w-full items-baseline gap-2 hover:underline focus-visible:-outline-offset-2 max-desk:after:absolute max-desk:after:inset-0',
      cell: ({ name, namespace }) => (
        <>
          <b className="truncate">{name}</b>
          <span className="truncate text-small text-ink-3">{namespace}</span>
        </>
      ),
    },
    {
      title: 'Who',
      width: '11%',
      className: 'align-top max-desk:hidden desk:pt-[6px]',
      cell: (action) => <ActorCell action={action} />,
    },
    {
      title: 'In words',
      width: 'auto',
      className:
        'py-[6px] align-top text-ink-2 max-desk:[grid-area:3/1/4/3] max-desk:py-0 max-desk:whitespace-normal desk:leading-[19px] desk:whitespace-normal',
      cell: (action) => <DescriptionCell action={action} />,
    },
    {
      title: 'Rollout',
      width: '64px',
      className: 'align-top max-desk:[grid-area:4/1/5/3] desk:pt-[6px]',
      cell: (action) => <RecordCell action={action} />,
    },
    {
      title: 'When',
      width: '96px',
      numeric: true,
      className: 'align-top text-small text-ink-2 max-desk:[grid-area:1/2] desk:pt-[6px]',
      cell: ({ startedAt }) => <AbsoluteTime iso={startedAt} form="short" />,
    },
  ],
};

/** Who did what through Shiplog, including refused and failed attempts. */
export function Activity() {
  return <ListPage list={activity} />;
}
