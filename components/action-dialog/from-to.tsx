'use client';

import type { ActionView } from '@/components/action-dialog/action-description';
import {
  targetOf,
  versionOf,
  listRollbackTargets,
  revisionTitle,
} from '@/components/action-dialog/rollback-targets';
import { PodTicks } from '@/components/ui/pod-ticks';
import { StateLabel, stateLabel } from '@/components/shared/state-label';
import { Tag } from '@/components/ui/tag';
import { AbsoluteTime, Elapsed } from '@/components/ui/time';
import type { ActionAnswer } from '@/lib/api/actions';
import type { WorkloadDetail } from '@/lib/api/workloads';
import type { Incarnation } from '@/lib/api/earlier-incarnation';
import type { RevisionItem } from '@/lib/api/revisions';
import { formatRev } from '@/lib/history/revision';
import { MenuButton } from '@/components/ui/menu-button';
import type { MenuEntry } from '@/components/ui/menu-entry';

/** The current and the target revision, with the pods of both. */
export function FromTo({
  view: { now, input, onInput, preview },
  revision: to,
  incarnation,
  isNew,
}: {
  view: ActionView<WorkloadDetail>;
  revision?: RevisionItem;
  /** The incarnation of the revision, where that was an earlier workload of the name. */
  incarnation?: Incarnation;
  /** The current revision was created while the dialog was open. */
  isNew: boolean;
}) {
  const source = preview.data?.revision;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_46px_minmax(0,1fr)_auto] items-center gap-x-6 border-y border-hair bg-hover px-6 py-3 max-desk:grid-cols-[minmax(0,1fr)_30px_minmax(0,1.1fr)] max-desk:items-start max-desk:gap-x-2.5 max-desk:px-4">
      <From detail={now} isNew={isNew} />
      <BackArrow />
      {to ? (
        <To detail={now} to={to} incarnation={incarnation} source={source?.id === to.id ? source : null} />
      ) : (
        <p className="text-ink-3">Choose a revision</p>
      )}
      <div className="max-desk:col-span-full max-desk:mt-2.5 max-desk:[&>button]:w-full">
        <RevisionMenu detail={now} chosen={input.to ?? null} onChoose={(id) => onInput({ to: id })} />
      </div>
    </div>
  );
}

function From({ detail, isNew }: { detail: WorkloadDetail; isNew: boolean }) {
  const { workload } = detail;
  const target = targetOf(detail);
  const pods = workload.pods.byRevision.filter((group) => group.target);
  return (
    <div className="min-w-0">
      <span className="sr-only">From </span>
      <p className={headlineClass}>
        <span className={bigClass}>{target ? formatRev(target) : 'now'}</span>
        <span className={versionClass}>{versionOf(workload.images)}</span>
        {isNew && <Tag tone="held">New</Tag>}
        {!target && <Tag>no revision yet</Tag>}
      </p>
      <p className={secondLineClass}>
        <StateLabel state={workload.state} className="gap-[5px]! [&>svg]:size-3">
          {stateLabel(workload)}
        </StateLabel>
        {workload.since && (
          <span className="text-ink-3">
            {' '}
            for <Elapsed from={workload.since} />
          </span>
        )}
      </p>
      <PodLine groups={pods} stuck={workload.state === 'stuck' || workload.state === 'deadlineExceeded'} />
    </div>
  );
}

function To({
  detail,
  to,
  incarnation,
  source,
}: {
  detail: WorkloadDetail;
  to: RevisionItem;
  incarnation: Incarnation | undefined;
  /** The server's answer for it; null until it has answered. */
  source: ActionAnswer['revision'];
}) {
  const { defaultTarget } = detail.workload;
  const pods = [{ revision: to.number, target: to.target, pods: to.pods.total, ready: to.pods.ready }];
  const isServing = to.pods.total > 0 && to.pods.ready === to.pods.total;
  return (
    <div className="min-w-0">
      <span className="sr-only">To </span>
      <p className={headlineClass}>
        <span className={bigClass}>{formatRev(to)}</span>
        <span className={versionClass}>{versionOf(to.images)}</span>
        {isServing && (
          <Tag tone="good" className="max-desk:hidden">
            Still serving
          </Tag>
        )}
        {!to.retained && (
          <Tag
            tone="line"
            glyph="archive"
            title="Pruned from the cluster; Shiplog’s archive has its template"
          >
            {incarnation === undefined ? 'Archived' : 'Earlier object'}
          </Tag>
        )}
      </p>
      <p className={`${secondLineClass} text-ink-3`}>
        <TargetPeriod to={to} why={defaultTarget?.id === to.id ? defaultTarget.why : null} />
      </p>
      {to.retained ? (
        <PodLine groups={pods} stuck={false} />
      ) : (
        <ArchivedSource to={to} incarnation={incarnation} source={source} />
      )}
    </div>
  );
}

/** Why it is offered, and how long it was the target where that is known; else its age. */
function TargetPeriod({ to, why }: { to: RevisionItem; why: string | null }) {
  const last = to.activations.at(-1);
  if (why !== null) {
    return (
      <span className="block first-letter:uppercase">
        {why}
        {last?.to && (
          <>
            , replaced <AbsoluteTime iso={last.to} />
          </>
        )}
      </span>
    );
  }
  if (last?.from && last.to) {
    return (
      <>
        Active for <Elapsed from={last.from} to={last.to} />, until <AbsoluteTime iso={last.to} />
      </>
    );
  }
  return (
    <>
      Created <AbsoluteTime iso={to.createdAt} />
    </>
  );
}

