import { deepEqual } from '@/lib/kube/json';
import { selectorText } from '@/server/sandbox/api/scale';
import {
  type RolloutStatus,
  stepsOf,
  WORKLOAD_GENERATION,
} from '@/server/sandbox/controllers/argo/argo-rollout';
import { progressed, withConditions } from '@/server/sandbox/controllers/argo/conditions';
import { phaseOf } from '@/server/sandbox/controllers/argo/phase';
import { availableOf } from '@/server/sandbox/controllers/argo/replica-sets';
import { type Turn } from '@/server/sandbox/controllers/argo/turn';
import { sumOf, withoutZeros } from '@/server/sandbox/controllers/objects/amounts';
import { type ReplicaSet } from '@/server/sandbox/controllers/objects/workloads';

/** Members that are written even where they say nothing. */
const KEPT = ['currentStepIndex', 'canary', 'blueGreen'] as const;

/** What every status says, with counts over all pods. */
export function baseStatus(turn: Turn): RolloutStatus {
  const { rollout, sets, fresh, hash, restartedAt } = turn;
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

/** The same with the counts of one ReplicaSet, which is the one that serves. */
export function countingOnly(status: RolloutStatus, active: ReplicaSet | undefined): RolloutStatus {
  if (active === undefined) return status;
  return {
    ...status,
    HPAReplicas: active.status.replicas ?? 0,
    selector: selectorText(active.spec.selector),
    availableReplicas: availableOf(active),
    readyReplicas: active.status.readyReplicas ?? 0,
  };
}

/** Another template than the one that was rolled out last. */
export function hasNewTemplate({ rollout, hash }: Turn): boolean {
  const { currentPodHash } = rollout.status;
  return currentPodHash !== undefined && currentPodHash !== hash;
}

/** As at the beginning of an update: neither paused nor aborted, and at the first step. */
export function atTheBeginning(turn: Turn, draft: RolloutStatus): RolloutStatus {
  turn.pause.clear();
  const { promoteFull: _asked, currentStepIndex: _index, restartedAt: _restarted, ...rest } = draft;
  const { restartAt } = turn.rollout.spec;
  return {
    ...rest,
    ...(stepsOf(turn.rollout.spec).length > 0 && { currentStepIndex: 0 }),
    ...(restartAt !== undefined && { restartedAt: restartAt }),
  };
}

/** The new pods are the stable ones from now on. */
export function promote(turn: Turn, draft: RolloutStatus, reason: string): RolloutStatus {
  turn.pause.clear();
  const { promoteFull: _asked, currentStepIndex: _index, ...rest } = draft;
  const { hash, rollout } = turn;
  const revision = turn.fresh?.metadata.annotations?.['rollout.argoproj.io/revision'] ?? '';
  if (draft.stableRS !== hash) {
    const message = `Rollout completed update to revision ${revision} (${hash}): ${reason}`;
    turn.record('Normal', 'RolloutCompleted', message);
  }
  const steps = stepsOf(rollout.spec).length;
  return { ...rest, stableRS: hash, ...(steps > 0 && { currentStepIndex: steps }) };
}

/** Writes the status where it differs, and comes back when it may be out of time. */
export async function saveStatus(turn: Turn, draft: RolloutStatus): Promise<void> {
  const { rollout, world } = turn;
  const before = rollout.status;
  const now = world.now();
  const judged = withConditions(turn, { ...draft, ...turn.pause.outcome(before, now) }, now);
  // An abort that the conditions themselves demand counts at once.
  const paused = { ...judged, ...turn.pause.outcome(before, now) };
  const { phase, message } = phaseOf(rollout.spec, paused);
  const observedGeneration = String(rollout.metadata.generation ?? 0);
  const whole = { ...paused, observedGeneration, phase, ...(message !== '' && { message }) };
  const status = withoutZeros<RolloutStatus>(whole, KEPT);
  if (deepEqual(status, before)) {
    const leftMs = progressed.deadline(turn, status) - now;
    if (Number.isFinite(leftMs)) turn.again(leftMs + 1000);
    return;
  }
  await turn.rollouts.replaceStatus({ ...rollout, status });
  tell(turn, before, status);
}

function tell(turn: Turn, before: RolloutStatus, after: RolloutStatus): void {
  const [was, is] = [before.pauseConditions?.length ?? 0, after.pauseConditions?.length ?? 0];
  if (was === 0 && is > 0)
    turn.record('Normal', 'RolloutPaused', `Rollout is paused (${after.pauseConditions?.[0]?.reason ?? ''})`);
  if (was > 0 && is === 0 && after.abort !== true)
    turn.record('Normal', 'RolloutResumed', 'Rollout is resumed');
}
