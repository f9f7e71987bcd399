'use client';

import { useId, useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { freshFindings } from '@/components/rollback/answer-errors';
import { AskLoading } from '@/components/rollback/ask-loading';
import { ChangeList, StretchHead } from '@/components/rollback/change-list';
import { ChangedBand, ListSkeleton, WhatChanged } from '@/components/rollback/changed-band';
import { Checks } from '@/components/rollback/checks';
import { ConfirmFooter } from '@/components/rollback/confirm-footer';
import { type ControlDialogProps } from '@/components/rollback/control-dialog';
import { GuardNote } from '@/components/rollback/guard-note';
import { KubectlOptions } from '@/components/rollback/kubectl-options';
import { PartitionField } from '@/components/rollback/partition-field';
import { PlanText } from '@/components/rollback/plan-text';
import { useAsk } from '@/components/rollback/use-ask';
import { type Look, useLook } from '@/components/rollback/use-look';
import { useSettled } from '@/components/rollback/use-settled';
import { Dialog, DialogSection } from '@/components/ui/dialog';
import { ErrorState } from '@/components/ui/error-state';
import { type GlyphName } from '@/components/ui/glyph';
import { type ActionAnswer } from '@/lib/api/actions';
import { type WorkloadDetail } from '@/lib/api/workloads';
import {
  type ControlChoice,
  controlPreviewQuery,
  type ControlRequestBody,
  sendControl,
} from '@/lib/queries/control';

type AskProps = ControlDialogProps & { onAnswer: (answer: ActionAnswer) => void };

/** Asks whether to carry out a small action, with what it will do. */
export function ControlAsk(props: AskProps) {
  const { workloadRef, open, onOpenChange } = props;
  const looking = useLook(workloadRef);
  const { look, now, first } = looking;
  if (look && now && first) return <Ask {...props} look={look} now={now} first={first} looking={looking} />;
  return <AskLoading {...{ open, onOpenChange, looking }} title={titleOf(props)} subtitle={whereOf(props)} />;
}

interface Seen {
  look: Look;
  now: WorkloadDetail;
  first: WorkloadDetail;
  looking: ReturnType<typeof useLook>;
}

function Ask(props: AskProps & Seen) {
  const { workloadRef, open, onOpenChange, onAnswer, look, now, first, looking } = props;
  const id = useId();
  const confirmRef = useRef<HTMLButtonElement>(null);
  const fieldRef = useRef<HTMLInputElement>(null);
  const [partition, setPartition] = useState<number | null>(
    () => props.partition ?? look.detail.workload.partition,
  );
  const [reason, setReason] = useState('');

  const isPartition = props.action === 'partition';
  const choice = choiceOf(props, partition, look.detail.workload.partition ?? 0);
  const isSettled = useSettled(partition) === partition;
  const { seen } = look.detail.workload;
  const preview = useQuery({
    ...controlPreviewQuery(workloadRef, choice ?? { action: 'pause' }, seen, look.number),
    enabled: open && choice !== null && isSettled,
  });
  const ask = useAsk<{ choice: ControlChoice; body: ControlRequestBody }>({
    looking,
    preview,
    isChosen: choice !== null,
    needsDiff: false,
    send: ({ choice, body }, idempotencyKey) => sendControl(workloadRef, choice, body, { idempotencyKey }),
    onAnswer,
  });

  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={titleOf(props)}
      subtitle={whereOf(props)}
      dismissible={reason === '' && !ask.isSending}
      initialFocus={isPartition ? fieldRef : confirmRef}
      footer={
        <ConfirmFooter
          id={id}
          reason={reason}
          onReason={setReason}
          {...ask.footer}
          note={
            <GuardNote answer={preview.data} again={look.number > 0}>
              {guards[targetOf(props)]}
            </GuardNote>
          }
          noteGlyph={look.number > 0 ? 'check' : 'lock'}
          confirm={{
            label: confirmLabel(props, partition),
            glyph: targetOf(props) === 'group' ? 'restart' : glyphs[props.action],
          }}
          onConfirm={() => choice && ask.confirm({ choice, body: { seen, reason, dryRun: false } })}
          onCancel={() => onOpenChange(false)}
          confirmRef={confirmRef}
          enabled={open}
        />
      }
    >
      {(ask.isChanged || look.number > 0) && <ChangedBand name={workloadRef.name} before={first} now={now} />}
      {isPartition && (
        <PartitionField
          workload={workloadRef}
          detail={now}
          value={partition}
          onChange={setPartition}
          fieldRef={fieldRef}
        />
      )}
      <DialogSection className="grid gap-4 border-t border-hair empty:hidden">
        {ask.isChanged ? (
          <WhatChanged workload={workloadRef} before={look.detail} now={now} />
        ) : preview.error ? (
          <ErrorState
            error={preview.error}
            title="The preview could not be made"
            onRetry={() => void preview.refetch()}
            boxed={false}
            className="px-0!"
          />
        ) : preview.data ? (
          <Previewed answer={preview.data} refusedBy={ask.sendError} />
        ) : (
          choice !== null && <ListSkeleton rows={3} />
        )}
      </DialogSection>
    </Dialog>
  );
}

