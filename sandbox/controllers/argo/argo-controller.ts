import type { KubeObject } from '@/lib/kube/object';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import type { Worklist } from '@/server/controllers/engine/work-queue';
import { runAnalyses } from '@/sandbox/controllers/argo/analysis';
import { type ArgoKinds, ArgoReconcile } from '@/sandbox/controllers/argo/argo-reconcile';
import { type ArgoResource, WORKLOAD_GENERATION } from '@/sandbox/controllers/argo/argo-rollout';
import { rollBlueGreen } from '@/sandbox/controllers/argo/blue-green';
import { rollCanary } from '@/sandbox/controllers/argo/canary';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import type { ObjectChange } from '@/sandbox/controllers/runtime/informer';
import { ownerKey } from '@/sandbox/controllers/runtime/owners';
import type { Resource } from '@/sandbox/controllers/runtime/resource';
import { isDeleting } from '@/sandbox/controllers/objects/pod';

type Change = ObjectChange<KubeObject>;

/** The real controller takes 0.1 to 0.5 s; for so long a template has no ReplicaSet. */
const REACTION_MS = 300;

/**
 * Simulates the canary and blue-green strategies of Argo Rollouts, wherever its kinds are served: without
 * routing of traffic, experiments, and step plugins.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/controller.go
 */
export function runArgoRollouts(manager: ControllerManager): void {
  const kinds: ArgoKinds = {
    rollouts: manager.follow('rollouts.argoproj.io'),
    analysisRuns: manager.follow('analysisruns.argoproj.io'),
    analysisTemplates: manager.follow('analysistemplates.argoproj.io'),
  };
  runAnalyses(manager, kinds.analysisRuns);
  const work = manager.register((key) => sync(manager, kinds, work, key));
  const react = (key: ObjectKey, { object, before }: Change) => {
    if (object?.metadata.generation === before?.metadata.generation) work.add(key);
    else work.addAfter(key, REACTION_MS);
  };
  const onOwned = ({ object, before }: Change) => {
    const { resource } = kinds.rollouts;
    const owned = object ?? before;
    const key = resource === undefined || owned === undefined ? undefined : ownerKey(resource, owned);
    if (key !== undefined) work.add(key);
  };
  kinds.rollouts.onChange((change) => {
    if (change.object !== undefined) react(keyOf(change.object), change);
  });
  manager.deployments.store.onChange((change) => {
    const { name, namespace } = change.object?.metadata ?? {};
    for (const rollout of kinds.rollouts.resource?.store.inNamespace(namespace) ?? [])
      if (name !== undefined && rollout.spec.workloadRef?.name === name) react(keyOf(rollout), change);
  });
  kinds.analysisRuns.onChange(onOwned);
  manager.replicaSets.store.onChange(onOwned);
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
  const referred = await withReferredTemplate(manager, rollouts, stored);
  const rollout = { ...referred, spec: { ...referred.spec, replicas: referred.spec.replicas ?? 1 } };
  const { template, strategy } = rollout.spec;
  if (template === undefined || strategy === undefined) return;
  const requeueAfter = (ms: number) => work.addAfter(key, Math.max(0, ms));
  const reconcile = new ArgoReconcile(manager, kinds, rollouts, rollout, requeueAfter);
  if (strategy.blueGreen === undefined) await rollCanary(reconcile);
  else await rollBlueGreen(reconcile, strategy.blueGreen);
}

/**
 * The Rollout with the template of the Deployment that it refers to, whose generation is noted, and whose own
 * pods are deleted once the Rollout has replaced them, where that is requested. Unchanged where the Rollout
 * has a template of its own, or the Deployment does not exist.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/templateref.go
 */
async function withReferredTemplate(
  manager: ControllerManager,
  rollouts: Resource<ArgoResource>,
  rollout: ArgoResource,
): Promise<ArgoResource> {
  const { name, scaleDown } = rollout.spec.workloadRef ?? {};
  const deployments = manager.deployments.as('rollouts-controller');
  const deployment = deployments.store
    .inNamespace(rollout.metadata.namespace)
    .find(({ metadata }) => metadata.name === name);
  if (deployment === undefined) return rollout;
  const isReplaced = scaleDown === 'onsuccess' && rollout.status.phase === 'Healthy';
  if (isReplaced && deployment.spec.replicas > 0)
    await deployments.merge(deployment, { spec: { replicas: 0 } });
  const generation = String(deployment.metadata.generation ?? 0);
  const isNoted = rollout.metadata.annotations?.[WORKLOAD_GENERATION] === generation;
  const note = { metadata: { annotations: { [WORKLOAD_GENERATION]: generation } } };
  const { metadata } = isNoted ? rollout : await rollouts.merge(rollout, note);
  return { ...rollout, metadata, spec: { ...rollout.spec, template: deployment.spec.template } };
}
