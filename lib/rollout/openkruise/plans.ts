import type { JsonObject } from '@/lib/kube/json';
import { isKruiseAction, type KruiseActionName } from '@/lib/rollout/openkruise/actions';
import { deriveKruiseRollout } from '@/lib/rollout/openkruise/derive';
import type { KruiseRollout } from '@/lib/rollout/openkruise/parse';
import { kruiseRollouts } from '@/lib/rollout/openkruise/resources';
import { styleOf } from '@/lib/rollout/openkruise/context';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type {
  RolloutActionRequest,
  RolloutGoal,
  RolloutInput,
  RolloutPlanResult,
} from '@/lib/rollout/system';
import { mergePatchCommand, patchRight } from '@/lib/workloads/patch';
import type { Finding, NeededRight, Plan } from '@/lib/workloads/plan';
import type { RolloutActionName } from '@/lib/api/action-values';
import { resourcePath } from '@/lib/kube/resource';
import { formatCount } from '@/lib/format/text';
import type { RolloutStep } from '@/lib/api/rollouts';
import { formatDuration } from '@/lib/format/duration';

type WrittenAction = Exclude<KruiseActionName, 'rollback'>;

interface Draft {
  subresource?: 'status';
  /** The fields to set, without the precondition. */
  change: JsonObject;
  title: string;
  steps: string[];
  stays: string[];
  goal: RolloutGoal;
}

/**
 * Plans an action on a Rollout in its current state. Every write is the merge patch of `kubectl-kruise`, with
 * the resourceVersion that was read, so that it can't reach another step. A rollback is a write to the
 * workload: only its own kind can plan it.
 * https://github.com/openkruise/kruise-tools/blob/master/pkg/internal/polymorphichelpers/objectapprover.go
 */
export function planKruiseAction(
  input: RolloutInput<KruiseRollout>,
  request: RolloutActionRequest,
): RolloutPlanResult {
  const rollout = deriveKruiseRollout(input);
  const action = rollout.actions.find(({ name }) => name === request.action);
  if (action === undefined || !isKruiseAction(request.action) || !action.allowed)
    return refused('wrong_state', action?.reason ?? 'A Rollout has no such action.');
  if (request.action === 'jump') {
    const stepProblem = refuseStep(rollout, action.steps ?? [], request.step);
    if (stepProblem !== null) return refused('no_such_step', stepProblem);
  }
  const findings = findingsOf(rollout, request.action, action.consequence);
  if (request.action === 'rollback') {
    const revisionId = rollout.revisions.stable?.id ?? '';
    return { kind: 'workload', revisionId, findings };
  }
  const draft = drafts[request.action](input.object, rollout, request.step ?? 0);
  return { kind: 'write', plan: planOf(input.object, request.action, draft), goal: draft.goal, findings };
}

/** The permission for what the action writes; null where that is the workload. */
export function rightOf(
  object: Pick<KruiseRollout, 'namespace' | 'name'>,
  action: RolloutActionName,
): NeededRight | null {
  if (action === 'rollback') return null;
  const right = patchRight(kruiseRollouts, object);
  return action === 'approve' || action === 'jump' ? { ...right, subresource: 'status' } : right;
}

const drafts: Readonly<
  Record<WrittenAction, (object: KruiseRollout, rollout: ProgressiveRollout, step: number) => Draft>
> = {
  approve: draftApproval,
  jump: draftJump,
  pause: (_, rollout) => ({
    change: { spec: { strategy: { paused: true } } },
    title: `Pause ${rollout.name}`,
    steps: [
      rollout.step.index === 0 || !isUnderWay(rollout)
        ? 'The next rollout waits before its first step.'
        : `The rollout stays in step ${rollout.step.index} of ${rollout.step.total}; pods that are already requested still start.`,
      'Approvals, jumps and rollbacks have no effect until it is resumed.',
    ],
    stays: ['Pods and traffic do not change.'],
    goal: { until: 'observed' },
  }),
  resume: (_, rollout) => ({
    change: { spec: { strategy: { paused: false } } },
    title: `Resume ${rollout.name}`,
    steps: [
      rollout.step.index === 0 || !isUnderWay(rollout)
        ? 'The next rollout starts with its first step.'
        : `The rollout continues in step ${rollout.step.index} of ${rollout.step.total}.`,
    ],
    stays: ['A step that is waiting for approval keeps waiting.'],
    goal: { until: 'observed' },
  }),
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
    subresource: 'status',
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
    subresource: 'status',
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

function planOf(object: KruiseRollout, action: WrittenAction, draft: Draft): Plan {
  const { namespace, name, version, resourceVersion } = object;
  const { change, title, steps, stays, subresource } = draft;
  const path = resourcePath(kruiseRollouts, version, namespace, name);
  const named = [`${kruiseRollouts.plural}.${kruiseRollouts.group}`, name];
  const right = rightOf(object, action);
  if (right === null) throw new Error(`${action} writes no Rollout`);
  return {
    action,
    title,
    write: {
      kind: 'merge',
      path: subresource === undefined ? path : `${path}/${subresource}`,
      body: { metadata: { resourceVersion }, ...change },
    },
    needs: right,
    steps,
    stays,
    kubectl: mergePatchCommand(
      namespace,
      subresource === undefined ? named : [...named, `--subresource=${subresource}`],
      change,
    ),
  };
}

function refuseStep(
  rollout: ProgressiveRollout,
  steps: readonly number[],
  step: number | null,
): string | null {
  if (step !== null && steps.includes(step)) return null;
  if (step === null) return 'A jump needs a target step.';
  const { index, total } = rollout.step;
  if (step < 1 || step > total)
    return `Step ${step} does not exist: the Rollout has ${formatCount(total, 'step')}.`;
  return `Step ${step} is the next step. Approve step ${index} instead.`;
}

const WARNING_ACTIONS: readonly RolloutActionName[] = ['approve', 'jump', 'disable'];

function findingsOf(
  rollout: ProgressiveRollout,
  action: RolloutActionName,
  consequence: string | null,
): Finding[] {
  const isWarning = WARNING_ACTIONS.includes(action) && (action !== 'disable' || isUnderWay(rollout));
  const severity = isWarning ? 'warning' : 'info';
  return consequence === null ? [] : [{ severity, code: 'consequence', message: consequence, action: null }];
}

function refused(code: string, message: string): RolloutPlanResult {
  return { kind: 'refused', findings: [{ severity: 'refusal', code, message, action: null }] };
}

function isUnderWay({ state }: ProgressiveRollout): boolean {
  return (
    state === 'starting' ||
    state === 'progressing' ||
    state === 'waiting' ||
    state === 'paused' ||
    state === 'stalled'
  );
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
