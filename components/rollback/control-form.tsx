'use client';

import { useId, useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { mergeRefusedFindings } from '@/components/rollback/answer-errors';
import { FormLoading } from '@/components/rollback/form-loading';
import { ChangeList, PartHead } from '@/components/rollback/change-list';
import { ChangedNotice, ListSkeleton, ChangesSinceOpened } from '@/components/rollback/changed-notice';
import { Checks } from '@/components/rollback/checks';
import { ConfirmFooter } from '@/components/rollback/confirm-footer';
import { PreconditionNote } from '@/components/rollback/precondition-note';
import { KubectlOptions } from '@/components/rollback/kubectl-options';
import { PartitionField } from '@/components/rollback/partition-field';
import { PlanText } from '@/components/rollback/plan-text';
import { useActionForm } from '@/components/rollback/use-action-form';
import { type ViewedWorkload, useViewedWorkload } from '@/components/rollback/use-viewed-workload';
import { useDebounced } from '@/components/rollback/use-debounced';
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
} from '@/components/queries/control';
import { type WorkloadRef } from '@/components/queries/workload-ref';

type ControlFormProps = ControlDialogProps & { onAnswer: (answer: ActionAnswer) => void };

/** The form that confirms a small action and shows its effect. */
export function ControlForm(props: ControlFormProps) {
  const { workloadRef, open, onOpenChange } = props;
  const view = useViewedWorkload(workloadRef);
  const { viewed, now, first } = view;
  if (viewed && now && first)
    return <LoadedForm {...props} viewed={viewed} now={now} first={first} view={view} />;
  return <FormLoading {...{ open, onOpenChange, view }} title={titleOf(props)} subtitle={whereOf(props)} />;
}

interface ViewedProps {
  viewed: ViewedWorkload;
  now: WorkloadDetail;
  first: WorkloadDetail;
  view: ReturnType<typeof useViewedWorkload>;
}

function LoadedForm(props: ControlFormProps & ViewedProps) {
  const { workloadRef, open, onOpenChange, onAnswer, viewed, now, first, view } = props;
  const id = useId();
  const confirmRef = useRef<HTMLButtonElement>(null);
  const fieldRef = useRef<HTMLInputElement>(null);
  const [partition, setPartition] = useState<number | null>(
    () => props.partition ?? viewed.detail.workload.partition,
  );
  const [reason, setReason] = useState('');

  const isPartition = props.action === 'partition';
  const choice = choiceOf(props, partition, viewed.detail.workload.partition ?? 0);
  const isDebounced = useDebounced(partition) === partition;
  const { seen } = viewed.detail.workload;
  const preview = useQuery({
    ...controlPreviewQuery(workloadRef, choice ?? { action: 'pause' }, seen, viewed.number),
    enabled: open && choice !== null && isDebounced,
  });
  const form = useActionForm<{ choice: ControlChoice; body: ControlRequestBody }>({
    view,
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
      dismissible={reason === '' && !form.isSending}
      initialFocus={isPartition ? fieldRef : confirmRef}
      footer={
        <ConfirmFooter
          id={id}
          reason={reason}
          onReason={setReason}
          {...form.footer}
          note={
            <PreconditionNote answer={preview.data} isRechecked={viewed.number > 0}>
              {preconditionNotes[targetOf(props)]}
            </PreconditionNote>
          }
          noteGlyph={viewed.number > 0 ? 'check' : 'lock'}
          confirm={{
            label: confirmLabel(props, partition),
            glyph: targetOf(props) === 'group' ? 'restart' : glyphs[props.action],
          }}
          onConfirm={() => choice && form.confirm({ choice, body: { seen, reason, dryRun: false } })}
          onCancel={() => onOpenChange(false)}
          confirmRef={confirmRef}
          enabled={open}
        />
      }
    >
      {(form.isChanged || viewed.number > 0) && (
        <ChangedNotice name={workloadRef.name} before={first} now={now} />
      )}
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
        {form.isChanged ? (
          <ChangesSinceOpened workload={workloadRef} before={viewed.detail} now={now} />
        ) : preview.error ? (
          <ErrorState
            error={preview.error}
            title="The preview could not be made"
            onRetry={() => void preview.refetch()}
            boxed={false}
            className="px-0!"
          />
        ) : preview.data ? (
          <Previewed answer={preview.data} refusedBy={form.sendError} />
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
          <PartHead title="What changes in the pods" />
          <ChangeList diff={answer.diff} />
        </section>
      )}
      <div>
        <Checks findings={mergeRefusedFindings(answer.findings, refusedBy)} dryRun={answer.dryRun} />
        <KubectlOptions plan={answer.plan} />
      </div>
    </>
  );
}

function targetOf({ action, pod }: ControlDialogProps): keyof typeof preconditionNotes {
  if (action !== 'deletePod') return 'workload';
  return pod?.group === undefined ? 'pod' : 'group';
}

const preconditionNotes = {
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
export interface ControlDialogProps {
  workloadRef: WorkloadRef;
  action: 'pause' | 'resume' | 'restart' | 'partition' | 'deletePod';
  /**
   * The pod to delete, with its uid at the time of the click, and the number of the group that is recreated with it.
   */
  pod?: { name: string; uid: string; group?: number };
  /** Initial value of the partition field; default: the current partition. */
  partition?: number;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Opened from another action: closes once accepted, because the other one shows its progress. */
  within?: boolean;
  /** Called once the action was accepted, with its id. */
  onAccepted?: (actionId: string) => void;
}
