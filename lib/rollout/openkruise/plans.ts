import type { JsonObject } from '@/lib/kube/json';
import type { KruiseRollout } from '@/lib/rollout/openkruise/parse';
import { kruiseRollouts } from '@/lib/rollout/openkruise/resources';
import { styleOf } from '@/lib/rollout/openkruise/context';
import {
  type Draft,
  draftPause,
  draftResume,
  planAction,
  planMerge,
  rollBackWorkload,
  writeRight,
} from '@/lib/rollout/plan-action';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { RolloutActionRequest, RolloutInput, RolloutPlanResult } from '@/lib/rollout/system';
import type { NeededRight } from '@/lib/workloads/plan';
import type { RolloutActionName } from '@/lib/api/action-values';
import { formatCount } from '@/lib/format/text';
import type { RolloutAction, RolloutStep } from '@/lib/api/rollouts';
import { formatDuration } from '@/lib/format/duration';

/**
 * Plans an action on a Rollout in its current state. Every write is the merge patch of `kubectl-kruise`. A rollback
 * is a write to the workload: only its own kind can plan it.
 * https://github.com/openkruise/kruise-tools/blob/master/pkg/internal/polymorphichelpers/objectapprover.go
 */
export function planKruiseAction(
  rollout: ProgressiveRollout,
  { object }: RolloutInput<KruiseRollout>,
  request: RolloutActionRequest,
): RolloutPlanResult {
  return planAction(rollout.actions, request, {
    subject: 'A Rollout',
    warns: isUnderWay(rollout) ? ['approve', 'jump', 'disable'] : ['approve', 'jump'],
    refuse: (action) => refuseStep(rollout, action, request.step),
    draft: (action) => {
      const draft = DRAFTS[action]?.(object, rollout, request.step ?? 0);
      return draft === undefined
        ? rollBackWorkload(rollout)
        : planMerge(kruiseRollouts, object, action, draft, writtenPart(action));
    },
  });
}

/** The permission for what the action writes; null where that is the workload. */
export function rightOf(
  object: Pick<KruiseRollout, 'namespace' | 'name'>,
  action: RolloutActionName,
): NeededRight | null {
  return action === 'rollback' ? null : writeRight(kruiseRollouts, object, writtenPart(action));
}

function writtenPart(action: RolloutActionName): 'object' | 'status' {
  return action === 'approve' || action === 'jump' ? 'status' : 'object';
}

type DraftAction = (object: KruiseRollout, rollout: ProgressiveRollout, step: number) => Draft;

const DRAFTS: Readonly<Partial<Record<RolloutActionName, DraftAction>>> = {
  approve: draftApproval,
  jump: draftJump,
  pause: (_, rollout) => {
    const change = { spec: { strategy: { paused: true } } };
    const still = '; pods that are already requested still start';
    const draft = draftPause(rollout, isIdle(rollout), change, still);
    draft.steps.push('Approvals, jumps and rollbacks have no effect until it is resumed.');
    return draft;
  },
  resume: (_, rollout) =>
    draftResume(rollout, isIdle(rollout), 'approval', { spec: { strategy: { paused: false } } }),
  disable: (_, rollout) => ({
    change: { spec: { disabled: true } },
    title: `Disable ${rollout.name}`,
    steps: [
      ...(isUnderWay(rollout)
        ? [
            `The rollout in progress is promoted: all pods of ${formatWorkload(rollout)} get the new revision at once.`,
          ]
        : []),
      `Later changes to ${formatWorkload(rollout)} roll out at once, without steps.`,
    ],
    stays: ['The Rollout and its steps stay and can be enabled again.'],
    goal: { until: 'disabled' },
  }),
  enable: (_, rollout) => ({
    change: { spec: { disabled: false } },
    title: `Enable ${rollout.name}`,
    steps: [
      `The next change to ${formatWorkload(rollout)} rolls out in ${formatCount(rollout.step.total, 'step')}.`,
    ],
    stays: ['Pods do not change: enabling starts no rollout.'],
    goal: { until: 'enabled' },
  }),
};

function draftApproval(object: KruiseRollout, rollout: ProgressiveRollout): Draft {
  const { index, total, next } = rollout.step;
  const to = next ?? (index < total ? index + 1 : null);
  return {
    change: statusOf(object, { currentStepState: 'StepReady' }),
    title: `Approve step ${index} of ${total}`,
    steps: to === null ? [describeEnd(rollout)] : describeStep(rollout, to),
    stays: [`The steps of the Rollout and the pod template of ${formatWorkload(rollout)} do not change.`],
    goal: { until: 'step', from: index, to, runId: rollout.run.id },
  };
}

