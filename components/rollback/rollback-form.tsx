'use client';

import { useId, useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { FormLoading } from '@/components/rollback/form-loading';
import { CanaryOption } from '@/components/rollback/canary-option';
import { ChangeList, countChanges, PartHead } from '@/components/rollback/change-list';
import { ChangedNotice, ListSkeleton, ChangesSinceOpened } from '@/components/rollback/changed-notice';
import { Checks } from '@/components/rollback/checks';
import { RevisionMenu } from '@/components/rollback/revision-menu';
import { ConfirmFooter } from '@/components/rollback/confirm-footer';
import { mergeRefusedFindings } from '@/components/rollback/answer-errors';
import { FromTo } from '@/components/rollback/from-to';
import { PreconditionNote } from '@/components/rollback/precondition-note';
import { KubectlOptions } from '@/components/rollback/kubectl-options';
import { PlanText } from '@/components/rollback/plan-text';
import { useActionForm } from '@/components/rollback/use-action-form';
import { type ViewedWorkload, useViewedWorkload } from '@/components/rollback/use-viewed-workload';
import { useDebounced } from '@/components/rollback/use-debounced';
import {
  listRollbackTargets,
  type IncarnationRevision,
  currentRevisionName,
  revisionTitle,
} from '@/components/rollback/rollback-targets';
import { Dialog, DialogSection } from '@/components/ui/dialog';
import { EmptyState } from '@/components/ui/empty-state';
import { ErrorState, errorText } from '@/components/ui/error-state';
import { TextLink } from '@/components/ui/link';
import { Skeleton } from '@/components/ui/skeleton';
import { type ActionAnswer, type RollbackRequest } from '@/lib/api/actions';
import { type WorkloadDetail } from '@/lib/api/workloads';
import { clusterQuery } from '@/components/queries/cluster';
import { diffQuery } from '@/components/queries/diff';
import { rollbackPreviewQuery, sendRollback } from '@/components/queries/rollback';
import { workloadPagePath, type WorkloadRef } from '@/components/queries/workload-ref';

interface RollbackFormProps {
  workload: WorkloadRef;
  to: string | null;
  foreign?: IncarnationRevision;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onCompare?: (from: string, to: string) => void;
  onAccepted: (actionId: string) => void;
}

/** The form that confirms a rollback, with its changes and checks. Only the viewer changes the chosen revision. */
export function RollbackForm(props: RollbackFormProps) {
  const { workload, open, onOpenChange } = props;
  const view = useViewedWorkload(workload);
  const { viewed, now, first } = view;
  if (viewed && now && first)
    return <LoadedForm {...props} viewed={viewed} now={now} first={first} view={view} />;
  return (
    <FormLoading
      {...{ open, onOpenChange, view }}
      size="large"
      rows={6}
      title={`Roll back ${workload.name}`}
      subtitle={<WorkloadPlace workload={workload} />}
    />
  );
}

interface ViewedProps {
  viewed: ViewedWorkload;
  now: WorkloadDetail;
  first: WorkloadDetail;
  view: ReturnType<typeof useViewedWorkload>;
}

function LoadedForm({
  workload,
  to,
  foreign,
  open,
  onOpenChange,
  onCompare,
  onAccepted,
  viewed,
  now,
  first,
  view,
}: RollbackFormProps & ViewedProps) {
  const id = useId();
  const confirmRef = useRef<HTMLButtonElement>(null);
  const [chosen, setChosen] = useState(() => to ?? viewed.detail.workload.defaultTarget?.id ?? null);
  const [likeKubectl, setLikeKubectl] = useState(false);
  /** Undefined: unchanged; null: the typed text is not a number. */
  const [partition, setPartition] = useState<number | null | undefined>(undefined);
  const isDebounced = useDebounced(partition) === partition;
  const options = { likeKubectl, ...(partition != null && { partition }) };
  const [reason, setReason] = useState('');

  const { seen } = viewed.detail.workload;
  const preview = useQuery({
    ...rollbackPreviewQuery(workload, { to: chosen ?? '', seen, ...options }, viewed.number),
    enabled: open && chosen !== null && partition !== null && isDebounced,
  });
  const form = useActionForm<RollbackRequest>({
    view,
    preview,
    isChosen: chosen !== null && partition !== null,
    needsDiff: true,
    send: (body, idempotencyKey) => sendRollback(workload, body, { idempotencyKey }),
    onAnswer: (answer) => answer.result && onAccepted(answer.result.actionId),
  });
  const { isChanged } = form;

  // The choice survives the removal of its revision from the list: the checks then report it.
  const revision =
    now.revisions.find((one) => one.id === chosen) ??
    viewed.detail.revisions.find((one) => one.id === chosen) ??
    (foreign?.revision.id === chosen ? foreign.revision : undefined);
  const incarnation = revision === foreign?.revision ? foreign?.life : undefined;
  const wasChanged = first.workload.seen !== viewed.detail.workload.seen;

  function confirm() {
    if (chosen === null) return;
    const toSeen = preview.data?.toSeen ?? undefined;
    form.confirm({ to: chosen, toSeen, seen, reason, dryRun: false, ...options });
  }

  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      size="large"
      title={`Roll back ${workload.name}`}
      subtitle={<WorkloadPlace workload={workload} />}
      dismissible={reason === '' && !form.isSending}
      initialFocus={confirmRef}
      footer={
        <ConfirmFooter
          id={id}
          reason={reason}
          onReason={setReason}
          {...form.footer}
          note={
            <PreconditionNote answer={preview.data} isRechecked={viewed.number > 0}>
              Written only if the template is still the one you see
            </PreconditionNote>
          }
          noteGlyph={viewed.number > 0 ? 'check' : 'lock'}
          confirm={{ label: confirmLabel(now, revision, wasChanged), glyph: 'back' }}
          onConfirm={confirm}
          cancel={isChanged || wasChanged ? 'Leave it' : 'Cancel'}
          onCancel={() => onOpenChange(false)}
          confirmRef={confirmRef}
          enabled={open}
        />
      }
    >
      {(isChanged || wasChanged) && <ChangedNotice name={workload.name} before={first} now={now} />}
      <FromTo
        detail={now}
        to={revision}
        incarnation={incarnation}
        source={preview.data?.revision ?? undefined}
        isNew={isChanged || wasChanged}
        choose={<RevisionMenu detail={now} chosen={chosen} onChoose={setChosen} />}
      />
      {chosen === null ? (
        <NoTarget detail={now} />
      ) : isChanged ? (
        <ChangedSinceOpened
          workload={workload}
          before={viewed.detail}
          now={now}
          to={chosen}
          toName={revision ? revisionTitle(revision) : chosen}
        />
      ) : (
        <>
          <div className="grid gap-x-9 gap-y-4 px-6 pt-4 pb-1 max-desk:px-4 desk:grid-cols-[minmax(0,1.22fr)_minmax(0,1fr)]">
            <div>
              {wasChanged && <ChangesSinceOpened workload={workload} before={first} now={now} />}
              <Changes
                title={`What changes in the ${now.workload.components === undefined ? 'pods' : now.workload.kind}`}
                workload={workload}
                answer={preview.data}
                isPending={preview.isFetching}
                error={preview.error}
                onRetry={() => void preview.refetch()}
                to={chosen}
                onCompare={onCompare}
              />
            </div>
            <div>
              {preview.data?.plan ? (
                <PlanText plan={preview.data.plan} />
              ) : (
                preview.isFetching && <PlanSkeleton />
              )}
            </div>
          </div>
          {now.workload.movesPartition && (
            <DialogSection className="pt-1! pb-0!">
              <CanaryOption detail={now} value={partition} onChange={setPartition} />
            </DialogSection>
          )}
          {preview.data && (
            <DialogSection className="pt-3.5!">
              <Checks
                findings={mergeRefusedFindings(preview.data.findings, form.sendError)}
                dryRun={preview.data.dryRun}
              />
              <KubectlOptions
                plan={preview.data.plan}
                likeKubectl={likeKubectl}
                onLikeKubectl={
                  now.workload.kind === 'Deployment' && (likeKubectl || isInCluster(preview.data))
                    ? setLikeKubectl
                    : undefined
                }
              />
            </DialogSection>
          )}
        </>
      )}
    </Dialog>
  );
}

