import { AppError } from '@/lib/errors';
import { isJsonObject, type JsonObject, stringifyGo } from '@/lib/kube/json';
import { textAt } from '@/lib/kube/read';
import { pathTo } from '@/server/cluster/request-guard';
import {
  type ArgoReconcile,
  availableOf,
  deadlineOf,
  hashOf,
  pausedSince,
} from '@/sandbox/controllers/argo/argo-reconcile';
import { type ArgoStatus, type BlueGreenStrategy, HASH_LABEL } from '@/sandbox/controllers/argo/argo-rollout';
import {
  keepUp,
  numberFresh,
  pruneOldest,
  restartPods,
  scaleDownLater,
} from '@/sandbox/controllers/argo/replica-sets';
import {
  atTheBeginning,
  beginPause,
  draftStatus,
  promote,
  resume,
  saveInvalid,
  saveStatus,
} from '@/sandbox/controllers/argo/status';
import { selectorText } from '@/sandbox/api/objects/scale';
import { advance, type Progress, type Step } from '@/sandbox/engine/stepped-rollout';

const DELAY_SECONDS = 30;

/** The ReplicaSets that the Services select, by their hashes; undefined while a Service selects all pods. */
interface Selected {
  active: string | undefined;
  preview: string | undefined;
}

/**
 * Creates all new pods next to the old ones and then switches the active Service to them.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/bluegreen.go
 */
export async function rollBlueGreen(reconcile: ArgoReconcile, strategy: BlueGreenStrategy): Promise<void> {
  const { activeService, previewService } = strategy;
  const [active, preview] = [
    await selectedBy(reconcile, activeService),
    await selectedBy(reconcile, previewService),
  ];
  const missing = active === null ? 'active' : preview === null ? 'preview' : undefined;
  if (missing !== undefined) {
    const name = strategy[`${missing}Service`] ?? '';
    const problem = `spec.strategy.blueGreen.${missing}Service: Invalid value: "${name}": service "${name}" not found`;
    return saveInvalid(reconcile, problem);
  }
  const selected = { active, preview } as Selected;
  const { hasNewTemplate } = reconcile;
  await numberFresh(reconcile);
  if (!reconcile.isHalted) selected.preview = await point(reconcile, previewService, selected.preview);
  if (hasNewTemplate) return saveStatus(reconcile, atTheBeginning(reconcile, statusOf(reconcile, selected)));
  const progress = advanceToSwitch(reconcile, strategy, selected);
  const restartedAt = await restartPods(reconcile);
  await resize(reconcile, strategy);
  if (progress.kind === 'moves') selected.active = await point(reconcile, activeService, selected.active);
  const draft = { ...statusOf(reconcile, selected), restartedAt };
  await saveStatus(reconcile, moved(reconcile, draft, progress));
}

/** Null where there is no such Service. */
async function selectedBy(
  reconcile: ArgoReconcile,
  service: string | undefined,
): Promise<string | undefined | null> {
  if (service === undefined) return undefined;
  try {
    const object = await reconcile.manager.transport.json({
      method: 'GET',
      path: pathOf(reconcile, service),
    });
    return isJsonObject(object) ? textAt(object, 'spec', 'selector', HASH_LABEL) : null;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null;
    throw error;
  }
}

/** Makes the Service select only the new pods. Returns what it selects. */
async function point(
  reconcile: ArgoReconcile,
  service: string | undefined,
  before: string | undefined,
): Promise<string | undefined> {
  const { hash, manager } = reconcile;
  if (service === undefined || before === hash) return before;
  const body: JsonObject = { spec: { selector: { [HASH_LABEL]: hash } } };
  await manager.transport.json({
    method: 'PATCH',
    path: pathOf(reconcile, service),
    query: { fieldManager: 'rollouts-controller' },
    contentType: 'application/merge-patch+json',
    body: stringifyGo(body),
  });
  const message = `Switched selector for service '${service}' from '${before ?? ''}' to '${hash}'`;
  reconcile.record('SwitchService', message);
  return hash;
}

