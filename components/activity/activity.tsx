'use client';

import { useMemo } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { parseAsString, parseAsStringLiteral, type UseQueryStatesKeysMap } from 'nuqs';
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
import { type GroupedAction, groupAttempts } from '@/components/activity/group-attempts';
import type { List } from '@/components/list/list';
import { ListPage } from '@/components/list/list-page';
import { periodMenu, SearchBar } from '@/components/list/search-bar';
import { actionPagePath } from '@/components/queries/action';
import { type ActivityFilters, activityQuery, activityExportPath } from '@/components/queries/activity';
import { recordPagePath } from '@/components/queries/records';
import { EmptyState } from '@/components/ui/empty-state';
import { TextLink } from '@/components/ui/link';
import { AbsoluteTime } from '@/components/ui/time';
import type { Activity as Answer, NotificationTarget } from '@/lib/api/activity';
import { actionNames } from '@/lib/api/action-values';
import { useClusterFilter } from '@/components/shared/cluster-filter';
import { useListAddress } from '@/components/list/list-address';
import { downloadFile } from '@/components/ui/download-file';
import { MenuButton } from '@/components/ui/menu-button';
import { Glyph } from '@/components/ui/glyph';

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
  about: 'What people did through Shiplog, and how it ended.',
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

/** Downloads what the filters of the address show. */
function ActivityExport({ parsers }: { parsers: UseQueryStatesKeysMap }) {
  const { stated: own } = useListAddress(parsers);
  const place = useClusterFilter();
  const stated = { ...own, ...place };
  return (
    <MenuButton
      size="small"
      align="end"
      items={[
        { heading: 'Up to 10,000 actions' },
        { label: 'CSV', onSelect: () => downloadFile(activityExportPath(stated, 'csv')) },
        {
          label: 'JSON',
          onSelect: () => downloadFile(activityExportPath(stated, 'json'), 'activity.json'),
        },
      ]}
    >
      Export
    </MenuButton>
  );
}

/** Where notifications of rollouts go, and whether sending works. Renders nothing without a target. */
function NotificationLines({ targets }: { targets: readonly NotificationTarget[] }) {
  if (targets.length === 0) return null;
  return (
    <section aria-label="Notifications" className="py-3 text-small text-ink-3">
      {targets.map((target) => (
        <p key={target.target}>
          <NotificationLine {...target} />
        </p>
      ))}
    </section>
  );
}

function NotificationLine(target: NotificationTarget) {
  const { waiting, delivered, givenUp, lastDeliveredAt, failingSince, lastError } = target;
  return (
    <>
      {failingSince !== null && <Glyph name="failed" size={12} className="mr-1.5 inline text-stuck" />}
      Notifications to <span className="text-ink-2">{target.target}</span>:{' '}
      {failingSince === null ? (
        lastDeliveredAt === null ? (
          'nothing sent yet'
        ) : (
          <>
            last delivered <AbsoluteTime iso={lastDeliveredAt} />
          </>
        )
      ) : (
        <span className="text-stuck">
          failing since <AbsoluteTime iso={failingSince} />: {lastError?.replace(/\.$/, '')}
        </span>
      )}
      {waiting > 0 && `, ${waiting.toLocaleString('en')} waiting`}
      {givenUp > 0 && `, ${givenUp.toLocaleString('en')} dropped`}
      {delivered > 0 && `, ${delivered.toLocaleString('en')} delivered in the last 30 days`}.
    </>
  );
}
