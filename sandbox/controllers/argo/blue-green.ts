import { type BlueGreenStrategy, type ArgoStatus } from '@/sandbox/controllers/argo/argo-rollout';
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
import { pointService, readService, type ArgoService } from '@/sandbox/controllers/argo/services';
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
  active: ArgoService;
  preview: ArgoService | undefined;
}

/**
 * Creates all new pods next to the old ones and then switches the active Service to them.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/bluegreen.go
 */
export async function rollBlueGreen(reconcile: ArgoReconcile, strategy: BlueGreenStrategy): Promise<void> {
  const isNew = hasNewTemplate(reconcile);
  await numberFresh(reconcile);
  const { fresh } = reconcile;
  const active = await readService(reconcile, strategy.activeService);
  const preview =
    strategy.previewService === undefined ? undefined : await readService(reconcile, strategy.previewService);
  if (active === undefined || fresh === undefined) return;
  const services: Services = { active, preview };
  if (preview !== undefined && !reconcile.isHalted)
    services.preview = await pointService(reconcile, preview, hashOf(fresh));
  if (isNew) return saveStatus(reconcile, statusOf(reconcile, services, true));
  // Pods scheduled for deletion allow a quick return; the next line but one removes their deadline.
  const isFast = isFastTracked(reconcile, services.active);
  await restartPods(reconcile);
  await resize(reconcile, services);
  const isOver = pauseBeforeSwitch(reconcile, strategy, isFast);
  const target = reconcile.isAborted
    ? reconcile.rollout.status.stableRS
    : isOver
      ? reconcile.hash
      : services.active.hash;
  if (!reconcile.isHalted && isSaturated(reconcile, reconcile.fresh) && target !== undefined)
    services.active = await pointService(reconcile, services.active, target);
  await labelPods(reconcile);
  await saveStatus(reconcile, statusOf(reconcile, services, false));
}

function isFastTracked(reconcile: ArgoReconcile, { hash }: ArgoService): boolean {
  const { fresh, rollout } = reconcile;
  return (
    (fresh !== undefined && deadlineOf(fresh) !== undefined && !reconcile.isAborted) ||
    rollout.status.promoteFull === true ||
    isInRollbackWindow(reconcile) ||
    hash === undefined ||
    hash === reconcile.hash
  );
}

async function resize(reconcile: ArgoReconcile, { active }: Services): Promise<void> {
  const { replicas } = reconcile.rollout.spec;
  const isGoing = reconcile.isAborted && reconcile.stable !== reconcile.fresh;
  await liftDeadlines(reconcile, isGoing);
  const serving = reconcile.sets.find((set) => hashOf(set) === active.hash);
  if (serving !== undefined) await reconcile.scale(serving, replicas);
  const { fresh } = reconcile;
  if (fresh !== undefined) {
    const size = await abortingSize(reconcile, fresh, replicas);
    if (size !== undefined) await reconcile.scale(fresh, size, isGoing);
  }
  const { status } = reconcile.rollout;
  const used = [status.stableRS, active.hash, status.blueGreen?.activeSelector, reconcile.hash];
  for (const set of reconcile.others.toReversed()) {
    if (set.spec.replicas === 0 || used.includes(hashOf(set))) continue;
    const left = await keptUntilDeadline(reconcile, set);
    const present = reconcile.sets.find(({ metadata }) => metadata.uid === set.metadata.uid) ?? set;
    await reconcile.scale(present, left);
  }
  await pruneOldest(reconcile);
}

/** All desired pods exist and are available. */
function isSaturated({ rollout }: ArgoReconcile, set: ReplicaSet | undefined): boolean {
  const { replicas } = rollout.spec;
  return set !== undefined && set.spec.replicas === replicas && availableOf(set) === replicas;
}

/** Starts, continues or ends the pause before the switch. Returns whether nothing prevents the switch. */
function pauseBeforeSwitch(reconcile: ArgoReconcile, strategy: BlueGreenStrategy, isFast: boolean): boolean {
  const { status } = reconcile.rollout;
  if (reconcile.isAborted || reconcile.isHalted || !isSaturated(reconcile, reconcile.fresh)) return false;
  const seconds = strategy.autoPromotionSeconds ?? 0;
  const needsPause = strategy.autoPromotionEnabled === false || seconds > 0;
  if (isFast || !needsPause) {
    reconcile.pause.end('BlueGreenPause');
    return true;
  }
  const since = pausedSince(status, 'BlueGreenPause');
  if (since === undefined) {
    if (status.controllerPause !== true) reconcile.pause.begin('BlueGreenPause');
    return status.controllerPause === true;
  }
  if (seconds === 0) return false;
  const leftMs = since + seconds * 1000 - reconcile.manager.now();
  if (leftMs > 0) reconcile.requeueAfter(leftMs);
  else reconcile.pause.end('BlueGreenPause');
  return leftMs <= 0;
}

function statusOf(reconcile: ArgoReconcile, { active, preview }: Services, isNew: boolean): ArgoStatus {
  const { rollout, hash } = reconcile;
  const isInWindow = isInRollbackWindow(reconcile);
  const base = isNew ? atTheBeginning(reconcile, baseStatus(reconcile)) : baseStatus(reconcile);
  if (rollout.status.promoteFull === true || isInWindow) reconcile.pause.clear();
  const serving = reconcile.sets.find((set) => hashOf(set) === active.hash);
  const draft = {
    ...countingOnly(base, serving),
    blueGreen: {
      ...(active.hash !== undefined && { activeSelector: active.hash }),
      ...(preview?.hash !== undefined && { previewSelector: preview.hash }),
    },
  };
  if (draft.stableRS === undefined || active.hash === undefined)
    return promote(reconcile, draft, 'Initial deploy');
  if (active.hash !== hash || isNew) return draft;
  if (rollout.status.promoteFull === true) return promote(reconcile, draft, 'Full promotion requested');
  if (isInWindow) return promote(reconcile, draft, 'Rollback within window');
  return reconcile.isAborted ? draft : promote(reconcile, draft, 'Completed blue-green update');
}
