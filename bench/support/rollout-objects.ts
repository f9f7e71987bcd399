import { appTemplate, selectorOf } from '@/e2e/controlplane/app-template';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { seedNamespace } from '@/e2e/controlplane/seed';
import { installKruise } from '@/e2e/support/install-crds';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';

export const ROLLOUTS = { rollouts: 500, steps: 10, podsEach: 40 };
/** The step that each of them waits at. */
const WAITING_AT = 4;

const NAMESPACES = 20;
const CONCURRENCY = 24;
const PODS_A_STEP = ROLLOUTS.podsEach / ROLLOUTS.steps;
const GROUP = 'rollouts.kruise.io';

/** Namespace and name of a rollout; its Deployment and its Rollout have the same name. */
export function rolloutAt(index: number): { namespace: string; name: string } {
  return {
    namespace: `rollout-${String(index % NAMESPACES).padStart(2, '0')}`,
    name: `app-${String(index).padStart(3, '0')}`,
  };
}

export function rolloutPath(index: number): string {
  const { namespace, name } = rolloutAt(index);
  return `/apis/${GROUP}/v1beta1/namespaces/${namespace}/rollouts/${name}`;
}

/** Status of a rollout that waits at that step, or was just approved. */
export function statusOf(index: number, state: 'StepPaused' | 'StepReady'): JsonObject {
  const hashes = hashesOf(index);
  return {
    observedGeneration: 1,
    phase: 'Progressing',
    message: `Rollout is in step(${WAITING_AT}/${ROLLOUTS.steps}), and you need manually confirm to enter the next step`,
    currentStepIndex: WAITING_AT,
    currentStepState: state,
    conditions: [
      {
        type: 'Progressing',
        status: 'True',
        reason: 'InRolling',
        message: 'Rollout is in Progressing',
        lastTransitionTime: '2026-11-21T08:00:00Z',
        lastUpdateTime: '2026-11-21T08:00:00Z',
      },
    ],
    canaryStatus: {
      observedWorkloadGeneration: 1,
      observedRolloutID: hashes.updated,
      canaryRevision: hashes.updated,
      stableRevision: hashes.stable,
      podTemplateHash: hashes.updated,
      currentStepIndex: WAITING_AT,
      nextStepIndex: WAITING_AT + 1,
      currentStepState: state,
      finalisingStep: '',
      canaryReplicas: WAITING_AT * PODS_A_STEP,
      canaryReadyReplicas: WAITING_AT * PODS_A_STEP,
      lastUpdateTime: '2026-11-21T08:10:00Z',
    },
  };
}

/**
 * Deployments in the middle of a rollout in ten steps, as their controllers would have left them: labeled pods and
 * all.
 */
export async function seedRollouts(cluster: ControlPlane, count = ROLLOUTS.rollouts): Promise<void> {
  await installKruise(cluster.client());
  await Promise.all(
    Array.from({ length: NAMESPACES }, (_, index) => seedNamespace(cluster, rolloutAt(index).namespace)),
  );
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) await seedRollout(cluster, next++);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}

async function seedRollout(cluster: ControlPlane, index: number): Promise<void> {
  const client = cluster.client();
  const { namespace, name } = rolloutAt(index);
  const apps = `/apis/apps/v1/namespaces/${namespace}`;
  const hashes = hashesOf(index);
  const labels = selectorOf({ name });
  const deployment = await client.create<KubeObject>(`${apps}/deployments`, {
    metadata: { name, labels, annotations: { 'deployment.kubernetes.io/revision': '2' } },
    spec: {
      replicas: ROLLOUTS.podsEach,
      paused: true,
      selector: { matchLabels: labels },
      template: templateAt(index, 2),
    },
  });
  for (const [revision, hash, size] of [
    [1, hashes.stable, ROLLOUTS.podsEach - WAITING_AT * PODS_A_STEP],
    [2, hashes.updated, WAITING_AT * PODS_A_STEP],
  ] as const) {
    const own = { ...labels, 'pod-template-hash': hash };
    const template = templateAt(index, revision);
    const set = await client.create<KubeObject>(`${apps}/replicasets`, {
      metadata: {
        name: `${name}-${hash}`,
        labels: own,
        annotations: { 'deployment.kubernetes.io/revision': String(revision) },
        ownerReferences: [ownedBy(deployment, 'Deployment')],
      },
      spec: {
        replicas: size,
        selector: { matchLabels: own },
        template: { ...template, metadata: { labels: own } },
      },
    });
    for (let place = 0; place < size; place += 1)
      await client.create(
        `/api/v1/namespaces/${namespace}/pods`,
        podOf(set, own, template, revision === 2 ? place : null),
      );
  }
  await client.create(`/apis/${GROUP}/v1beta1/namespaces/${namespace}/rollouts`, {
    apiVersion: `${GROUP}/v1beta1`,
    kind: 'Rollout',
    metadata: { name },
    spec: {
      workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      strategy: {
        canary: {
          steps: Array.from({ length: ROLLOUTS.steps }, (_, step) => ({
            replicas: `${((step + 1) * 100) / ROLLOUTS.steps}%`,
            pause: {},
          })),
        },
      },
    },
  });
  await client.patch(`${rolloutPath(index)}/status`, { status: statusOf(index, 'StepPaused') });
}

/** `place`, the index among the pods of the new revision, determines the step; null for an old pod. */
function podOf(
  set: KubeObject,
  labels: Record<string, string>,
  template: JsonObject,
  place: number | null,
): object {
  const batch =
    place === null ? {} : { [`${GROUP}/rollout-batch-id`]: String(Math.floor(place / PODS_A_STEP) + 1) };
  const id = place === null ? {} : { [`${GROUP}/rollout-id`]: labels['pod-template-hash'] };
  return {
    metadata: {
      generateName: `${set.metadata.name}-`,
      labels: { ...labels, ...id, ...batch },
      ownerReferences: [ownedBy(set, 'ReplicaSet')],
    },
    spec: { ...(template.spec as JsonObject), automountServiceAccountToken: false },
  };
}

function ownedBy({ metadata }: KubeObject, kind: string): object {
  const { name, uid } = metadata;
  return { apiVersion: 'apps/v1', kind, name, uid, controller: true, blockOwnerDeletion: true };
}

function hashesOf(index: number): { stable: string; updated: string } {
  const text = String(index).padStart(3, '0');
  return { stable: `5b7c9d${text}`, updated: `6c8d7f${text}` };
}

function templateAt(index: number, revision: number): JsonObject {
  const { namespace, name } = rolloutAt(index);
  return appTemplate({
    name,
    namespace,
    image: `registry.example.com/${namespace}/${name}`,
    tag: `1.${revision}.${index % 10}`,
    port: 8080,
    env: { LOG_LEVEL: 'info' },
    cpu: '100m',
    memory: '128Mi',
    probe: '/readyz',
  });
}