function Previewed({ answer, refusedBy }: { answer: ActionAnswer; refusedBy: unknown }) {
  return (
    <>
      {answer.plan && (
        <div>
          <PlanText plan={answer.plan} />
        </div>
      )}
      {answer.diff && answer.diff.changes.length > 0 && (
        <section aria-label="What changes in the pods">
          <StretchHead title="What changes in the pods" />
          <ChangeList diff={answer.diff} />
        </section>
      )}
      <div>
        <Checks findings={freshFindings(answer.findings, refusedBy)} dryRun={answer.dryRun} />
        <KubectlOptions plan={answer.plan} />
      </div>
    </>
  );
}

function targetOf({ action, pod }: ControlDialogProps): keyof typeof guards {
  if (action !== 'deletePod') return 'workload';
  return pod?.group === undefined ? 'pod' : 'group';
}

const guards = {
  workload: 'Written only if the workload is still the one you see',
  pod: 'Deleted only if it is still the pod you see',
  group: 'Restarted only if its leader is still the pod you see',
};

function choiceOf(
  { action, pod }: ControlDialogProps,
  partition: number | null,
  present: number,
): ControlChoice | null {
  switch (action) {
    case 'pause':
    case 'resume':
    case 'restart':
      return { action };
    case 'partition':
      return partition === null || partition === present ? null : { action, to: partition };
    case 'deletePod':
      return pod ? { action, pod: pod.name, uid: pod.uid } : null;
    default:
      return action satisfies never;
  }
}

const glyphs: Record<ControlDialogProps['action'], GlyphName> = {
  pause: 'pause',
  resume: 'play',
  restart: 'restart',
  partition: 'swap',
  deletePod: 'trash',
};

function titleOf({ action, workloadRef, pod }: ControlDialogProps): string {
  switch (action) {
    case 'pause':
      return `Pause ${workloadRef.name}`;
    case 'resume':
      return `Resume ${workloadRef.name}`;
    case 'restart':
      return `Restart ${workloadRef.name}`;
    case 'partition':
      return `Move the partition of ${workloadRef.name}`;
    case 'deletePod':
      return pod?.group === undefined
        ? `Delete ${pod?.name ?? 'a pod'}`
        : `Restart group ${pod.group} of ${workloadRef.name}`;
    default:
      return action satisfies never;
  }
}

function confirmLabel(props: ControlDialogProps, partition: number | null): string {
  if (props.action !== 'partition') return titleOf(props);
  return partition === null ? 'Move the partition' : `Move the partition to ${partition}`;
}

function whereOf({ workloadRef }: ControlDialogProps): string {
  return `${workloadRef.namespace} / ${workloadRef.name}`;
}
