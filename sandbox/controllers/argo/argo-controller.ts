import { type KubeObject } from '@/lib/kube/object';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import { runAnalyses } from '@/sandbox/controllers/argo/analysis-runs';
import { type ArgoKinds, followArgo } from '@/sandbox/controllers/argo/argo-kinds';
import { withDefaults, stepsOf } from '@/sandbox/controllers/argo/argo-rollout';
import { rollBlueGreen } from '@/sandbox/controllers/argo/blue-green';
import { rollCanary } from '@/sandbox/controllers/argo/canary';
import { ArgoReconcile } from '@/sandbox/controllers/argo/argo-reconcile';
import { refersTo, withReferredTemplate } from '@/sandbox/controllers/argo/workload-ref';
import { type ObjectChange } from '@/sandbox/controllers/engine/informer';
import { ownerKey } from '@/sandbox/controllers/engine/owners';
import { type Worklist } from '@/server/controllers/engine/work-queue';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { isDeleting } from '@/sandbox/controllers/objects/pod';
import { deepEqual } from '@/lib/kube/json';
import { parseLabelSelector } from '@/lib/kube/selector';
import { phaseOf } from '@/sandbox/controllers/argo/phase';
import { readService } from '@/sandbox/controllers/argo/services';
import { newCondition, withCondition, withoutCondition } from '@/sandbox/controllers/deployment/conditions';

/** A Service may be created later; no watch reports it. */
const REQUEUE_MS = 10_000;

/**
 * The error that prevents a Rollout from being reconciled; undefined without one. Covers the common mistakes,
 * not all that upstream rejects.
 * https://github.com/argoproj/argo-rollouts/blob/master/pkg/apis/rollouts/validation/validation.go
 */
async function invalidityOf(reconcile: ArgoReconcile): Promise<string | undefined> {
  const { selector, strategy, template } = reconcile.rollout.spec;
  const { canary, blueGreen } = strategy ?? {};
  if (template === undefined || parseLabelSelector(selector ?? {}).length === 0)
    return "spec.selector: Required value: Rollout has missing field '.spec.selector'";
  if (canary === undefined && blueGreen === undefined)
    return "spec.strategy.strategy: Required value: Rollout has missing field '.spec.strategy.canary or .spec.strategy.blueGreen'";
  const scaled = stepsOf(reconcile.rollout.spec).findIndex(
    ({ setCanaryScale }) => setCanaryScale !== undefined,
  );
  if (scaled >= 0 && canary?.trafficRouting === undefined)
    return `spec.strategy.canary.steps[${scaled}].setCanaryScale: Invalid value: SetCanaryScale requires TrafficRouting to be set`;
  const services = {
    'canary.stableService': canary?.stableService,
    'canary.canaryService': canary?.canaryService,
    'blueGreen.activeService': blueGreen?.activeService,
    'blueGreen.previewService': blueGreen?.previewService,
  };
  for (const [member, name] of Object.entries(services))
    if (name !== undefined && (await readService(reconcile, name)) === undefined)
      return `spec.strategy.${member}: Invalid value: "${name}": service "${name}" not found`;
  return undefined;
}

/** Reports it in the status, and changes nothing else. */
async function saveInvalid(reconcile: ArgoReconcile, problem: string): Promise<void> {
  const { rollout, manager } = reconcile;
  const { name, generation } = rollout.metadata;
  const before = rollout.status.conditions ?? [];
  const message = `The Rollout "${name}" is invalid: ${problem}`;
  const condition = newCondition(manager.now(), 'InvalidSpec', 'True', 'InvalidSpec', message);
  const known = before.find(({ type }) => type === 'InvalidSpec');
  const conditions =
    known?.message === message ? before : withCondition(withoutCondition(before, 'InvalidSpec'), condition);
  const judged = { ...rollout.status, conditions, observedGeneration: String(generation ?? 0) };
  const status = { ...judged, ...phaseOf(rollout.spec, judged) };
  reconcile.requeueAfter(REQUEUE_MS);
  if (!deepEqual(status, rollout.status)) await reconcile.rollouts.replaceStatus({ ...rollout, status });
}

type Change = ObjectChange<KubeObject>;

/** The real controller takes 0.1 to 0.5 s; for so long a template has no ReplicaSet. */
const REACTION_MS = 300;

/**
 * Simulates the canary and blue-green strategies of Argo Rollouts, wherever its kinds are served: without
 * experiments and step plugins, and without the objects that route requests.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/controller.go
 */
export function runArgoRollouts(manager: ControllerManager): void {
  const kinds = followArgo(manager);
  runAnalyses(manager, kinds);
  const work = manager.register((key) => sync(manager, kinds, work, key));
  const react = (key: ObjectKey, { object, before }: Change) => {
    if (object?.metadata.generation === before?.metadata.generation) work.add(key);
    else work.addAfter(key, REACTION_MS);
  };
  kinds.rollouts.onChange((change) => {
    if (change.object !== undefined) react(keyOf(change.object), change);
  });
  const onOwned = ({ object, before }: Parameters<Parameters<typeof kinds.analysisRuns.onChange>[0]>[0]) => {
    const { resource } = kinds.rollouts;
    const owned = object ?? before;
    const key = resource === undefined || owned === undefined ? undefined : ownerKey(resource, owned);
    if (key !== undefined) work.add(key);
  };
  manager.deployments.store.onChange((change) => {
    const { object } = change;
    if (object === undefined) return;
    for (const rollout of kinds.rollouts.resource?.store.inNamespace(object.metadata.namespace) ?? [])
      if (refersTo(rollout, object)) react(keyOf(rollout), change);
  });
  kinds.analysisRuns.onChange(onOwned);
  manager.replicaSets.store.onChange(onOwned as Parameters<typeof manager.replicaSets.store.onChange>[0]);
}

async function sync(
  manager: ControllerManager,
  kinds: ArgoKinds,
  work: Worklist,
  key: ObjectKey,
): Promise<void> {
  const rollouts = kinds.rollouts.resource?.as('rollouts-controller');
  const stored = rollouts?.store.get(key);
  if (rollouts === undefined || stored === undefined || isDeleting(stored)) return;
  const rollout = withDefaults(await withReferredTemplate(manager, rollouts, stored));
  const reconcile = new ArgoReconcile({ manager, kinds, rollouts, rollout, work, key });
  const problem = await invalidityOf(reconcile);
  if (problem !== undefined) return saveInvalid(reconcile, problem);
  const { blueGreen } = rollout.spec.strategy;
  if (blueGreen === undefined) await rollCanary(reconcile);
  else await rollBlueGreen(reconcile, blueGreen);
}
