import { AppError } from '@/lib/errors';
import { isJsonObject, stringifyGo } from '@/lib/kube/json';
import { textAt } from '@/lib/kube/read';
import { pathTo } from '@/server/cluster/request-guard';
import { selectorText } from '@/sandbox/api/objects/scale';
import { type ArgoReconcile, availableOf, hashOf } from '@/sandbox/controllers/argo/argo-reconcile';
import {
  type ArgoStatus,
  type BlueGreenStrategy,
  HASH_LABEL,
  SCALE_DOWN_DEADLINE,
} from '@/sandbox/controllers/argo/argo-rollout';
import {
  keepUp,
  numberFresh,
  pruneOldest,
  restartPods,
  scaleDownLater,
} from '@/sandbox/controllers/argo/replica-sets';
import {
  atTheBeginning,
  draftStatus,
  promote,
  resume,
  saveInvalid,
  saveStatus,
  waiting,
} from '@/sandbox/controllers/argo/status';
import { advance, type Progress, type Step } from '@/sandbox/engine/stepped-rollout';

const DELAY_SECONDS = 30;

type Services = 'activeService' | 'previewService';
/** The ReplicaSet that each Service selects, by its hash; undefined while it selects all pods. */
type Selected = Record<Services, string | undefined>;

/**
 * Creates all new pods next to the old ones and then switches the active Service to them.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/bluegreen.go
 */
export async function rollBlueGreen(reconcile: ArgoReconcile, strategy: BlueGreenStrategy): Promise<void> {
  const selected: Selected = { activeService: undefined, previewService: undefined };
  for (const member of ['activeService', 'previewService'] as const) {
    const name = strategy[member];
    const service = name === undefined ? {} : await readService(reconcile, name);
    if (service === undefined)
      return saveInvalid(
        reconcile,
        `spec.strategy.blueGreen.${member}: Invalid value: "${name}": service "${name}" not found`,
      );
    selected[member] = textAt(service, 'spec', 'selector', HASH_LABEL);
  }
  await numberFresh(reconcile);
  const point = async (member: Services) => {
    const name = strategy[member];
    if (name !== undefined && selected[member] !== reconcile.hash) await pointToFresh(reconcile, name);
    if (name !== undefined) selected[member] = reconcile.hash;
  };
  if (!reconcile.isHalted) await point('previewService');
  if (reconcile.hasNewTemplate)
    return saveStatus(reconcile, atTheBeginning(reconcile, statusOf(reconcile, selected)));
  const progress = advanceToSwitch(reconcile, strategy, selected);
  const restartedAt = await restartPods(reconcile);
  await resize(reconcile, strategy);
  if (progress.kind === 'moves') await point('activeService');
  const draft = { ...statusOf(reconcile, selected), restartedAt };
  await saveStatus(reconcile, moved(reconcile, draft, progress));
}

/** Undefined where there is none. */
async function readService(reconcile: ArgoReconcile, name: string) {
  try {
    const object = await reconcile.manager.transport.json({ method: 'GET', path: pathOf(reconcile, name) });
    return isJsonObject(object) ? object : undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** Makes the Service select only the new pods. */
async function pointToFresh(reconcile: ArgoReconcile, name: string): Promise<void> {
  await reconcile.manager.transport.json({
    method: 'PATCH',
    path: pathOf(reconcile, name),
    query: { fieldManager: 'rollouts-controller' },
    contentType: 'application/merge-patch+json',
    body: stringifyGo({ spec: { selector: { [HASH_LABEL]: reconcile.hash } } }),
  });
  reconcile.record('SwitchService', `Switched selector for service '${name}' to '${reconcile.hash}'`);
}

function pathOf({ rollout }: ArgoReconcile, service: string): string {
  return pathTo('api', 'v1', 'namespaces', rollout.metadata.namespace ?? 'default', 'services', service);
}

/** How the one step of a blue-green goes on: all new pods, and a pause where there is to be one. */
function advanceToSwitch(
  reconcile: ArgoReconcile,
  { autoPromotionEnabled, autoPromotionSeconds: seconds = 0 }: BlueGreenStrategy,
  { activeService }: Selected,
): Progress {
  const { fresh, rollout, skipsSteps, hash, isHalted } = reconcile;
  const { replicas } = rollout.spec;
  if (rollout.status.abort === true || isHalted) return { kind: 'waits' };
  // Pods that are scheduled for deletion allow a quick return.
  const isStillUp = fresh?.metadata.annotations?.[SCALE_DOWN_DEADLINE] !== undefined;
  const isFast = isStillUp || skipsSteps || activeService === undefined || activeService === hash;
  const needsPause = !isFast && (autoPromotionEnabled === false || seconds > 0);
  const step: Step = {
    stages: needsPause ? ['size', 'pause'] : ['size'],
    pauseMs: seconds > 0 ? seconds * 1000 : undefined,
  };
  const seen = reconcile.see(fresh?.spec.replicas === replicas && availableOf(fresh) === replicas, 'passed');
  const sized = advance([step], { step: 0, stage: 'size' }, seen);
  return sized.kind === 'moves' && sized.to.stage === 'pause' ? advance([step], sized.to, seen) : sized;
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
  if (draft.stableRS === undefined) return promote(reconcile, draft, 'Initial deploy');
  if (progress.kind === 'moves') return promote(reconcile, resume(draft), 'Completed blue-green update');
  return waiting(reconcile, draft, progress, 'BlueGreenPause');
}

/** With the counts of the pods that receive the traffic. */
function statusOf(reconcile: ArgoReconcile, { activeService, previewService }: Selected): ArgoStatus {
  const draft: ArgoStatus = {
    ...draftStatus(reconcile),
    blueGreen: { activeSelector: activeService, previewSelector: previewService },
  };
  const serving = reconcile.sets.find((set) => hashOf(set) === activeService);
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
