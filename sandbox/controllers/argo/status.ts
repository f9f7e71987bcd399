import { deepEqual } from '@/lib/kube/json';
import { selectorText } from '@/sandbox/api/objects/scale';
import { type ArgoStatus, stepsOf, WORKLOAD_GENERATION } from '@/sandbox/controllers/argo/argo-rollout';
import { progressed, withConditions } from '@/sandbox/controllers/argo/conditions';
import { phaseOf } from '@/sandbox/controllers/argo/phase';
import { availableOf } from '@/sandbox/controllers/argo/replica-sets';
import { type ArgoReconcile } from '@/sandbox/controllers/argo/argo-reconcile';
import { sumOf, withoutZeros } from '@/sandbox/controllers/objects/amounts';
import { type ReplicaSet } from '@/sandbox/controllers/objects/workloads';

/** Members that are written even when they are empty. */
const PRESERVED_FIELDS = ['currentStepIndex', 'canary', 'blueGreen'] as const;

/** The members of every status, with counts over all pods. */
export function baseStatus(reconcile: ArgoReconcile): ArgoStatus {
  const { rollout, sets, fresh, hash, restartedAt } = reconcile;
  const { stableRS, collisionCount, promoteFull, currentStepIndex, currentStepHash, conditions } =
    rollout.status;
  const observedReference = rollout.metadata.annotations?.[WORKLOAD_GENERATION];
  return {
    ...(conditions && { conditions }),
    ...(stableRS !== undefined && { stableRS }),
    ...(collisionCount !== undefined && { collisionCount }),
    ...(currentStepIndex !== undefined && { currentStepIndex }),
    ...(currentStepHash !== undefined && { currentStepHash }),
    ...(restartedAt !== undefined && { restartedAt }),
    ...(promoteFull === true && hash !== stableRS && { promoteFull }),
    ...(observedReference !== undefined && { workloadObservedGeneration: observedReference }),
    currentPodHash: hash,
    replicas: sumOf(sets, ({ status }) => status.replicas),
    updatedReplicas: fresh?.status.replicas ?? 0,
    readyReplicas: sumOf(sets, ({ status }) => status.readyReplicas),
    availableReplicas: sumOf(sets, availableOf),
    HPAReplicas: sumOf(sets, ({ status }) => status.replicas),
    selector: selectorText(rollout.spec.selector),
    canary: {},
    blueGreen: {},
  };
}

/** The same with the counts of one ReplicaSet, the one that receives traffic. */
export function countingOnly(status: ArgoStatus, active: ReplicaSet | undefined): ArgoStatus {
  if (active === undefined) return status;
  return {
    ...status,
    HPAReplicas: active.status.replicas ?? 0,
    selector: selectorText(active.spec.selector),
    availableReplicas: availableOf(active),
    readyReplicas: active.status.readyReplicas ?? 0,
  };
}

/** The template differs from the one that was rolled out last. */
export function hasNewTemplate({ rollout, hash }: ArgoReconcile): boolean {
  const { currentPodHash } = rollout.status;
  return currentPodHash !== undefined && currentPodHash !== hash;
}

/** As at the start of an update: neither paused nor aborted, and at the first step. */
export function atTheBeginning(reconcile: ArgoReconcile, draft: ArgoStatus): ArgoStatus {
  reconcile.pause.clear();
  const { promoteFull: _asked, currentStepIndex: _index, restartedAt: _restarted, ...rest } = draft;
  const { restartAt } = reconcile.rollout.spec;
  return {
    ...rest,
    ...(stepsOf(reconcile.rollout.spec).length > 0 && { currentStepIndex: 0 }),
    ...(restartAt !== undefined && { restartedAt: restartAt }),
  };
}

/** Makes the new pods the stable ones. */
export function promote(reconcile: ArgoReconcile, draft: ArgoStatus, reason: string): ArgoStatus {
  reconcile.pause.clear();
  const { promoteFull: _asked, currentStepIndex: _index, ...rest } = draft;
  const { hash, rollout } = reconcile;
  const revision = reconcile.fresh?.metadata.annotations?.['rollout.argoproj.io/revision'] ?? '';
  if (draft.stableRS !== hash) {
    const message = `Rollout completed update to revision ${revision} (${hash}): ${reason}`;
    reconcile.record('Normal', 'RolloutCompleted', message);
  }
  const steps = stepsOf(rollout.spec).length;
  return { ...rest, stableRS: hash, ...(steps > 0 && { currentStepIndex: steps }) };
}

/** Writes the status where it differs, and requeues for the progress deadline. */
export async function saveStatus(reconcile: ArgoReconcile, draft: ArgoStatus): Promise<void> {
  const { rollout, manager } = reconcile;
  const before = rollout.status;
  const now = manager.now();
  const judged = withConditions(reconcile, { ...draft, ...reconcile.pause.outcome(before, now) }, now);
  // An abort that follows from the conditions applies at once.
  const paused = { ...judged, ...reconcile.pause.outcome(before, now) };
  const { phase, message } = phaseOf(rollout.spec, paused);
  const observedGeneration = String(rollout.metadata.generation ?? 0);
  const whole = { ...paused, observedGeneration, phase, ...(message !== '' && { message }) };
  const status = withoutZeros<ArgoStatus>(whole, PRESERVED_FIELDS);
  if (deepEqual(status, before)) {
    const leftMs = progressed.deadline(reconcile, status) - now;
    if (Number.isFinite(leftMs)) reconcile.requeueAfter(leftMs + 1000);
    return;
  }
  await reconcile.rollouts.replaceStatus({ ...rollout, status });
  recordEvents(reconcile, before, status);
}

function recordEvents(reconcile: ArgoReconcile, before: ArgoStatus, after: ArgoStatus): void {
  const [was, is] = [before.pauseConditions?.length ?? 0, after.pauseConditions?.length ?? 0];
  if (was === 0 && is > 0)
    reconcile.record(
      'Normal',
      'RolloutPaused',
      `Rollout is paused (${after.pauseConditions?.[0]?.reason ?? ''})`,
    );
  if (was > 0 && is === 0 && after.abort !== true)
    reconcile.record('Normal', 'RolloutResumed', 'Rollout is resumed');
}
