'use client';

import { useId, useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { mergeRefusedFindings } from '@/components/rollback/answer-errors';
import { FormLoading } from '@/components/rollback/form-loading';
import { ChangeList, countChanges, PartHead } from '@/components/rollback/change-list';
import { ListSkeleton } from '@/components/rollback/changed-notice';
import { Checks } from '@/components/rollback/checks';
import { ConfirmFooter } from '@/components/rollback/confirm-footer';
import { JumpField } from '@/components/rollback/jump-field';
import { PreconditionNote } from '@/components/rollback/precondition-note';
import { KubectlOptions } from '@/components/rollback/kubectl-options';
import { RevertField } from '@/components/rollback/revert-field';
import { PlanText } from '@/components/rollback/plan-text';
import { useActionForm } from '@/components/rollback/use-action-form';
import { type ViewedRollout, useViewedRollout } from '@/components/rollback/use-viewed-rollout';
import { Dialog, DialogSection } from '@/components/ui/dialog';
import { ErrorState } from '@/components/ui/error-state';
import { type GlyphName } from '@/components/ui/glyph';
import { Notice } from '@/components/ui/notice';
import { type ActionAnswer } from '@/lib/api/actions';
import { type RolloutItem } from '@/lib/api/rollouts';
import {
  type RolloutActionBody,
  type RolloutActionChoice,
  rolloutPreviewQuery,
  sendRolloutAction,
} from '@/components/queries/rollout-action';
import { actionLabel, actionLabels } from '@/lib/rollout/action-labels';
import { type RolloutActionName } from '@/lib/api/action-values';
import { stepNoun } from '@/lib/rollout/style-text';
import { type RolloutRef } from '@/components/queries/rollouts';

type ReleaseFormProps = ReleaseDialogProps & { onAnswer: (answer: ActionAnswer) => void };

/** The form that confirms an action on a rollout and shows its effect. */
export function ReleaseForm(props: ReleaseFormProps) {
  const { rollout, action, open, onOpenChange } = props;
  const view = useViewedRollout(rollout);
  const { viewed, now } = view;
  if (viewed && now) return <LoadedForm {...props} viewed={viewed} now={now} view={view} />;
  const subtitle = `${rollout.namespace} / ${rollout.name}`;
  return <FormLoading {...{ open, onOpenChange, subtitle, view }} title={actionLabels[action]} />;
}

interface ViewedProps {
  viewed: ViewedRollout;
  now: RolloutItem;
  view: ReturnType<typeof useViewedRollout>;
}

function LoadedForm({
  rollout: ref,
  action,
  open,
  onOpenChange,
  onAnswer,
  viewed,
  now,
  view,
}: ReleaseFormProps & ViewedProps) {
  const id = useId();
  const confirmRef = useRef<HTMLButtonElement>(null);
  const firstRef = useRef<HTMLInputElement>(null);
  const targets = viewed.rollout.actions.find(({ name }) => name === 'jump')?.steps ?? [];
  const [target, setTarget] = useState<number | null>(null);
  const [reason, setReason] = useState('');
  const defaultRevert = viewed.rollout.actions.find(({ name }) => name === action)?.revert;
  const [revert, setRevert] = useState(defaultRevert);

  const choice = choiceOf(action, target, revert);
  const { seen } = viewed.rollout;
  const preview = useQuery({
    ...rolloutPreviewQuery(ref, choice ?? { action: 'pause' }, seen, viewed.number),
    enabled: open && choice !== null,
  });
  const form = useActionForm<{ choice: RolloutActionChoice; body: RolloutActionBody }>({
    view,
    preview,
    isChosen: choice !== null,
    needsDiff: action === 'rollback',
    send: ({ choice, body }, idempotencyKey) => sendRolloutAction(ref, choice, body, { idempotencyKey }),
    onAnswer,
  });

  function confirm() {
    if (choice === null) return;
    const toSeen = preview.data?.toSeen ?? null;
    const body = { seen, reason, dryRun: false, ...(action === 'rollback' && toSeen !== null && { toSeen }) };
    form.confirm({ choice, body });
  }

  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={titleOf(action, viewed.rollout)}
      subtitle={`${ref.namespace} / ${ref.name}`}
      dismissible={reason === '' && !form.isSending}
      initialFocus={action === 'jump' ? firstRef : confirmRef}
      footer={
        <ConfirmFooter
          id={id}
          reason={reason}
          onReason={setReason}
          {...form.footer}
          note={
            <PreconditionNote answer={preview.data} isRechecked={viewed.number > 0}>
              {action === 'approve' || action === 'jump'
                ? `Written only if the release is still at the ${stepNoun(viewed.rollout)} you see`
                : 'Written only if the release is still the one you see'}
            </PreconditionNote>
          }
          noteGlyph={viewed.number > 0 ? 'check' : 'lock'}
          confirm={{ label: actionLabel(viewed.rollout, action, target), glyph: glyphs[action] }}
          onConfirm={confirm}
          onCancel={() => onOpenChange(false)}
          confirmRef={confirmRef}
          enabled={open}
        />
      }
    >
      {form.isChanged && (
        <Notice
          tone="changed"
          rounded={false}
          title={`${ref.name} changed since you opened this. Nothing was written.`}
          className="px-6! max-desk:px-4!"
        >
          You looked at: {viewed.rollout.message} Now: {now.message}
        </Notice>
      )}
      {action === 'jump' && !form.isChanged && (
        <JumpField
          rollout={viewed.rollout}
          targets={targets}
          value={target}
          onChange={setTarget}
          firstRef={firstRef}
        />
      )}
      {revert !== undefined && !form.isChanged && <RevertField value={revert} onChange={setRevert} />}
      <DialogSection className="grid gap-4 border-t border-hair empty:hidden">
        {form.isChanged ? (
          <p className="text-ink-2">
            What is there now may be another step or another version. Look again before you decide.
          </p>
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
      {answer.diff && (
        <section aria-label="What changes in the pods">
          <PartHead title="What changes in the pods" remark={countChanges(answer.diff)} />
          <ChangeList diff={answer.diff} />
        </section>
      )}
      {answer.plan && (
        <div>
          <PlanText plan={answer.plan} />
        </div>
      )}
      <div>
        <Checks findings={mergeRefusedFindings(answer.findings, refusedBy)} dryRun={answer.dryRun} />
        <KubectlOptions plan={answer.plan} />
      </div>
    </>
  );
}

function choiceOf(
  action: RolloutActionName,
  target: number | null,
  revert: boolean | undefined,
): RolloutActionChoice | null {
  if (action === 'delete') return { action, ...(revert !== undefined && { revert }) };
  if (action !== 'jump') return { action };
  return target === null ? null : { action, step: target };
}

const glyphs: Record<RolloutActionName, GlyphName> = {
  approve: 'check',
  jump: 'superseded',
  pause: 'paused',
  resume: 'play',
  disable: 'minus',
  enable: 'play',
  promoteFull: 'superseded',
  abort: 'failed',
  retry: 'restart',
  restart: 'restart',
  rollback: 'back',
  delete: 'trash',
};

function titleOf(action: RolloutActionName, rollout: RolloutItem): string {
  const label = actionLabel(rollout, action);
  switch (action) {
    case 'approve':
      return `${label} of ${rollout.step.total}`;
    case 'pause':
    case 'resume':
    case 'abort':
    case 'retry':
      return `${label} ${rollout.name}`;
    default:
      return label;
  }
}
export interface ReleaseDialogProps {
  rollout: RolloutRef;
  action: RolloutActionName;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}
