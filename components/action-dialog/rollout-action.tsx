'use client';

import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { ActionDescription, ActionInput } from '@/components/action-dialog/action-description';
import { ActionForm } from '@/components/action-dialog/action-form';
import { followAction } from '@/components/action-dialog/followed-action';
import { Checkbox } from '@/components/action-dialog/checkbox';
import { RolloutProgressDialog } from '@/components/action-dialog/rollout-progress';
import { useOpening } from '@/components/action-dialog/use-opening';
import type { ActionRequest } from '@/components/queries/action-request';
import { rolloutQuery, type RolloutRef } from '@/components/queries/rollouts';
import { rolloutActionGlyphs } from '@/components/shared/rollout-action-glyphs';
import { Notice } from '@/components/ui/notice';
import type { RolloutActionName } from '@/lib/api/action-values';
import type { ActionAnswer } from '@/lib/api/actions';
import type { RolloutItem } from '@/lib/api/rollouts';
import { actionLabel, actionLabels } from '@/lib/rollout/action-labels';
import { stepNoun } from '@/lib/rollout/style-text';

/** An action on a rollout in steps. */
export interface ChosenRolloutAction {
  kind: 'rollout';
  object: RolloutRef;
  name: RolloutActionName;
}

/**
 * An action on a rollout from its plan until it has reached its goal. Every opening starts with fresh state. Load it
 * lazily.
 */
export function RolloutActionDialog(props: RolloutActionDialogProps) {
  const opening = useOpening(props.open);
  return opening === 0 ? null : <RolloutActionForm key={`${opening} ${props.action.name}`} {...props} />;
}

interface RolloutActionDialogProps {
  action: ChosenRolloutAction;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

function RolloutActionForm({ action, open, onOpenChange }: RolloutActionDialogProps) {
  const query = useQuery({ ...rolloutQuery(action.object), select: ({ rollout }) => rollout });
  const [actionId, setActionId] = useState<string | null>(null);
  function accepted({ result }: ActionAnswer) {
    if (!result) return;
    followAction(action.object, result.actionId);
    setActionId(result.actionId);
  }
  if (actionId !== null)
    return (
      <RolloutProgressDialog
        rollout={action.object}
        actionId={actionId}
        open={open}
        onOpenChange={onOpenChange}
      />
    );
  return (
    <ActionForm
      description={describeRolloutAction(action)}
      query={query}
      open={open}
      onOpenChange={onOpenChange}
      onAnswer={accepted}
    />
  );
}

function describeRolloutAction(action: ChosenRolloutAction): ActionDescription<RolloutItem> {
  const { object, name } = action;
  return {
    object,
    title: (rollout) => (rollout === undefined ? actionLabels[name] : titleOf(name, rollout)),
    seenOf: ({ seen }) => seen,
    initialInput: ({ actions }) => ({
      step: null,
      revert: actions.find((offered) => offered.name === name)?.revert,
    }),
    requestOf: (_, input) => requestOf(action, input),
    replacesTemplate: name === 'rollback',
    startsInField: name === 'jump',
    preconditionNote: (rollout) =>
      name === 'approve' || name === 'jump'
        ? `Applied only if the rollout is still at this ${stepNoun(rollout)}`
        : 'Applied only if the rollout has not changed since you opened this',
    confirm: ({ viewed, input }) => ({
      label: actionLabel(viewed, name, input.step),
      glyph: rolloutActionGlyphs[name],
    }),
    changedNotice: ({ isChanged, viewed, now }) =>
      isChanged && (
        <Notice
          tone="changed"
          rounded={false}
          title={`${object.name} changed since you opened this dialog. Nothing was applied.`}
          className="px-6! max-desk:px-4!"
        >
          Before: {viewed.message} Now: {now.message}
        </Notice>
      ),
    fields: ({ isChanged, viewed, input, onInput, fieldRef }) =>
      !isChanged && (
        <>
          {name === 'jump' && (
            <JumpField
              rollout={viewed}
              value={input.step ?? null}
              onChange={(step) => onInput({ step })}
              firstRef={fieldRef}
            />
          )}
          {input.revert !== undefined && (
            <RevertField value={input.revert} onChange={(revert) => onInput({ revert })} />
          )}
        </>
      ),
    changed: () => (
      <p className="text-ink-2">
        The rollout may be at another step or revision now. Review it again before you continue.
      </p>
    ),
  };
}

function requestOf(
  { object, name }: ChosenRolloutAction,
  { step, revert }: ActionInput,
): ActionRequest | null {
  const path = 'POST /api/rollouts/{resource}/{namespace}/{name}';
  switch (name) {
    case 'jump':
      return step == null ? null : { route: `${path}/jump`, params: object, body: { step } };
    case 'delete':
      return { route: `${path}/delete`, params: object, body: { revert } };
    default:
      return { route: `${path}/${name}`, params: object, body: {} };
  }
}

/** Actions that are named by a verb alone. */
const verbs: readonly RolloutActionName[] = ['pause', 'resume', 'abort', 'retry'];

function titleOf(name: RolloutActionName, rollout: RolloutItem): string {
  const label = actionLabel(rollout, name);
  if (name === 'approve') return `${label} of ${rollout.step.total}`;
  return verbs.includes(name) ? `${label} ${rollout.name}` : label;
}

/** Whether the action also reverts what was done. */
function RevertField({ value, onChange }: { value: boolean; onChange: (revert: boolean) => void }) {
  return (
    <div className="px-6 pt-1 pb-4 max-desk:px-4">
      <Checkbox checked={value} onChange={onChange}>
        Revert its changes
      </Checkbox>
      <p className="text-small text-ink-3">
        {value
          ? 'The pods from before the rollout are restored first.'
          : 'The pods of source and target stay as they are.'}
      </p>
    </div>
  );
}

/** A choice of the steps that the rollout can jump to. */
function JumpField({
  rollout,
  value,
  onChange,
  firstRef,
}: {
  rollout: RolloutItem;
  value: number | null;
  onChange: (step: number) => void;
  firstRef: React.RefObject<HTMLInputElement | null>;
}) {
  const name = useId();
  const targets = rollout.actions.find((action) => action.name === 'jump')?.steps ?? [];
  return (
    <fieldset className="px-6 pt-1 pb-4 max-desk:px-4">
      <legend className="pb-1.5 font-medium">Step</legend>
      <div className="grid max-h-[264px] overflow-y-auto rounded-3 border border-line">
        {rollout.steps
          .filter(({ index }) => targets.includes(index))
          .map(({ index, replicas, traffic }, at) => (
            <label
              key={index}
              className="flex min-h-[34px] cursor-pointer items-center gap-2.5 border-b border-hair px-3 last:border-b-0 hover:bg-hover has-checked:bg-selected max-desk:min-h-11"
            >
              <input
                ref={at === 0 ? firstRef : undefined}
                type="radio"
                name={name}
                value={index}
                checked={value === index}
                onChange={() => onChange(index)}
                className="accent-(--accent)"
              />
              <b>Step {index}</b>
              {index === rollout.step.index && <span className="text-ink-3">current</span>}
              <span className="ml-auto text-small text-ink-2">
                {[
                  replicas.planned === null
                    ? replicas.requested
                    : `${replicas.planned.toLocaleString('en')} ${replicas.planned === 1 ? 'pod' : 'pods'}`,
                  traffic.planned?.kind === 'weight' ? `${traffic.planned.percent}% of traffic` : null,
                ]
                  .filter((part) => part !== null)
                  .join(', ')}
              </span>
            </label>
          ))}
      </div>
    </fieldset>
  );
}