/** The origin of a template that is pruned from the cluster. */
function ArchivedSource({
  to,
  incarnation,
  source,
}: {
  to: RevisionItem;
  incarnation: Incarnation | undefined;
  source: ActionAnswer['revision'];
}) {
  const deletedAt =
    incarnation === undefined ? (source?.prunedAt ?? to.archived?.prunedAt ?? null) : incarnation.to;
  return (
    <p className="mt-[5px] text-small text-ink-2">
      {incarnation === undefined ? 'Pruned from the cluster' : 'Workload deleted'}
      {deletedAt !== null && (
        <>
          {' '}
          <AbsoluteTime iso={deletedAt} />
        </>
      )}
      . Template from the archive
      {source?.recordedAt != null && (
        <>
          , recorded <AbsoluteTime iso={source.recordedAt} />
        </>
      )}
      .
    </p>
  );
}

function PodLine({
  groups,
  stuck,
}: {
  groups: { revision: number | null; target: boolean; pods: number; ready: number }[];
  stuck: boolean;
}) {
  const pods = groups.reduce((sum, group) => sum + group.pods, 0);
  const ready = groups.reduce((sum, group) => sum + group.ready, 0);
  return (
    <p className="mt-[5px] flex flex-wrap items-center gap-x-2 text-small">
      <PodTicks groups={groups} stuck={stuck} />
      <span className="font-mono tracking-[-0.03em] text-ink-3">
        <b className="text-ink">{pods === 0 ? 'No' : pods}</b> {readyText(pods, ready)}
      </span>
    </p>
  );
}

function readyText(pods: number, ready: number): string {
  const noun = pods === 1 ? 'pod' : 'pods';
  if (pods === 0) return noun;
  return ready === pods ? `${noun} ready` : `${noun}, ${ready} ready`;
}

const headlineClass = 'flex min-w-0 flex-wrap items-center gap-x-2 leading-6';
const bigClass = 'font-mono text-[20px]/[24px] font-medium tracking-[-0.04em]';
const versionClass = 'min-w-0 truncate font-mono text-lead text-ink-2';
const secondLineClass = 'text-small leading-[18px] max-desk:min-h-9';

function BackArrow() {
  return (
    <svg
      width="46"
      height="40"
      viewBox="0 0 46 40"
      aria-hidden="true"
      className="max-desk:mt-5 max-desk:w-[30px]"
    >
      <path
        d="M2 9h20c20 0 20 22 2 22H8m5-5.5L7.5 31l5.5 5.5"
        fill="none"
        stroke="var(--back)"
        strokeWidth="1.75"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

/** A history may have hundreds of revisions; the list of the page has them all. */
const ARCHIVED_MAX = 40;

/** The revisions that can be rolled back to; those with pods say so, archived ones are a group of their own. */
function RevisionMenu({
  detail,
  chosen,
  onChoose,
}: {
  detail: WorkloadDetail;
  chosen: string | null;
  onChoose: (revisionId: string) => void;
}) {
  const { retained, archived } = listRollbackTargets(detail);
  const [only, ...more] = [...retained, ...archived];
  if (only === undefined || (more.length === 0 && only.id === chosen)) return null;
  const entryOf = (revision: RevisionItem): MenuEntry => ({
    label: revisionTitle(revision),
    hint: <Hint revision={revision} defaultTarget={detail.workload.defaultTarget} />,
    checked: revision.id === chosen,
    onSelect: () => onChoose(revision.id),
  });
  const items: MenuEntry[] = [
    ...retained.map(entryOf),
    ...(archived.length === 0 ? [] : [{ heading: 'Archived (pruned from the cluster)' }]),
    ...archived.slice(0, ARCHIVED_MAX).map(entryOf),
    ...(archived.length > ARCHIVED_MAX
      ? [{ heading: `${archived.length - ARCHIVED_MAX} older ones on the workload page` }]
      : []),
  ];
  return (
    <MenuButton size="small" align="end" items={items}>
      {chosen === null ? 'Choose a revision' : 'Choose another revision'}
    </MenuButton>
  );
}

function Hint({
  revision,
  defaultTarget,
}: {
  revision: RevisionItem;
  defaultTarget: WorkloadDetail['workload']['defaultTarget'];
}) {
  const { total, ready } = revision.pods;
  const last = revision.activations.at(-1)?.to ?? null;
  return (
    <span className="inline-flex gap-1.5">
      {total > 0 && (
        <Tag tone="live">{ready === total ? `${total} ready` : `${ready} of ${total} ready`}</Tag>
      )}
      {revision.id === defaultTarget?.id &&
        (defaultTarget.unproven === true ? (
          <Tag tone="line" title={defaultTarget.why}>
            Not proven
          </Tag>
        ) : (
          <Tag tone="good">Suggested</Tag>
        ))}
      {!revision.retained && last !== null && (
        <span>
          until <AbsoluteTime iso={last} form="short" />
        </span>
      )}
      {revision.prunedNext && <Tag tone="line">Next to be pruned</Tag>}
    </span>
  );
}
