'use client';

import { useQuery } from '@tanstack/react-query';
import type {
  ActionDescription,
  ActionInput,
  ActionView,
} from '@/components/action-dialog/action-description';
import { ActionForm, type ActionFormProps } from '@/components/action-dialog/action-form';
import { CanaryOption } from '@/components/action-dialog/partition-field';
import { ChangeList, countChanges, PartHead } from '@/components/action-dialog/change-list';
import { ListSkeleton, LoadedChangeList } from '@/components/action-dialog/loaded-change-list';
import { ChangedNotice, ChangesSinceOpened } from '@/components/action-dialog/changed-notice';
import { Checks } from '@/components/action-dialog/checks';
import { FromTo } from '@/components/action-dialog/from-to';
import { KubectlOptions } from '@/components/action-dialog/kubectl-options';
import { CapacityLine, PlanText, PreviewError } from '@/components/action-dialog/preview';
import {
  currentRevisionName,
  type IncarnationRevision,
  listRollbackTargets,
  revisionTitle,
  suggestedTarget,
} from '@/components/action-dialog/rollback-targets';
import type { ActionRequest } from '@/components/queries/action-request';
import { useClusters } from '@/components/queries/cluster';
import { diffQuery } from '@/components/queries/diff';
import { workloadDetailQuery } from '@/components/queries/workload-detail';
import { workloadPagePath, type WorkloadRef } from '@/components/queries/workload-ref';
import { DialogSection } from '@/components/ui/dialog';
import { EmptyState } from '@/components/ui/empty-state';
import { TextLink } from '@/components/ui/link';
import { Skeleton } from '@/components/ui/skeleton';
import type { RevisionItem } from '@/lib/api/revisions';
import type { WorkloadDetail } from '@/lib/api/workloads';
import { reasonInCause } from '@/lib/history/change-cause';
import { formatRev } from '@/lib/history/revision';
import { findLastRollback, type LastRollback } from '@/lib/history/rolled-back';

/** A rollback of a workload to an earlier revision. */
export interface RollbackAction {
  kind: 'rollback';
  object: WorkloadRef;
  /** Id of the revision to roll back to; null for the default. */
  to: string | null;
  /** The revision of `to` where the workload's own history does not have it. */
  foreign?: IncarnationRevision;
  /** It undoes the rollback that was followed, whether or not the history shows that one as such yet. */
  isUndo?: boolean;
}

/** Shows the comparison instead of a link to it. */
export type OnCompare = (from: string, to: string) => void;

type View = ActionView<WorkloadDetail>;

/** The form that confirms a rollback, with its changes and checks. Only the viewer changes the chosen revision. */
export function RollbackForm({
  action,
  onCompare,
  ...dialog
}: { action: RollbackAction; onCompare?: OnCompare } & Omit<
  ActionFormProps<WorkloadDetail>,
  'description' | 'query'
>) {
  const query = useQuery(workloadDetailQuery(action.object));
  return <ActionForm {...dialog} query={query} description={describeRollback(action, onCompare)} />;
}

function describeRollback(action: RollbackAction, onCompare?: OnCompare): ActionDescription<WorkloadDetail> {
  const { object, foreign } = action;
  return {
    object,
    size: 'large',
    subtitle: <WorkloadPlace workload={object} />,
    title: (detail) => titleOf(action, detail),
    seenOf: ({ workload }) => workload.seen,
    initialInput: ({ workload }) => ({ to: action.to ?? suggestedTarget(workload)?.id, likeKubectl: false }),
    initialReason: (detail) =>
      undoTarget(action, detail) === undefined ? '' : reasonOf(undoneRollback(action, detail)),
    requestOf: (_, input) => requestOf(object, input),
    replacesTemplate: true,
    preconditionNote: () => 'Applied only if the template has not changed since you opened this',
    confirm: (view) => {
      const { revision } = chosenOf(view, foreign);
      const from = isNews(view) ? ` from ${currentRevisionName(view.now)}` : '';
      const isUndo = undoTarget(action, view.viewed) !== undefined && view.input.to === action.to;
      const verb = isUndo ? 'Undo rollback: back to' : `Roll back${from} to`;
      return {
        label: revision ? `${verb} ${revisionTitle(revision)}` : 'Roll back',
        glyph: 'back',
        cancel: isNews(view) ? 'Close' : undefined,
      };
    },
    changedNotice: (view) =>
      isNews(view) && <ChangedNotice name={object.name} before={view.first} now={view.now} />,
    fields: (view) => <FromTo view={view} {...chosenOf(view, foreign)} isNew={isNews(view)} />,
    body: (view) => {
      const { to } = view.input;
      if (to == null) return <NoTarget detail={view.now} />;
      if (!view.isChanged)
        return <RollbackPreview object={object} to={to} view={view} onCompare={onCompare} />;
      const { revision } = chosenOf(view, foreign);
      const toName = revision ? revisionTitle(revision) : to;
      return <ChangedSinceOpened workload={object} view={view} to={to} toName={toName} />;
    },
  };
}

