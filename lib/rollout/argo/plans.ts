import type { JsonObject } from '@/lib/kube/json';
import { type ArgoActionName, argoActionNames } from '@/lib/rollout/argo/actions';
import { deriveArgoRollout } from '@/lib/rollout/argo/derive';
import type { ArgoRollout } from '@/lib/rollout/argo/parse';
import { experiments } from '@/lib/rollout/argo/resources';
import { argoContextOf } from '@/lib/rollout/argo/context';
import type { AnalysisObject } from '@/lib/rollout/argo/related-objects';
import { describeStep } from '@/lib/rollout/argo/step';
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
import { kubectlCommand, mergePatchCommand, patchRight, patchWorkload, testUid } from '@/lib/workloads/patch';
import type { Finding, NeededRight, Plan } from '@/lib/workloads/plan';
import type { RolloutActionName } from '@/lib/api/action-values';
import { resourcePath, type ResourceType } from '@/lib/kube/resource';
import { formatCount, uncapitalize } from '@/lib/format/text';
import { formatRevision } from '@/lib/history/revision';

type WrittenAction = Exclude<ArgoActionName, 'rollback'>;

interface Draft {
  /** The fields to set, without the precondition. */
  change: JsonObject;
  title: string;
  steps: string[];
  stays: string[];
  goal: RolloutGoal;
  /** As `kubectl argo rollouts` does it; absent where it has no such command. */
  command?: readonly string[];
}

/**
 * Plans an action on a Rollout in its current state: the merge patch of `kubectl argo rollouts`, with the
 * resourceVersion that was read, so that it can't reach another step. A rollback changes the template, which
 * the kind plans.
 * https://github.com/argoproj/argo-rollouts/tree/master/pkg/kubectl-argo-rollouts/cmd
 */
export function planArgoAction(
  input: RolloutInput<ArgoRollout>,
  request: RolloutActionRequest,
): RolloutPlanResult {
  const rollout = deriveArgoRollout(input);
  const action = rollout.actions.find(({ name }) => name === request.action);
  if (action === undefined || !isArgoAction(request.action))
    return refused('Argo Rollouts has no such action.');
  if (!action.allowed) return refused(action.reason ?? 'Not possible now.');
  const findings = findingsOf(request.action, action.consequence);
  if (request.action === 'rollback')
    return { kind: 'workload', revisionId: rollout.revisions.stable?.id ?? '', findings };
  const { failedExperiment } = argoContextOf(input);
  if (request.action === 'retry' && !input.object.aborted && failedExperiment !== null)
    return { ...retryExperiment(input.object, failedExperiment), findings };
  const draft = drafts[request.action](input, rollout);
  return { kind: 'write', plan: planOf(input.object, request.action, draft), goal: draft.goal, findings };
}

/** The permission for what the action writes; null where that is the Rollout's own template. */
export function rightOf(object: ArgoRollout, action: RolloutActionName): NeededRight | null {
  if (action === 'rollback') {
    const holder = templateOwnerOf(object);
    return holder === null ? null : patchRight(holder.resource, holder);
  }
  if (action === 'retry' && !object.aborted && object.experiment !== null)
    return { ...statusRight(experiments), namespace: object.namespace, name: object.experiment };
  const right = patchRight(argoRollouts, object);
  return isOfStatus(action) ? { ...right, subresource: 'status' } : right;
}

const drafts: Readonly<
  Record<WrittenAction, (input: RolloutInput<ArgoRollout>, rollout: ProgressiveRollout) => Draft>
> = {
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
  pause: ({ object }, rollout) => ({
    change: { spec: { paused: true } },
    title: `Pause ${object.name}`,
    steps: [
      rollout.step.index === 0
        ? 'The next rollout waits before its first step.'
        : `The rollout stays in step ${rollout.step.index} of ${rollout.step.total}.`,
    ],
    stays: ['Pods and traffic do not change.'],
    goal: { until: 'observed' },
    command: ['pause'],
  }),
  resume: ({ object }, rollout) => ({
    change: { spec: { paused: false } },
    title: `Resume ${object.name}`,
    steps: [
      rollout.step.index === 0
        ? 'The next rollout starts with its first step.'
        : `The rollout continues in step ${rollout.step.index} of ${rollout.step.total}.`,
    ],
    stays: ['A step that is waiting for promotion keeps waiting.'],
    goal: { until: 'observed' },
  }),
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
function draftPromotion({ object }: RolloutInput<ArgoRollout>, rollout: ProgressiveRollout): Draft {
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

function planOf(object: ArgoRollout, action: WrittenAction, draft: Draft): Plan {
  const { namespace, name, version, resourceVersion } = object;
  const { change, title, steps, stays, command } = draft;
  const path = resourcePath(argoRollouts, version, namespace, name);
  const right = rightOf(object, action);
  if (right === null) throw new Error(`${action} writes no Rollout`);
  const body = { metadata: { resourceVersion }, ...change };
  const isStatus = isOfStatus(action);
  const resumes = object.paused && (action === 'approve' || action === 'promoteFull');
  return {
    action,
    title,
    write: isStatus
      ? // Versions before 1.0 have no such subresource.
        { kind: 'merge', path: `${path}/status`, elsePath: path, body }
      : { kind: 'merge', path, body },
    needs: right,
    ...(resumes && { then: resumption(object) }),
    steps: resumes ? [...steps, 'The Rollout is resumed.'] : steps,
    stays,
    kubectl:
      command === undefined
        ? mergePatchCommand(namespace, [`${argoRollouts.plural}.${argoRollouts.group}`, name], change)
        : commandLine(object, command),
  };
}

/**
 * Without a status the controller starts it anew; where there is no such subresource, the object itself is
 * written.
 */
function retryExperiment(
  { namespace }: ArgoRollout,
  { name, version, resourceVersion }: AnalysisObject,
): { kind: 'write'; plan: Plan; goal: RolloutGoal } {
  const path = resourcePath(experiments, version, namespace, name);
  const body = { metadata: { resourceVersion }, status: null };
  return {
    kind: 'write',
    plan: {
      action: 'retry',
      title: `Retry experiment ${name}`,
      write: { kind: 'merge', path: `${path}/status`, elsePath: path, body },
      needs: { ...statusRight(experiments), namespace, name },
      steps: [`Experiment ${name} restarts its pods and analysis runs.`],
      stays: ['The Rollout, its step and its traffic do not change.'],
      kubectl: kubectlCommand(namespace, 'argo', 'rollouts', 'retry', 'experiment', name),
    },
    goal: { until: 'retried' },
  };
}

function statusRight({ group, plural }: ResourceType): Omit<NeededRight, 'namespace' | 'name'> {
  return { verb: 'patch', group, resource: plural, subresource: 'status' };
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
function commandLine({ namespace, name }: ArgoRollout, args: readonly string[]): string {
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

function isArgoAction(action: RolloutActionName): action is ArgoActionName {
  return (argoActionNames as readonly RolloutActionName[]).includes(action);
}

function isOfStatus(action: RolloutActionName): boolean {
  return action === 'approve' || action === 'promoteFull' || action === 'abort' || action === 'retry';
}

const WARNING_ACTIONS: readonly RolloutActionName[] = ['promoteFull', 'abort'];

function findingsOf(action: RolloutActionName, consequence: string | null): Finding[] {
  const severity = WARNING_ACTIONS.includes(action) ? 'warning' : 'info';
  return consequence === null ? [] : [{ severity, code: 'consequence', message: consequence, action: null }];
}

function refused(message: string): RolloutPlanResult {
  return { kind: 'refused', findings: [{ severity: 'refusal', code: 'wrong_state', message, action: null }] };
}
