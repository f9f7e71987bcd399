'use client';

import { useMemo } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { parseAsString, parseAsStringLiteral } from 'nuqs';
import {
  ActionCell,
  ActorCell,
  DetailsCell,
  RecordCell,
  StateCell,
  WorkloadCell,
  workloadLink,
} from '@/components/activity/activity-cells';
import { activityLabels } from '@/components/activity/action-text';
import { ActivityExport } from '@/components/activity/activity-export';
import { type GroupedAction, groupAttempts } from '@/components/activity/group-attempts';
import { NotificationLines } from '@/components/activity/notification-lines';
import { type List } from '@/components/list/list';
import { ListPage } from '@/components/list/list-page';
import { periodMenu, SearchBar } from '@/components/list/search-bar';
import { actionPagePath } from '@/components/queries/action';
import { type ActivityFilters, activityQuery } from '@/components/queries/activity';
import { recordPagePath } from '@/components/queries/records';
import { EmptyState } from '@/components/ui/empty-state';
import { TextLink } from '@/components/ui/link';
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

type Page = Omit<Answer, 'items'> & { items: readonly GroupedAction[] };

const activity: List<typeof address, Page> = {
  title: 'Activity',
  label: 'Activity, newest first',
  noun: 'action',
  address,
  useAnswer: useGroupedActivity,
  end: (
    <>
      <TextLink href="/activity/events" className="ml-auto self-center">
        Reviews and sign-ins
      </TextLink>
      <ActivityExport parsers={address} />
    </>
  ),
  Bar: SearchBar,
  filters: {
    search: { label: 'Search activity', placeholder: 'Workload, person or reason' },
    chips: [
      { label: 'All', set: { state: null } },
      { label: 'In progress', set: { state: 'open' } },
      { label: 'Done', set: { state: 'done' } },
      { label: 'Failed', set: { state: 'failed' } },
      { label: 'Rejected', set: { state: 'refused' } },
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
    label: 'Open the record or the workload',
    href: (action) => (action.recordId === null ? actionPagePath(action) : recordPagePath(action.recordId)),
  },
  loading: { label: 'Loading activity', rows: 12 },
  missing: 'Older actions could not be loaded.',
  noMatch: 'The search covers workload, person, reason and details.',
  empty: ({ partial }) => (
    <EmptyState
      title={partial.length > 0 ? 'No recent actions' : 'No actions yet'}
      glyph="terminal"
      className="mt-3"
    >
      Every action through Shiplog is listed here, with rejected and failed attempts.
    </EmptyState>
  ),
  bottom: ({ notifications }) => <NotificationLines targets={notifications} />,
  keyOf: ({ id }) => id,
  href: actionPagePath,
  columns: [
    {
      title: 'Time',
      width: '96px',
      className: 'align-top text-small text-ink-2 max-desk:[grid-area:1/2] desk:pt-[6px]',
      cell: ({ startedAt }) => <AbsoluteTime iso={startedAt} form="short" />,
    },
    {
      title: 'Result',
      width: '104px',
      className: 'align-top max-desk:[grid-area:2/2] desk:pt-[6px]',
      cell: (action) => <StateCell action={action} />,
    },
    {
      title: 'Action',
      width: '140px',
      className:
        'align-top max-desk:[grid-area:2/1] desk:py-[6px] desk:leading-[19px] desk:whitespace-normal',
      cell: (action) => <ActionCell action={action} />,
    },
    {
      title: 'Target',
      width: '17%',
      className: 'align-top max-desk:[grid-area:1/1] desk:pt-[6px]',
      link: workloadLink,
      cell: (action) => <WorkloadCell workload={action} />,
    },
    {
      title: 'By',
      width: '11%',
      className: 'align-top max-desk:hidden desk:pt-[6px]',
      cell: (action) => <ActorCell action={action} />,
    },
    {
      title: 'Details',
      width: 'auto',
      className:
        'py-[6px] align-top text-ink-2 max-desk:[grid-area:3/1/4/3] max-desk:py-0 max-desk:whitespace-normal desk:leading-[19px] desk:whitespace-normal',
      cell: (action) => <DetailsCell action={action} />,
    },
    {
      title: 'Record',
      width: '64px',
      className: 'align-top max-desk:[grid-area:4/1/5/3] desk:pt-[6px]',
      cell: (action) => <RecordCell action={action} />,
    },
  ],
};

/** The attempts that were rejected are told with the action that followed. */
function useGroupedActivity(stated: ActivityFilters) {
  const answer = useInfiniteQuery(activityQuery(stated));
  const { data } = answer;
  const grouped = useMemo(() => data && { ...data, pages: groupAttempts(data.pages) }, [data]);
  return { ...answer, data: grouped };
}

/** Actions through Shiplog and their authors, including rejected and failed attempts. */
export function Activity() {
  return <ListPage list={activity} />;
}
