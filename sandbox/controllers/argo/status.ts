import { deepEqual } from '@/lib/kube/json';
import { selectorText } from '@/sandbox/api/objects/scale';
import { type ArgoReconcile, availableOf, revisionOf } from '@/sandbox/controllers/argo/argo-reconcile';
import {
  type ArgoSpec,
  type ArgoStatus,
  type PauseReason,
  stepsOf,
  WORKLOAD_GENERATION,
} from '@/sandbox/controllers/argo/argo-rollout';
import {
  conditionOf,
  newCondition,
  withCondition,
  withoutCondition,
} from '@/sandbox/controllers/deployment/conditions';
import { sumOf, withoutZeros } from '@/sandbox/controllers/objects/amounts';
import { timeText } from '@/sandbox/controllers/objects/time';
import type { Condition } from '@/sandbox/controllers/objects/workloads';
import type { Progress } from '@/sandbox/engine/stepped-rollout';

/** Members that are written even when they are empty. */
const PRESERVED_FIELDS = ['currentStepIndex', 'canary', 'blueGreen'] as const;

/** The present status, with counts over all pods. An abort ends every pause. */
export function draftStatus({ rollout, sets, fresh, hash, manager }: ArgoReconcile): ArgoStatus {
  const { status, spec, metadata } = rollout;
  const replicas = sumOf(sets, (set) => set.status.replicas);
  const draft: ArgoStatus = {
    ...status,
    abortedAt: undefined,
    promoteFull: status.promoteFull === true && hash !== status.stableRS,
    workloadObservedGeneration: metadata.annotations?.[WORKLOAD_GENERATION],
    currentPodHash: hash,
    replicas,
    updatedReplicas: fresh?.status.replicas,
    readyReplicas: sumOf(sets, (set) => set.status.readyReplicas),
    availableReplicas: sumOf(sets, availableOf),
    HPAReplicas: replicas,
    selector: selectorText(spec.selector),
    canary: {},
    blueGreen: {},
  };
  if (status.abort !== true) return draft;
  return { ...resume(draft), abortedAt: status.abortedAt ?? timeText(manager.now()) };
}

/** As at the start of an update: neither paused nor aborted, and at the first step that it takes. */
export function atTheBeginning({ rollout, isReturn }: ArgoReconcile, draft: ArgoStatus): ArgoStatus {
  const steps = stepsOf(rollout.spec).length;
  const currentStepIndex = steps > 0 ? (isReturn ? steps : 0) : undefined;
  const restartedAt = rollout.spec.restartAt;
  return { ...clear(draft), promoteFull: undefined, currentStepIndex, restartedAt };
}

/** With the pause that begins now; else unchanged until the state changes, or until its time is over. */
export function waiting(
  reconcile: ArgoReconcile,
  draft: ArgoStatus,
  progress: Progress,
  reason: PauseReason,
): ArgoStatus {
  if (progress.kind === 'waits' && progress.forMs !== undefined) reconcile.requeueAfter(progress.forMs);
  if (progress.kind !== 'pauses') return draft;
  const startTime = timeText(reconcile.manager.now());
  return { ...draft, pauseConditions: [{ reason, startTime }], controllerPause: true };
}

/** No longer paused. */
export function resume(draft: ArgoStatus): ArgoStatus {
  return { ...draft, pauseConditions: undefined, controllerPause: undefined };
}

/** No longer paused or aborted. */
export function clear(draft: ArgoStatus): ArgoStatus {
  return { ...resume(draft), abort: undefined, abortedAt: undefined };
}

export function abortFor(reconcile: ArgoReconcile, draft: ArgoStatus, cause: string): ArgoStatus {
  const abortedAt = timeText(reconcile.manager.now());
  const conditions = withAbort(reconcile, draft.conditions ?? [], `: ${cause}`);
  return { ...resume(draft), abort: true, abortedAt, conditions };
}

/** Makes the new pods the stable ones. */
export function promote(reconcile: ArgoReconcile, draft: ArgoStatus, reason: string): ArgoStatus {
  const { hash, rollout, fresh } = reconcile;
  if (draft.stableRS !== hash) {
    const revision = fresh === undefined ? '' : revisionOf(fresh);
    const message = `Rollout completed update to revision ${revision} (${hash}): ${reason}`;
    reconcile.record('RolloutCompleted', message);
  }
  const currentStepIndex = stepsOf(rollout.spec).length || undefined;
  return { ...clear(draft), promoteFull: undefined, stableRS: hash, currentStepIndex };
}

