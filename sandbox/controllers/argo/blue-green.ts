import { type BlueGreenStrategy, type RolloutStatus } from '@/sandbox/controllers/argo/argo-rollout';
import { labelPods } from '@/sandbox/controllers/argo/mark-pods';
import { pausedSince } from '@/sandbox/controllers/argo/pause';
import {
  abortingSize,
  availableOf,
  deadlineOf,
  pruneOldest,
  isInRollbackWindow,
  keptUntilDeadline,
  liftDeadlines,
  numberFresh,
} from '@/sandbox/controllers/argo/replica-sets';
import { restartPods } from '@/sandbox/controllers/argo/restart';
import { pointService, readService, type Service } from '@/sandbox/controllers/argo/services';
import {
  atTheBeginning,
  baseStatus,
  countingOnly,
  hasNewTemplate,
  promote,
  saveStatus,
} from '@/sandbox/controllers/argo/status';
import { hashOf, type ArgoReconcile } from '@/sandbox/controllers/argo/argo-reconcile';
import { type ReplicaSet } from '@/sandbox/controllers/objects/workloads';

interface Services {
  active: Service;
  preview: Service | undefined;
}

/**
 * Creates all new pods next to the old ones and then switches the active Service to them.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/bluegreen.go
 */
export async function rollBlueGreen(turn: ArgoReconcile, strategy: BlueGreenStrategy): Promise<void> {
  const isNew = hasNewTemplate(turn);
  await numberFresh(turn);
  const { fresh } = turn;
  const active = await readService(turn, strategy.activeService);
  const preview =
    strategy.previewService === undefined ? undefined : await readService(turn, strategy.previewService);
  if (active === undefined || fresh === undefined) return;
  const services: Services = { active, preview };
  if (preview !== undefined && !turn.isHalted)
    services.preview = await pointService(turn, preview, hashOf(fresh));
  if (isNew) return saveStatus(turn, statusOf(turn, services, true));
  // Pods scheduled for deletion allow a quick return; the next line but one removes their deadline.
  const isFast = isFastTracked(turn, services.active);
  await restartPods(turn);
  await resize(turn, services);
  const isOver = pauseBeforeSwitch(turn, strategy, isFast);
  const target = turn.isAborted ? turn.rollout.status.stableRS : isOver ? turn.hash : services.active.hash;
  if (!turn.isHalted && isSaturated(turn, turn.fresh) && target !== undefined)
    services.active = await pointService(turn, services.active, target);
  await labelPods(turn);
  await saveStatus(turn, statusOf(turn, services, false));
}

function isFastTracked(turn: ArgoReconcile, { hash }: Service): boolean {
  const { fresh, rollout } = turn;
  return (
    (fresh !== undefined && deadlineOf(fresh) !== undefined && !turn.isAborted) ||
    rollout.status.promoteFull === true ||
    isInRollbackWindow(turn) ||
    hash === undefined ||
    hash === turn.hash
  );
}

async function resize(turn: ArgoReconcile, { active }: Services): Promise<void> {
  const { replicas } = turn.rollout.spec;
  const isGoing = turn.isAborted && turn.stable !== turn.fresh;
  await liftDeadlines(turn, isGoing);
  const serving = turn.sets.find((set) => hashOf(set) === active.hash);
  if (serving !== undefined) await turn.scale(serving, replicas);
  const { fresh } = turn;
  if (fresh !== undefined) {
    const size = await abortingSize(turn, fresh, replicas);
    if (size !== undefined) await turn.scale(fresh, size, isGoing);
  }
  const { status } = turn.rollout;
  const used = [status.stableRS, active.hash, status.blueGreen?.activeSelector, turn.hash];
  for (const set of turn.others.toReversed()) {
    if (set.spec.replicas === 0 || used.includes(hashOf(set))) continue;
    const left = await keptUntilDeadline(turn, set);
    const present = turn.sets.find(({ metadata }) => metadata.uid === set.metadata.uid) ?? set;
    await turn.scale(present, left);
  }
  await pruneOldest(turn);
}

/** All desired pods exist and are available. */
function isSaturated({ rollout }: ArgoReconcile, set: ReplicaSet | undefined): boolean {
  const { replicas } = rollout.spec;
  return set !== undefined && set.spec.replicas === replicas && availableOf(set) === replicas;
}

/** Starts, continues or ends the pause before the switch. Returns whether nothing prevents the switch. */
function pauseBeforeSwitch(turn: ArgoReconcile, strategy: BlueGreenStrategy, isFast: boolean): boolean {
  const { status } = turn.rollout;
  if (turn.isAborted || turn.isHalted || !isSaturated(turn, turn.fresh)) return false;
  const seconds = strategy.autoPromotionSeconds ?? 0;
  const needsPause = strategy.autoPromotionEnabled === false || seconds > 0;
  if (isFast || !needsPause) {
    turn.pause.end('BlueGreenPause');
    return true;
  }
  const since = pausedSince(status, 'BlueGreenPause');
  if (since === undefined) {
    if (status.controllerPause !== true) turn.pause.begin('BlueGreenPause');
    return status.controllerPause === true;
  }
  if (seconds === 0) return false;
  const leftMs = since + seconds * 1000 - turn.world.now();
  if (leftMs > 0) turn.requeueAfter(leftMs);
  else turn.pause.end('BlueGreenPause');
  return leftMs <= 0;
}

function statusOf(turn: ArgoReconcile, { active, preview }: Services, isNew: boolean): RolloutStatus {
  const { rollout, hash } = turn;
  const isInWindow = isInRollbackWindow(turn);
  const base = isNew ? atTheBeginning(turn, baseStatus(turn)) : baseStatus(turn);
  if (rollout.status.promoteFull === true || isInWindow) turn.pause.clear();
  const serving = turn.sets.find((set) => hashOf(set) === active.hash);
  const draft = {
    ...countingOnly(base, serving),
    blueGreen: {
      ...(active.hash !== undefined && { activeSelector: active.hash }),
      ...(preview?.hash !== undefined && { previewSelector: preview.hash }),
    },
  };
  if (draft.stableRS === undefined || active.hash === undefined)
    return promote(turn, draft, 'Initial deploy');
  if (active.hash !== hash || isNew) return draft;
  if (rollout.status.promoteFull === true) return promote(turn, draft, 'Full promotion requested');
  if (isInWindow) return promote(turn, draft, 'Rollback within window');
  return turn.isAborted ? draft : promote(turn, draft, 'Completed blue-green update');
}
