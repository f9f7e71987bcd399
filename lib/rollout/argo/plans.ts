import type { JsonObject } from '@/lib/kube/json';
import { type ArgoRollout, experiments } from '@/lib/rollout/argo/parse';
import { argoContextOf } from '@/lib/rollout/argo/context';
import type { AnalysisObject } from '@/lib/rollout/argo/related-objects';
import { describeStep } from '@/lib/rollout/argo/step';
import {
  type Draft,
  draftPause,
  draftResume,
  planAction,
  pathOf,
  planMerge,
  type PlannedWrites,
  rollBackWorkload,
  writeRight,
} from '@/lib/rollout/plan-action';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type {
  RolloutActionRequest,
  RolloutGoal,
  RolloutInput,
  RolloutPlanResult,
} from '@/lib/rollout/system';
import { describeRestart } from '@/lib/workloads/argo-rollout/controls';
import { argoRollouts } from '@/lib/workloads/argo-rollout/resource';
import { templateOwnerOf } from '@/lib/workloads/argo-rollout/reference';
import { kubectlCommand, patchRight, patchWorkload, testUid } from '@/lib/workloads/patch';
import type { NeededRight, Plan } from '@/lib/workloads/plan';
import type { RolloutActionName } from '@/lib/api/action-values';
import type { ResourceType } from '@/lib/kube/resource';
import { formatCount, uncapitalize } from '@/lib/format/text';
import { formatRevision } from '@/lib/history/revision';

/**
 * Plans an action on a Rollout in its current state: the merge patch of `kubectl argo rollouts`. A rollback changes
 * the template, which the kind plans.
 * https://github.com/argoproj/argo-rollouts/tree/master/pkg/kubectl-argo-rollouts/cmd
 */
export function planArgoAction(
  rollout: ProgressiveRollout,
  input: RolloutInput<ArgoRollout>,
  request: RolloutActionRequest,
): RolloutPlanResult {
  const { object } = input;
  return planAction(rollout.actions, request, {
    subject: 'Argo Rollouts',
    warns: ['promoteFull', 'abort'],
    draft: (action) => {
      const { failedExperiment } = argoContextOf(input);
      if (action === 'retry' && !object.aborted && failedExperiment !== null)
        return planExperiment(object, failedExperiment);
      const draft = DRAFTS[action]?.(input, rollout);
      return draft === undefined
        ? rollBackWorkload(rollout)
        : withResumption(planOf(argoRollouts, object, action, draft), object);
    },
  });
}

/** The permission for what the action writes; null where that is the Rollout's own template. */
export function rightOf(object: ArgoRollout, action: RolloutActionName): NeededRight | null {
  if (action === 'rollback') {
    const holder = templateOwnerOf(object);
    return holder === null ? null : patchRight(holder.resource, holder);
  }
  const { namespace, experiment } = object;
  if (action === 'retry' && !object.aborted && experiment !== null)
    return writeRight(experiments, { namespace, name: experiment }, 'status');
  return writeRight(argoRollouts, object, writtenPart(action));
}

const STATUS_ACTIONS: readonly RolloutActionName[] = ['approve', 'promoteFull', 'abort', 'retry'];

function writtenPart(action: RolloutActionName): 'object' | 'status' {
  return STATUS_ACTIONS.includes(action) ? 'status' : 'object';
}

/** A draft with the command of `kubectl argo rollouts` for it; absent where there is none. */
interface ArgoDraft extends Draft {
  command?: readonly string[];
}

type DraftAction = (input: RolloutInput<ArgoRollout>, rollout: ProgressiveRollout) => ArgoDraft;

const DRAFTS: Readonly<Partial<Record<RolloutActionName, DraftAction>>> = {
  approve: draftPromotion,
  promoteFull: ({ object }, rollout) => ({
    change: { status: { promoteFull: true } },
    title: `Promote full: ${object.name}`,
    steps: [
      `${formatUpdated(rollout)} gets all ${formatCount(object.desired, 'pod')} and all traffic at once. The remaining steps are skipped.`,
    ],
    stays: ['The steps and the pod template do not change.'],
    goal: stepGoal(rollout, null),
    command: ['promote', '--full'],
  }),
  pause: (_, rollout) => ({
    ...draftPause(rollout, rollout.step.index === 0, { spec: { paused: true } }),
    command: ['pause'],
  }),
  resume: (_, rollout) =>
    draftResume(rollout, rollout.step.index === 0, 'promotion', { spec: { paused: false } }),
  abort: ({ object }, rollout) => ({
    change: { status: { abort: true } },
    title: `Abort the rollout of ${object.name}`,
    steps: [
      `All traffic returns to ${formatStable(rollout)}, and the pods of ${formatUpdated(rollout, false)} terminate.`,
      'The Rollout is Degraded until it is retried, rolled back or changed.',
    ],
    stays: [`The spec still requests ${formatUpdated(rollout, false)}.`],
    goal: { until: 'aborted' },
    command: ['abort'],
  }),
  retry: ({ object }, rollout) => ({
    change: { status: { abort: false } },
    title: `Retry the rollout of ${object.name}`,
    steps: [
      rollout.step.total > 1
        ? `The rollout of ${formatUpdated(rollout, false)} starts again at step 1 of ${rollout.step.total}.`
        : `The rollout of ${formatUpdated(rollout, false)} starts again.`,
    ],
    stays: ['The steps and the pod template do not change.'],
    goal: { until: 'retried' },
    command: ['retry', 'rollout'],
  }),
  restart: ({ object, now }) => ({
    change: { spec: { restartAt: now.replace(/\.\d+Z$/, 'Z') } },
    title: `Restart ${object.name}`,
    steps: describeRestart(object.desired),
    stays: ['The pod template does not change: no revision is recorded and no steps run.'],
    goal: { until: 'observed' },
    command: ['restart'],
  }),
};