/** "Undo rollback of checkout (rev 8 → rev 7)". */
function titleOf(action: RollbackAction, detail: WorkloadDetail | undefined): string {
  const undo = detail && undoTarget(action, detail);
  const { name } = action.object;
  return detail && undo
    ? `Undo rollback of ${name} (${currentRevisionName(detail)} → ${formatRev(undo)})`
    : `Roll back ${name}`;
}

/** The rollback that this one undoes; null where it undoes none. */
function undoneRollback({ to }: RollbackAction, detail: WorkloadDetail): LastRollback | null {
  const rollback = findLastRollback(detail);
  return to !== null && rollback?.undo?.id === to ? rollback : null;
}

/** The revision to which an undo rolls back; undefined for any other rollback. */
function undoTarget(action: RollbackAction, detail: WorkloadDetail): RevisionItem | undefined {
  const isUndo = action.isUndo === true || undoneRollback(action, detail) !== null;
  return isUndo ? detail.revisions.find(({ id }) => id === action.to) : undefined;
}

/** The API takes no longer one. */
const REASON_LENGTH_MAX = 1_000;

function reasonOf(undone: LastRollback | null): string {
  const reason = reasonInCause(undone?.record?.cause ?? '');
  return (reason === '' ? 'Undo rollback' : `Undo: ${reason}`).slice(0, REASON_LENGTH_MAX);
}

function requestOf(params: WorkloadRef, { to, likeKubectl, partition }: ActionInput): ActionRequest | null {
  if (to == null || partition === null) return null;
  const route = 'POST /api/workloads/{resource}/{namespace}/{name}/rollback';
  return { route, params, body: { to, likeKubectl, partition } };
}

/** The workload is another one than when the dialog was opened. */
function isNews({ isChanged, first, viewed }: View): boolean {
  return isChanged || first.workload.seen !== viewed.workload.seen;
}

/** The chosen revision. It survives its removal from the list: the checks then report it. */
function chosenOf(
  { now, viewed, input }: View,
  foreign: IncarnationRevision | undefined,
): Partial<IncarnationRevision> {
  const isChosen = ({ id }: { id: string }) => id === input.to;
  const revision = now.revisions.find(isChosen) ?? viewed.revisions.find(isChosen);
  return revision === undefined && foreign && isChosen(foreign.revision) ? foreign : { revision };
}

const columnsClass =
  'grid gap-x-9 gap-y-4 px-6 pt-4 max-desk:px-4 desk:grid-cols-[minmax(0,1.22fr)_minmax(0,1fr)]';

interface PreviewProps {
  object: WorkloadRef;
  to: string;
  view: View;
  onCompare: OnCompare | undefined;
}

function RollbackPreview(props: PreviewProps) {
  const { object, view } = props;
  const { first, viewed, now, input, onInput, preview } = view;
  const { data } = preview;
  const likeKubectl = input.likeKubectl === true;
  // kubectl finds no revisions but those of the cluster.
  const hasKubectlWay =
    now.workload.kind === 'Deployment' && (likeKubectl || data?.revision?.origin === 'cluster');
  return (
    <>
      {data && data.plan?.capacity && (
        <div className="px-6 pt-4 max-desk:px-4 max-desk:pt-3">
          <CapacityLine answer={data} />
        </div>
      )}
      <div className={`${columnsClass} pb-1`}>
        <div>
          {first.workload.seen !== viewed.workload.seen && (
            <ChangesSinceOpened workload={object} before={first} now={now} />
          )}
          <Changes {...props} />
        </div>
        <div className="max-desk:order-last">
          {data?.plan ? <PlanText plan={data.plan} /> : preview.isFetching && <PlanSkeleton />}
        </div>
        {data && (
          <div className="desk:col-span-2">
            <Checks answer={data} sendError={view.sendError} links={now.workload.links} />
          </div>
        )}
      </div>
      {now.workload.movesPartition && (
        <DialogSection className="pt-1! pb-0!">
          <CanaryOption
            detail={now}
            value={input.partition}
            onChange={(partition) => onInput({ partition })}
          />
        </DialogSection>
      )}
      {data && (
        <DialogSection className="pt-0!">
          <KubectlOptions
            plan={data.plan}
            likeKubectl={likeKubectl}
            onLikeKubectl={hasKubectlWay ? (like) => onInput({ likeKubectl: like }) : undefined}
          />
        </DialogSection>
      )}
    </>
  );
}