/** Writes the status where it differs, and requeues for the progress deadline. */
export async function saveStatus(reconcile: ArgoReconcile, draft: ArgoStatus): Promise<void> {
  const { rollout, manager } = reconcile;
  const before = rollout.status;
  const conditions = withConditions(reconcile, draft, waitOf(rollout.spec, draft) === '');
  const observed = { ...draft, conditions, observedGeneration: String(rollout.metadata.generation ?? 0) };
  const phase = phaseOf(rollout.spec, observed);
  const status = withoutZeros<ArgoStatus>({ ...observed, ...phase }, PRESERVED_FIELDS);
  if (deepEqual(status, before)) {
    const leftMs = progressDeadline(reconcile, status) - manager.now();
    if (Number.isFinite(leftMs)) reconcile.requeueAfter(leftMs);
    return;
  }
  await reconcile.rollouts.replaceStatus({ ...rollout, status });
  const reason = status.pauseConditions?.[0]?.reason;
  const wasPaused = before.pauseConditions !== undefined;
  if (!wasPaused && reason !== undefined) reconcile.record('RolloutPaused', `Rollout is paused (${reason})`);
  if (wasPaused && reason === undefined && status.abort !== true)
    reconcile.record('RolloutResumed', 'Rollout is resumed');
}

/** A Service may be created later; no watch reports it. */
const REQUEUE_MS = 10_000;

/** Reports why the spec can't be followed, and changes nothing else. */
export async function saveInvalid(reconcile: ArgoReconcile, problem: string): Promise<void> {
  const { rollout, manager } = reconcile;
  const { name, generation } = rollout.metadata;
  const message = `The Rollout "${name}" is invalid: ${problem}`;
  const condition = newCondition(manager.now(), 'InvalidSpec', 'True', 'InvalidSpec', message);
  const conditions = withCondition(rollout.status.conditions ?? [], condition);
  const judged = { ...rollout.status, conditions, observedGeneration: String(generation ?? 0) };
  const status = { ...judged, ...phaseOf(rollout.spec, judged) };
  reconcile.requeueAfter(REQUEUE_MS);
  if (!deepEqual(status, rollout.status)) await reconcile.rollouts.replaceStatus({ ...rollout, status });
}

/** https://github.com/argoproj/argo-rollouts/blob/master/utils/rollout/rolloututil.go (CalculateRolloutPhase) */
function phaseOf(spec: ArgoSpec, status: ArgoStatus): { phase: string; message: string } {
  for (const { type, reason = '', message = '' } of status.conditions ?? []) {
    if (type === 'InvalidSpec') return { phase: 'Degraded', message: `InvalidSpec: ${message}` };
    if (reason === 'RolloutAborted' || reason === 'ProgressDeadlineExceeded')
      return { phase: 'Degraded', message: `${reason}: ${message}` };
  }
  if (spec.paused === true) return { phase: 'Paused', message: 'manually paused' };
  const pause = status.pauseConditions?.[0];
  if (pause !== undefined) return { phase: 'Paused', message: pause.reason };
  const isRestarting = spec.restartAt !== undefined && spec.restartAt !== status.restartedAt;
  const message = isRestarting ? 'rollout is restarting' : waitOf(spec, status);
  return { phase: message === '' ? 'Healthy' : 'Progressing', message };
}

/** What is missing before the spec is fully rolled out; empty when it is. */
function waitOf(spec: ArgoSpec, status: ArgoStatus): string {
  const { updatedReplicas = 0, availableReplicas = 0, replicas = 0, stableRS, currentPodHash } = status;
  if (updatedReplicas < spec.replicas) return 'more replicas need to be updated';
  if (availableReplicas < updatedReplicas) return 'updated replicas are still becoming available';
  if (spec.strategy.blueGreen !== undefined)
    return status.blueGreen?.activeSelector === currentPodHash ? '' : 'active service cutover pending';
  if (replicas > updatedReplicas) return 'old replicas are pending termination';
  return stableRS === currentPodHash ? '' : 'waiting for all steps to complete';
}

const DEADLINE_SECONDS = 600;

