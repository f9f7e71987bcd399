import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import type { RolloutFacts } from '@/lib/rollout/rollout-facts';
import { argoRollout } from '@/lib/argo/argo-rollout';
import {
  at,
  historyInputOf,
  object,
  pod,
  type Parts,
  template,
  WORKLOAD_UID,
} from '@/lib/workloads/testing/objects';

export const FOUR_STEPS: JsonObject[] = [
  { setWeight: 20 },
  { pause: {} },
  { setWeight: 60 },
  { pause: { duration: '1m' } },
];

export interface ArgoParts extends Parts {
  image?: string;
  template?: JsonObject;
  strategy?: JsonObject;
  spec?: JsonObject;
  status?: JsonObject;
}

/** A Rollout as the API server returns it, by default with its spec observed by the controller. */
export function argoObject(parts: ArgoParts = {}): KubeObject {
  const { image = '2', strategy = { canary: { steps: FOUR_STEPS } } } = parts;
  return {
    ...object(
      'Rollout',
      {
        uid: WORKLOAD_UID,
        owner: null,
        ...parts,
        annotations: { 'rollout.argoproj.io/revision': '2', ...parts.annotations },
      },
      {
        spec: { replicas: 5, template: parts.template ?? template(image), strategy, ...parts.spec },
        ...(parts.status && { status: { observedGeneration: '1', ...parts.status } }),
      },
    ),
    apiVersion: 'argoproj.io/v1alpha1',
  };
}

export interface SetParts extends Parts {
  history?: string;
  replicas?: number;
  ready?: number;
  ephemeral?: JsonObject;
  template?: JsonObject;
}

/** A ReplicaSet of the Rollout; its hash is `h` and the image. */
export function argoSet(revision: number | string, image: string, parts: SetParts = {}): KubeObject {
  const hash = `h${image}`;
  const body = parts.template ?? template(image);
  const { labels, annotations } = (parts.ephemeral ?? {}) as Record<string, Record<string, string>>;
  const set = object(
    'ReplicaSet',
    {
      name: `checkout-${hash}`,
      ...parts,
      labels: { 'rollouts-pod-template-hash': hash },
      annotations: {
        'rollout.argoproj.io/revision': String(revision),
        ...(parts.history !== undefined && { 'rollout.argoproj.io/revision-history': parts.history }),
        ...(parts.ephemeral && { 'rollout.argoproj.io/ephemeral-metadata': JSON.stringify(parts.ephemeral) }),
        ...parts.annotations,
      },
    },
    {
      spec: {
        replicas: parts.replicas ?? 0,
        template: {
          ...body,
          metadata: {
            labels: { app: 'checkout', ...labels, 'rollouts-pod-template-hash': hash },
            ...(annotations && { annotations }),
          },
        },
      },
      status: {
        replicas: parts.replicas ?? 0,
        readyReplicas: parts.ready ?? parts.replicas ?? 0,
        availableReplicas: parts.ready ?? parts.replicas ?? 0,
        observedGeneration: 1,
      },
    },
  );
  for (const owner of set.metadata.ownerReferences ?? []) {
    owner.apiVersion = 'argoproj.io/v1alpha1';
    owner.kind = 'Rollout';
  }
  return set;
}

/** Ready pods of a ReplicaSet, as many as it has. */
export function argoPods(set: KubeObject, created = 1): KubeObject[] {
  const count = Number(set.spec?.replicas ?? 0);
  return Array.from({ length: count }, (_, index) =>
    pod(`${set.metadata.name}-${index}`, { owner: set.metadata.uid, created }),
  );
}

export function argoFacts(rollout: KubeObject, sets: readonly KubeObject[]): RolloutFacts {
  const input = historyInputOf(
    argoRollout,
    rollout,
    sets,
    sets.flatMap((set) => argoPods(set)),
  );
  const { workload, pods } = input;
  return {
    workload,
    history: argoRollout.history(input),
    pods,
    desired: argoRollout.settings(workload).desiredPods,
  };
}

/** Revision 1 is stable with four pods, 2 the canary with one, and the rollout waits in its second step. */
export function waitingCanary(parts: ArgoParts = {}): { rollout: KubeObject; sets: KubeObject[] } {
  const rollout = argoObject({
    ...parts,
    status: {
      phase: 'Paused',
      message: 'CanaryPauseStep',
      currentPodHash: 'h2',
      stableRS: 'h1',
      currentStepIndex: 1,
      controllerPause: true,
      pauseConditions: [{ reason: 'CanaryPauseStep', startTime: at(3) }],
      replicas: 5,
      updatedReplicas: 1,
      readyReplicas: 5,
      availableReplicas: 5,
      ...parts.status,
    },
  });
  const sets = [argoSet(1, '1', { replicas: 4, created: 0 }), argoSet(2, '2', { replicas: 1, created: 2 })];
  return { rollout, sets };
}