/** The write depends on what the Rollout waits for, as in the command. */
function draftPromotion({ object }: RolloutInput<ArgoRollout>, rollout: ProgressiveRollout): ArgoDraft {
  const { index, total } = rollout.step;
  const common = {
    stays: ['The steps and the pod template do not change.'],
    command: ['promote'],
  };
  if (object.strategy === 'blueGreen')
    return {
      ...common,
      change: { status: { pauseConditions: null } },
      title: `Promote ${object.name}`,
      steps: [
        `All traffic moves to ${formatUpdated(rollout, false)}; the pods of ${formatStable(rollout)} terminate after a delay.`,
      ],
      goal: stepGoal(rollout, null),
    };
  const next = index < total ? index + 1 : null;
  const plan = next === null ? undefined : object.steps[next - 1];
  return {
    ...common,
    change: { status: promotionOf(object) },
    title: `Promote step ${index} of ${total}`,
    steps: [
      next === null || plan === undefined
        ? `This is the last step: ${formatUpdated(rollout, false)} gets all pods and becomes stable.`
        : `Step ${next} of ${total} starts: ${uncapitalize(describeStep(plan, object.maxWeight))}.`,
    ],
    goal: stepGoal(rollout, next),
  };
}

function promotionOf({ pauses, controllerPause, stepIndex, steps, runs }: ArgoRollout): JsonObject {
  const next = Math.min((stepIndex ?? 0) + 1, steps.length);
  const isInconclusive = runs.some(({ role, status }) => role === 'step' && status === 'Inconclusive');
  if (isInconclusive && pauses.length > 0 && controllerPause)
    return { pauseConditions: null, controllerPause: false, currentStepIndex: next };
  return pauses.length > 0 ? { pauseConditions: null } : { pauseConditions: null, currentStepIndex: next };
}

function stepGoal({ step, run }: ProgressiveRollout, to: number | null): RolloutGoal {
  return { until: 'step', from: step.index, to, runId: run.id };
}

/** In the words of `kubectl argo rollouts`, where it has such a command. */
function planOf(
  resource: ResourceType,
  object: Pick<ArgoRollout, 'version' | 'namespace' | 'name' | 'resourceVersion'>,
  action: RolloutActionName,
  draft: ArgoDraft,
): PlannedWrites {
  const { plan, goal } = planMerge(resource, object, action, draft, writtenPart(action));
  const write = orElse(plan.write, pathOf(resource, object));
  const kubectl = draft.command === undefined ? plan.kubectl : commandLine(object, draft.command);
  return { plan: { ...plan, write, kubectl }, goal };
}

/** A promotion of a Rollout that is paused by hand removes that pause as well. */
function withResumption({ plan, goal }: PlannedWrites, object: ArgoRollout): PlannedWrites {
  if (!object.paused || (plan.action !== 'approve' && plan.action !== 'promoteFull')) return { plan, goal };
  const steps = [...plan.steps, 'The Rollout is resumed.'];
  return { plan: { ...plan, then: resumption(object), steps }, goal };
}

/** Versions before 1.0 have no subresource for the status: there the object itself is written. */
function orElse(write: Plan['write'], elsePath: string): Plan['write'] {
  return write.kind === 'merge' && write.path !== elsePath ? { ...write, elsePath } : write;
}

/** Without a status the controller starts it anew. */
function planExperiment(
  { namespace }: ArgoRollout,
  { name, version, resourceVersion }: AnalysisObject,
): PlannedWrites {
  return planOf(experiments, { namespace, name, version, resourceVersion }, 'retry', {
    change: { status: null },
    title: `Retry experiment ${name}`,
    steps: [`Experiment ${name} restarts its pods and analysis runs.`],
    stays: ['The Rollout, its step and its traffic do not change.'],
    goal: { until: 'retried' },
    command: ['retry', 'experiment'],
  });
}

/** Tests the pause and not the version: the controller may have reacted to the first write by then. */
function resumption(object: ArgoRollout): NonNullable<Plan['then']> {
  return {
    write: patchWorkload(argoRollouts, object, [
      testUid(object),
      { op: 'test', path: '/spec/paused', value: true },
      { op: 'replace', path: '/spec/paused', value: false },
    ]),
    needs: patchRight(argoRollouts, object),
  };
}

/** `retry rollout NAME`, `promote NAME --full`. */
function commandLine(
  { namespace, name }: Pick<ArgoRollout, 'namespace' | 'name'>,
  args: readonly string[],
): string {
  const isOption = (text: string) => text.startsWith('--');
  return kubectlCommand(
    namespace,
    'argo',
    'rollouts',
    ...args.filter((text) => !isOption(text)),
    name,
    ...args.filter(isOption),
  );
}

function formatUpdated({ revisions: { updated } }: ProgressiveRollout, startsSentence = true): string {
  if (updated?.number == null) return startsSentence ? 'The new revision' : 'the new revision';
  return `${startsSentence ? 'R' : 'r'}evision ${updated.number}`;
}

function formatStable({ revisions: { stable } }: ProgressiveRollout): string {
  return stable?.name == null
    ? 'the stable revision'
    : `revision ${formatRevision({ number: stable.number, name: stable.name })}`;
}