/** What changes in the pods, or in their source, or why that is unknown. */
function Changes({
  title,
  workload,
  answer,
  isPending,
  error,
  onRetry,
  to,
  onCompare,
}: {
  title: string;
  workload: WorkloadRef;
  answer: ActionAnswer | undefined;
  isPending: boolean;
  error: unknown;
  onRetry: () => void;
  to: string;
  onCompare?: (from: string, to: string) => void;
}) {
  const query = new URLSearchParams({ from: 'live', to, yaml: '1' });
  return (
    <section aria-label={title} aria-busy={isPending}>
      <PartHead
        title={title}
        remark={answer?.diff && countChanges(answer.diff)}
        end={
          onCompare ? (
            <button
              type="button"
              className="text-accent hover:underline"
              onClick={() => onCompare('live', to)}
            >
              as YAML
            </button>
          ) : (
            <TextLink href={workloadPagePath(workload, `/compare?${query}`)}>as YAML</TextLink>
          )
        }
      />
      {error && !isPending ? (
        <ErrorState
          error={error}
          title="The preview could not be made"
          onRetry={onRetry}
          boxed={false}
          className="border-t border-line px-0!"
        />
      ) : answer?.diff ? (
        <ChangeList diff={answer.diff} />
      ) : answer ? (
        <p className="border-t border-line pt-2 text-ink-2">What would change could not be worked out.</p>
      ) : (
        <ListSkeleton rows={6} />
      )}
    </section>
  );
}