/**
 * The conditions of a status; `hasArrived`: the spec is fully rolled out.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/sync.go (calculateRolloutConditions)
 */
function withConditions(reconcile: ArgoReconcile, status: ArgoStatus, hasArrived: boolean): Condition[] {
  const { spec } = reconcile.rollout;
  const isPaused = status.pauseConditions !== undefined || spec.paused === true;
  const isHealthy = !isPaused && hasArrived;
  const isAvailable = (status.availableReplicas ?? 0) >= spec.replicas;
  const isCompleted = status.stableRS === status.currentPodHash;
  let conditions = withoutCondition(status.conditions ?? [], 'InvalidSpec');
  const set = (type: string, value: boolean, reason: string, message: string) => {
    const condition = newCondition(reconcile.manager.now(), type, value ? 'True' : 'False', reason, message);
    conditions = withCondition(conditions, condition);
  };
  set('Healthy', isHealthy, 'RolloutHealthy', `Rollout is ${isHealthy ? '' : 'not '}healthy`);
  set('Paused', isPaused, 'RolloutPaused', 'Rollout is paused');
  const availability = isAvailable ? 'has' : 'does not have';
  set('Available', isAvailable, 'AvailableReason', `Rollout ${availability} minimum availability`);
  set('Completed', isCompleted, 'RolloutCompleted', 'RolloutCompleted');
  return withProgress(reconcile, { ...status, conditions }, isPaused, isHealthy);
}

function withProgress(
  reconcile: ArgoReconcile,
  status: ArgoStatus,
  isPaused: boolean,
  isHealthy: boolean,
): Condition[] {
  const { rollout, fresh, manager } = reconcile;
  const { conditions = [] } = status;
  const present = conditionOf(conditions, 'Progressing');
  const set = `ReplicaSet "${fresh?.metadata.name ?? ''}"`;
  const next = (value: 'True' | 'False' | 'Unknown', reason: string, message: string) =>
    withCondition(conditions, newCondition(manager.now(), 'Progressing', value, reason, message));
  if (status.abort === true) return withAbort(reconcile, conditions);
  if (isPaused) return next('Unknown', 'RolloutPaused', 'Rollout is paused');
  if (isHealthy) return next('True', 'NewReplicaSetAvailable', `${set} has successfully progressed.`);
  const isRetried = present?.reason === 'RolloutAborted' || present?.reason === 'RolloutPaused';
  if (present === undefined || isRetried || progressOf(rollout.status) !== progressOf(status)) {
    const others = withoutCondition(conditions, 'Progressing');
    const message = `${set} is progressing.`;
    return [...others, newCondition(manager.now(), 'Progressing', 'True', 'ReplicaSetUpdated', message)];
  }
  if (manager.now() < progressDeadline(reconcile, status)) return conditions;
  return next('False', 'ProgressDeadlineExceeded', `${set} has timed out progressing.`);
}

function withAbort(reconcile: ArgoReconcile, conditions: readonly Condition[], cause = ''): Condition[] {
  const { fresh, manager } = reconcile;
  const message = `Rollout aborted update to revision ${fresh === undefined ? 0 : revisionOf(fresh)}${cause}`;
  if (conditionOf(conditions, 'Progressing')?.reason !== 'RolloutAborted')
    reconcile.record('RolloutAborted', message, 'Warning');
  const condition = newCondition(manager.now(), 'Progressing', 'False', 'RolloutAborted', message);
  return withCondition(conditions, condition);
}

/** Changes with the progress of a rollout. */
function progressOf({ updatedReplicas = 0, availableReplicas = 0, ...status }: ArgoStatus): string {
  const { currentStepIndex, currentPodHash, stableRS } = status;
  return JSON.stringify([updatedReplicas, availableReplicas, currentStepIndex, currentPodHash, stableRS]);
}

/** Milliseconds since the epoch; never while the rollout is paused, or an analysis runs. */
function progressDeadline({ rollout }: ArgoReconcile, { conditions = [], canary }: ArgoStatus): number {
  const { reason, lastUpdateTime = '' } = conditionOf(conditions, 'Progressing') ?? {};
  if (reason !== 'ReplicaSetUpdated' || canary?.currentStepAnalysisRunStatus !== undefined) return Infinity;
  return Date.parse(lastUpdateTime) + (rollout.spec.progressDeadlineSeconds ?? DEADLINE_SECONDS) * 1000;
}