/** What changes in the pods, or in their source, or why that is unknown. */
function Changes({ object, to, view, onCompare }: PreviewProps) {
  const { now, preview } = view;
  const { data, error, isFetching } = preview;
  const title = `Changes to the ${now.workload.components === undefined ? 'pod template' : now.workload.kind}`;
  const query = new URLSearchParams({ from: 'live', to, yaml: '1' });
  return (
    <section aria-label={title} aria-busy={isFetching}>
      <PartHead
        title={title}
        remark={data?.diff && countChanges(data.diff)}
        end={
          onCompare ? (
            <button
              type="button"
              className="text-accent hover:underline"
              onClick={() => onCompare('live', to)}
            >
              View YAML
            </button>
          ) : (
            <TextLink href={workloadPagePath(object, `/compare?${query}`)}>View YAML</TextLink>
          )
        }
      />
      {error && !isFetching ? (
        <PreviewError view={view} className="border-t border-line px-0!" />
      ) : data?.diff ? (
        <ChangeList diff={data.diff} />
      ) : data ? (
        <p className="border-t border-line pt-2 text-ink-2">The changes could not be determined.</p>
      ) : (
        <ListSkeleton rows={6} />
      )}
    </section>
  );
}

/** The dialog while the workload differs from the viewed one: what changed, and what a rollback would change now. */
function ChangedSinceOpened({
  workload,
  view: { viewed, now },
  to,
  toName,
}: {
  workload: WorkloadRef;
  view: View;
  to: string;
  toName: string;
}) {
  const query = useQuery({
    ...diffQuery(workload, { from: 'live', to }),
    placeholderData: undefined,
  });
  return (
    <div className={`${columnsClass} pb-4`}>
      <div>
        <ChangesSinceOpened workload={workload} before={viewed} now={now} />
        <PartHead
          title="Changes of the rollback now"
          remark={query.data && `${currentRevisionName(now)} → ${toName}, ${countChanges(query.data)}`}
        />
        <LoadedChangeList query={query} rows={4} />
      </div>
      <div>
        <ul className="grid gap-[7px] leading-[19px] text-ink-2">
          <li>
            <b className="text-ink">Close</b> to keep the current rollout. {now.workload.sentence}
          </li>
          <li>
            <b className="text-ink">Review again</b> to run all checks against the current template. {toName}{' '}
            stays selected.
          </li>
        </ul>
      </div>
    </div>
  );
}

function NoTarget({ detail }: { detail: WorkloadDetail }) {
  const { retained, archived } = listRollbackTargets(detail);
  const hasOthers = retained.length + archived.length > 0;
  const isUnproven = detail.workload.defaultTarget?.unproven === true;
  return (
    <EmptyState
      title={isUnproven ? 'No proven revision' : hasOthers ? 'No suggested revision' : 'No earlier revision'}
      glyph="back"
      boxed={false}
      className="px-6!"
    >
      {isUnproven
        ? 'The archive is not reachable, so no record proves which revision ran well. Choose one to see its changes.'
        : hasOthers
          ? 'All other revisions equal the current template, differ by a restart alone, or are about to be pruned. Choose one to see its changes.'
          : `${detail.workload.name} has only one revision. Kubernetes keeps older ones up to revisionHistoryLimit.`}
    </EmptyState>
  );
}

function WorkloadPlace({ workload }: { workload: WorkloadRef }) {
  const cluster = useClusters().find(workload.cluster)?.name;
  return (
    <span className="[overflow-wrap:anywhere]">
      {workload.namespace} / {workload.name}
      {cluster && `, ${cluster}`}
    </span>
  );
}

function PlanSkeleton() {
  return (
    <div aria-hidden="true" className="grid gap-3">
      {[96, 240, 210, 180].map((width) => (
        <Skeleton key={width} width={width} />
      ))}
    </div>
  );
}