function pathOf({ rollout }: ArgoReconcile, service: string): string {
  return pathTo('api', 'v1', 'namespaces', rollout.metadata.namespace ?? 'default', 'services', service);
}

/** How the one step of a blue-green goes on: all new pods, and a pause where there is to be one. */
function advanceToSwitch(
  reconcile: ArgoReconcile,
  { autoPromotionEnabled, autoPromotionSeconds: seconds = 0 }: BlueGreenStrategy,
  { active }: Selected,
): Progress {
  const { fresh, rollout, skipsSteps, hash, isHalted, manager } = reconcile;
  const { status, spec } = rollout;
  if (status.abort === true || isHalted) return { kind: 'waits' };
  // Pods that are scheduled for deletion allow a quick return.
  const isStillUp = fresh !== undefined && deadlineOf(fresh) !== undefined;
  const isFast = isStillUp || skipsSteps || active === undefined || active === hash;
  const needsPause = !isFast && (autoPromotionEnabled === false || seconds > 0);
  const step: Step = {
    stages: needsPause ? ['size', 'pause'] : ['size'],
    pauseMs: seconds > 0 ? seconds * 1000 : undefined,
  };
  const pausedAt = pausedSince(status);
  const seen = {
    now: manager.now(),
    pausedAt,
    isSized: fresh?.spec.replicas === spec.replicas && availableOf(fresh) === spec.replicas,
    isRouted: true,
    analysis: 'passed',
    isResumed: pausedAt === undefined && status.controllerPause === true,
  } as const;
  const sized = advance([step], { step: 0, stage: 'size' }, seen);
  return sized.kind === 'moves' && needsPause ? advance([step], { step: 0, stage: 'pause' }, seen) : sized;
}

async function resize(
  reconcile: ArgoReconcile,
  { scaleDownDelaySeconds = DELAY_SECONDS, abortScaleDownDelaySeconds = DELAY_SECONDS }: BlueGreenStrategy,
): Promise<void> {
  const { others, stable, fresh } = reconcile;
  const isGoing = reconcile.rollout.status.abort === true && stable !== fresh;
  for (const set of others) await scaleDownLater(reconcile, set, scaleDownDelaySeconds);
  if (isGoing && fresh !== undefined && abortScaleDownDelaySeconds > 0)
    await scaleDownLater(reconcile, fresh, abortScaleDownDelaySeconds);
  await keepUp(reconcile, stable);
  if (!isGoing && fresh !== stable) await keepUp(reconcile, fresh);
  await pruneOldest(reconcile);
}

function moved(reconcile: ArgoReconcile, draft: ArgoStatus, progress: Progress): ArgoStatus {
  const { rollout, hash } = reconcile;
  if (draft.stableRS === undefined) return promote(reconcile, draft, 'Initial deploy');
  if (progress.kind === 'pauses') return beginPause(reconcile, draft, 'BlueGreenPause');
  if (progress.kind === 'waits' && progress.forMs !== undefined) reconcile.requeueAfter(progress.forMs);
  if (progress.kind !== 'moves') return draft;
  const isFull = rollout.status.promoteFull === true;
  return draft.blueGreen?.activeSelector === hash
    ? promote(reconcile, draft, isFull ? 'Full promotion requested' : 'Completed blue-green update')
    : resume(draft);
}

/** With the counts of the pods that receive the traffic. */
function statusOf(reconcile: ArgoReconcile, { active, preview }: Selected): ArgoStatus {
  const draft: ArgoStatus = {
    ...draftStatus(reconcile),
    blueGreen: { activeSelector: active, previewSelector: preview },
  };
  const serving = reconcile.sets.find((set) => hashOf(set) === active);
  if (serving === undefined) return draft;
  const { replicas, readyReplicas } = serving.status;
  const selector = selectorText(serving.spec.selector);
  return {
    ...draft,
    HPAReplicas: replicas,
    readyReplicas,
    availableReplicas: availableOf(serving),
    selector,
  };
}
