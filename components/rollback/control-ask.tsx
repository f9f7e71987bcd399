'use client';

import { useId, useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { freshFindings, isChangedError } from '@/components/rollback/answer-errors';
import { ChangeList, StretchHead } from '@/components/rollback/change-list';
import { ChangedBand, ListSkeleton, WhatChanged } from '@/components/rollback/changed-band';
import { Checks } from '@/components/rollback/checks';
import { confirmBlock } from '@/components/rollback/confirm-block';
import { ConfirmFooter } from '@/components/rollback/confirm-footer';
import { type ControlDialogProps } from '@/components/rollback/control-dialog';
import { KubectlOptions } from '@/components/rollback/kubectl-options';
import { PartitionField } from '@/components/rollback/partition-field';
import { PlanText } from '@/components/rollback/plan-text';
import { type Look, useLook, useRefreshOn } from '@/components/rollback/use-look';
import { useSettled } from '@/components/rollback/use-settled';
import { isUnsettled, useSend } from '@/components/rollback/use-send';
import { useConnection } from '@/components/ui/connection';
import { Dialog, DialogSection } from '@/components/ui/dialog';
import { ErrorState, sentenceOf } from '@/components/ui/error-state';
import { type GlyphName } from '@/components/ui/glyph';
import { AbsoluteTime } from '@/components/ui/time';
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
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={titleOf(props)} subtitle={whereOf(props)}>
      <DialogSection>
        {looking.error ? (
          <ErrorState error={looking.error} onRetry={looking.refresh} boxed={false} />
        ) : (
          <ListSkeleton rows={3} />
        )}
      </DialogSection>
    </Dialog>
  );
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
  const { stale } = useConnection();

  const isPartition = props.action === 'partition';
  const choice = choiceOf(props, partition, look.detail.workload.partition ?? 0);
  const isSettled = useSettled(partition) === partition;
  const { seen } = look.detail.workload;
  const preview = useQuery({
    ...controlPreviewQuery(workloadRef, choice ?? { action: 'pause' }, seen, look.number),
    enabled: open && choice !== null && isSettled,
  });
  const send = useSend<{ choice: ControlChoice; body: ControlRequestBody }, ActionAnswer>(
    ({ choice, body }, idempotencyKey) => sendControl(workloadRef, choice, body, { idempotencyKey }),
    onAnswer,
  );
  const sendError = send.state.kind === 'failed' ? send.state.error : null;
  const isUnknown = sendError !== null && isUnsettled(sendError);
  const isConflict = isChangedError(preview.error) || isChangedError(sendError);
  const isChanged = looking.isChanged || isConflict;
  useRefreshOn(isConflict, looking.refresh);
  const block = confirmBlock({
    isChosen: choice !== null,
    isStale: stale,
    isChanged,
    preview: {
      data: preview.data,
      error: preview.error,
      message: preview.error ? sentenceOf(preview.error) : '',
    },
    needsDiff: false,
  });

  function confirm() {
    if (choice !== null && block === null) void send.run({ choice, body: { seen, reason, dryRun: false } });
  }

  function lookAgain() {
    send.reset();
    void looking.lookAgain();
  }

  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={titleOf(props)}
      subtitle={whereOf(props)}
      dismissible={reason === '' && send.state.kind !== 'sending'}
      initialFocus={isPartition ? fieldRef : confirmRef}
      footer={
        <ConfirmFooter
          id={id}
          reason={reason}
          onReason={setReason}
          state={isChanged && !isUnknown ? { kind: 'idle' } : send.state}
          onRepeat={() => void send.repeat()}
          block={block}
          note={<Guard answer={preview.data} again={look.number > 0} pod={props.action === 'deletePod'} />}
          noteGlyph={look.number > 0 ? 'check' : 'lock'}
          confirm={{ label: confirmLabel(props, partition), glyph: glyphs[props.action] }}
          onConfirm={confirm}
          onCancel={() => onOpenChange(false)}
          onLookAgain={isChanged ? lookAgain : undefined}
          confirmRef={confirmRef}
          enabled={open}
        />
      }
    >
      {(isChanged || look.number > 0) && <ChangedBand name={workloadRef.name} before={first} now={now} />}
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
        {isChanged ? (
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
          <Previewed answer={preview.data} refusedBy={sendError} />
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

function Guard({ answer, again, pod }: { answer: ActionAnswer | undefined; again: boolean; pod: boolean }) {
  if (again && answer?.dryRun) {
    return (
      <>
        Checked again at <AbsoluteTime iso={answer.dryRun.at} form="clock" />
      </>
    );
  }
  return pod
    ? 'Deleted only if it is still the pod you see'
    : 'Written only if the workload is still the one you see';
}

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
      return `Delete ${pod?.name ?? 'a pod'}`;
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