function draftJump(object: KruiseRollout, rollout: ProgressiveRollout, to: number): Draft {
  const { index, total } = rollout.step;
  const between = rollout.steps.filter((step) => step.index > index && step.index < to);
  const names = between.map((step) => String(step.index)).join(', ');
  return {
    change: statusOf(object, { nextStepIndex: to }),
    title: to === index ? `Run step ${to} of ${total} again` : `Jump to step ${to} of ${total}`,
    steps: [
      ...(between.length === 0
        ? []
        : [
            `${between.length === 1 ? 'Step' : 'Steps'} ${names} ${between.length === 1 ? 'is' : 'are'} skipped.`,
          ]),
      ...describeStep(rollout, to),
    ],
    stays: [`The steps of the Rollout and the pod template of ${formatWorkload(rollout)} do not change.`],
    goal: { until: 'step', from: index, to, runId: rollout.run.id },
  };
}

/** A blue-green rollout has another status field. */
function statusOf(object: KruiseRollout, change: JsonObject): JsonObject {
  const member = styleOf(object) === 'blueGreen' ? 'blueGreenStatus' : 'canaryStatus';
  return { status: { [member]: change } };
}

/** No jump goes elsewhere than offered. */
function refuseStep(
  { step: { index, total } }: ProgressiveRollout,
  { name, steps }: RolloutAction,
  step: number | null,
): { code: string; message: string } | null {
  if (name !== 'jump' || (step !== null && steps?.includes(step) === true)) return null;
  const message =
    step === null
      ? 'A jump needs a target step.'
      : step < 1 || step > total
        ? `Step ${step} does not exist: the Rollout has ${formatCount(total, 'step')}.`
        : `Step ${step} is the next step. Approve step ${index} instead.`;
  return { code: 'no_such_step', message };
}

const UNDER_WAY: readonly ProgressiveRollout['state'][] = [
  'starting',
  'progressing',
  'waiting',
  'paused',
  'stalled',
];

function isUnderWay({ state }: ProgressiveRollout): boolean {
  return UNDER_WAY.includes(state);
}

function isIdle(rollout: ProgressiveRollout): boolean {
  return rollout.step.index === 0 || !isUnderWay(rollout);
}

/** What a step does, and how it ends: a sentence each. */
function describeStep(rollout: ProgressiveRollout, index: number): string[] {
  const step = rollout.steps[index - 1];
  if (step === undefined) return [];
  const traffic = step.traffic.planned;
  const share =
    traffic === null
      ? ''
      : traffic.kind === 'weight'
        ? ` and ${traffic.percent}% of traffic`
        : ' and the requests that match its rules';
  return [
    `Step ${index} of ${rollout.step.total} starts: the new revision gets ${podsOf(step, rollout)}${share}.`,
    describePause(step, rollout),
  ];
}

function podsOf(
  { replicas: { planned, requested } }: RolloutStep,
  { replicas: { desired } }: ProgressiveRollout,
): string {
  if (planned === null) return requested === null ? 'its pods' : `${requested} of the pods`;
  return desired === null ? formatCount(planned, 'pod') : `${planned} of ${formatCount(desired, 'pod')}`;
}

function describePause({ index, pause }: RolloutStep, rollout: ProgressiveRollout): string {
  const next = index < rollout.step.total ? `step ${index + 1} starts` : 'the rollout completes';
  switch (pause?.kind) {
    case 'approval':
      return 'It then waits for approval again.';
    case 'time':
      return pause.seconds === 0
        ? `Then ${next} automatically.`
        : `After a pause of ${formatDuration(pause.seconds * 1_000)}, ${next} automatically.`;
    case 'none':
    case undefined:
      return `Then ${next} automatically.`;
    default:
      return pause satisfies never;
  }
}

/** What follows the last step. */
function describeEnd(rollout: ProgressiveRollout): string {
  return `This is the last step: the rollout completes, and all pods of ${formatWorkload(rollout)} get the new revision.`;
}

/** The workload, with its kind. */
function formatWorkload({ workload: { kind, name } }: ProgressiveRollout): string {
  return `${kind} ${name}`;
}