/** The dialog while the workload differs from the viewed one: what changed, and what a rollback would change now. */
function ChangedSinceOpened({
  workload,
  before,
  now,
  to,
  toName,
}: {
  workload: WorkloadRef;
  before: WorkloadDetail;
  now: WorkloadDetail;
  to: string;
  toName: string;
}) {
  const query = useQuery({ ...diffQuery(workload, { from: 'live', to }), placeholderData: undefined });
  return (
    <div className="grid gap-x-9 gap-y-4 px-6 pt-4 pb-4 max-desk:px-4 desk:grid-cols-[minmax(0,1.22fr)_minmax(0,1fr)]">
      <div>
        <ChangesSinceOpened workload={workload} before={before} now={now} />
        <PartHead
          title="What a rollback would change now"
          remark={query.data && `${currentRevisionName(now)} → ${toName}, ${countChanges(query.data)}`}
        />
        {query.error ? (
          <p className="border-t border-line pt-2 text-ink-2">{errorText(query.error)}</p>
        ) : query.data ? (
          <ChangeList diff={query.data} />
        ) : (
          <ListSkeleton rows={4} />
        )}
      </div>
      <div>
        <h3 className="font-medium">Two ways on</h3>
        <ol className="mt-1.5 grid gap-[7px] leading-[19px] text-ink-2">
          <li>
            <b className="text-ink">Leave it.</b> What was begun goes on. {now.workload.sentence}
          </li>
          <li>
            <b className="text-ink">Look again.</b> Everything is checked anew against the present template,
            then you are asked again. {toName} stays chosen.
          </li>
        </ol>
      </div>
    </div>
  );
}

function NoTarget({ detail }: { detail: WorkloadDetail }) {
  const { retained, archived } = listRollbackTargets(detail);
  const hasOthers = retained.length + archived.length > 0;
  return (
    <EmptyState
      title={hasOthers ? 'No revision offers itself' : 'There is nothing to go back to'}
      glyph="back"
      boxed={false}
      className="px-6!"
    >
      {hasOthers
        ? 'Every other revision means the same as the present one, or is about to go. Choose one to see what it would change.'
        : `${detail.workload.name} has one revision only. Kubernetes keeps older ones as far as revisionHistoryLimit allows.`}
    </EmptyState>
  );
}

function WorkloadPlace({ workload }: { workload: WorkloadRef }) {
  const cluster = useQuery(clusterQuery()).data?.name;
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

/** "Roll back to 42 · 2.18.3", with the source revision where it has changed. */
function confirmLabel(
  now: WorkloadDetail,
  to: Parameters<typeof revisionTitle>[0] | undefined,
  isNews: boolean,
): string {
  if (!to) return 'Roll back';
  return isNews
    ? `Roll back ${currentRevisionName(now)} to ${revisionTitle(to)}`
    : `Roll back to ${revisionTitle(to)}`;
}

/** kubectl finds no other revisions. */
function isInCluster({ revision }: ActionAnswer): boolean {
  return revision?.origin === 'cluster';
}
