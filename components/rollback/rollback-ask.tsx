'use client';

import { useId, useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { AskLoading } from '@/components/rollback/ask-loading';
import { CanaryOption } from '@/components/rollback/canary-option';
import { ChangeList, countChanges, StretchHead } from '@/components/rollback/change-list';
import { ChangedBand, ListSkeleton, WhatChanged } from '@/components/rollback/changed-band';
import { Checks } from '@/components/rollback/checks';
import { ChooseAnother } from '@/components/rollback/choose-another';
import { ConfirmFooter } from '@/components/rollback/confirm-footer';
import { freshFindings } from '@/components/rollback/answer-errors';
import { FromTo } from '@/components/rollback/from-to';
import { GuardNote } from '@/components/rollback/guard-note';
import { KubectlOptions } from '@/components/rollback/kubectl-options';
import { PlanText } from '@/components/rollback/plan-text';
import { useAsk } from '@/components/rollback/use-ask';
import { type Look, useLook } from '@/components/rollback/use-look';
import { useSettled } from '@/components/rollback/use-settled';
import { choicesOf, type Foreign, presentName, revisionTitle } from '@/components/rollback/workload-view';
import { Dialog, DialogSection } from '@/components/ui/dialog';
import { EmptyState } from '@/components/ui/empty-state';
import { ErrorState, sentenceOf } from '@/components/ui/error-state';
import { TextLink } from '@/components/ui/link';
import { Skeleton } from '@/components/ui/skeleton';
import { type ActionAnswer, type RollbackRequest } from '@/lib/api/actions';
import { type WorkloadDetail } from '@/lib/api/workloads';
import { clusterQuery } from '@/lib/queries/cluster';
import { diffQuery } from '@/lib/queries/diff';
import { rollbackPreviewQuery, sendRollback } from '@/lib/queries/rollback';
import { workloadPagePath, type WorkloadRef } from '@/lib/queries/workload-ref';

interface AskProps {
  workload: WorkloadRef;
  to: string | null;
  foreign?: Foreign;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onCompare?: (from: string, to: string) => void;
  onAccepted: (actionId: string) => void;
}

/** Asks whether to roll back, with all that one should know before. What was chosen moves only by the viewer's hand. */
export function RollbackAsk(props: AskProps) {
  const { workload, open, onOpenChange } = props;
  const looking = useLook(workload);
  const { look, now, first } = looking;
  if (look && now && first) return <Ask {...props} look={look} now={now} first={first} looking={looking} />;
  return (
    <AskLoading
      {...{ open, onOpenChange, looking }}
      size="large"
      rows={6}
      title={`Roll back ${workload.name}`}
      subtitle={<Where workload={workload} />}
    />
  );
}

interface Seen {
  look: Look;
  now: WorkloadDetail;
  first: WorkloadDetail;
  looking: ReturnType<typeof useLook>;
}

function Ask({
  workload,
  to,
  foreign,
  open,
  onOpenChange,
  onCompare,
  onAccepted,
  look,
  now,
  first,
  looking,
}: AskProps & Seen) {
  const id = useId();
  const confirmRef = useRef<HTMLButtonElement>(null);
  const [chosen, setChosen] = useState(() => to ?? look.detail.workload.defaultTarget?.id ?? null);
  const [likeKubectl, setLikeKubectl] = useState(false);
  /** Undefined: it stays; null: what was typed is none. */
  const [partition, setPartition] = useState<number | null | undefined>(undefined);
  const isSettled = useSettled(partition) === partition;
  const beside = { likeKubectl, ...(partition != null && { partition }) };
  const [reason, setReason] = useState('');

  const { seen } = look.detail.workload;
  const preview = useQuery({
    ...rollbackPreviewQuery(workload, { to: chosen ?? '', seen, ...beside }, look.number),
    enabled: open && chosen !== null && partition !== null && isSettled,
  });
  const ask = useAsk<RollbackRequest>({
    looking,
    preview,
    isChosen: chosen !== null && partition !== null,
    needsDiff: true,
    send: (body, idempotencyKey) => sendRollback(workload, body, { idempotencyKey }),
    onAnswer: (answer) => answer.result && onAccepted(answer.result.actionId),
  });
  const { isChanged } = ask;

  // The revision stays the chosen one even when it has left the list: then the checks say so.
  const revision =
    now.revisions.find((one) => one.id === chosen) ??
    look.detail.revisions.find((one) => one.id === chosen) ??
    (foreign?.revision.id === chosen ? foreign.revision : undefined);
  const life = revision === foreign?.revision ? foreign?.life : undefined;
  const wasChanged = first.workload.seen !== look.detail.workload.seen;

  function confirm() {
    if (chosen === null) return;
    const toSeen = preview.data?.toSeen ?? undefined;
    ask.confirm({ to: chosen, toSeen, seen, reason, dryRun: false, ...beside });
  }

  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      size="large"
      title={`Roll back ${workload.name}`}
      subtitle={<Where workload={workload} />}
      dismissible={reason === '' && !ask.isSending}
      initialFocus={confirmRef}
      footer={
        <ConfirmFooter
          id={id}
          reason={reason}
          onReason={setReason}
          {...ask.footer}
          note={
            <GuardNote answer={preview.data} again={look.number > 0}>
              Written only if the template is still the one you see
            </GuardNote>
          }
          noteGlyph={look.number > 0 ? 'check' : 'lock'}
          confirm={{ label: confirmLabel(now, revision, wasChanged), glyph: 'back' }}
          onConfirm={confirm}
          cancel={isChanged || wasChanged ? 'Leave it' : 'Cancel'}
          onCancel={() => onOpenChange(false)}
          confirmRef={confirmRef}
          enabled={open}
        />
      }
    >
      {(isChanged || wasChanged) && <ChangedBand name={workload.name} before={first} now={now} />}
      <FromTo
        detail={now}
        to={revision}
        life={life}
        found={preview.data?.revision ?? undefined}
        isNew={isChanged || wasChanged}
        choose={<ChooseAnother detail={now} chosen={chosen} onChoose={setChosen} />}
      />
      {chosen === null ? (
        <Nowhere detail={now} />
      ) : isChanged ? (
        <Changed
          workload={workload}
          before={look.detail}
          now={now}
          to={chosen}
          toName={revision ? revisionTitle(revision) : chosen}
        />
      ) : (
        <>
          <div className="grid gap-x-9 gap-y-4 px-6 pt-4 pb-1 max-desk:px-4 desk:grid-cols-[minmax(0,1.22fr)_minmax(0,1fr)]">
            <div>
              {wasChanged && <WhatChanged workload={workload} before={first} now={now} />}
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
                findings={freshFindings(preview.data.findings, ask.sendError)}
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

/** What changes in the pods, or in what they are made of, or why that can't be said. */
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
      <StretchHead
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

/** The dialog while what is there is not what was looked at: what changed, and what a rollback would change now. */
function Changed({
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
        <WhatChanged workload={workload} before={before} now={now} />
        <StretchHead
          title="What a rollback would change now"
          remark={query.data && `${presentName(now)} → ${toName}, ${countChanges(query.data)}`}
        />
        {query.error ? (
          <p className="border-t border-line pt-2 text-ink-2">{sentenceOf(query.error)}</p>
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

function Nowhere({ detail }: { detail: WorkloadDetail }) {
  const { retained, archived } = choicesOf(detail);
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

function Where({ workload }: { workload: WorkloadRef }) {
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

/** "Roll back to 42 · 2.18.3", and from where when that is news. */
function confirmLabel(
  now: WorkloadDetail,
  to: Parameters<typeof revisionTitle>[0] | undefined,
  isNews: boolean,
): string {
  if (!to) return 'Roll back';
  return isNews
    ? `Roll back ${presentName(now)} to ${revisionTitle(to)}`
    : `Roll back to ${revisionTitle(to)}`;
}

/** kubectl reaches nothing else. */
function isInCluster({ revision }: ActionAnswer): boolean {
  return revision?.origin === 'cluster';
}
