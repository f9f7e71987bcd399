import { resolveAmount } from '@/lib/kube/amount';
import type { JsonObject } from '@/lib/kube/json';
import { numberAt, objectAt, objectIn } from '@/lib/kube/read';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import { findSets, type RolloutWorkload } from '@/sandbox/controllers/kruise/rollout/workload';
import { isReady } from '@/sandbox/controllers/objects/pod';
import type { IntOrString } from '@/sandbox/controllers/objects/workloads';

/** A merge patch of a workload: null removes a member, or restores its default. */
export interface WorkloadPatch {
  readonly annotations?: Record<string, string | null>;
  readonly labels?: Record<string, string | null>;
  readonly spec?: JsonObject;
}

/** How many pods are to be updated. */
export interface StepTarget {
  /** As the step has it. */
  readonly part: IntOrString;
  readonly size: number;
}

/** How a workload is updated in steps. */
export interface RollingStyle {
  /** Keeps its own controller from updating pods; applied once. */
  hold(): WorkloadPatch;
  upgrade(target: StepTarget): WorkloadPatch;
  /** Lets its own controller update all pods. */
  release(): WorkloadPatch;
  /** What its own controller does not do by itself; called again and again. */
  drive?(target: StepTarget): Promise<void>;
  /** Deletes what only the rollout needed. */
  cleanUp?(): Promise<void>;
}

/** Its own controller updates pods down to a partition. */
export function partitioned({ replicas }: RolloutWorkload): RollingStyle {
  const keep = (partition: number | null) => ({
    spec: { updateStrategy: { rollingUpdate: { partition } } },
  });
  return { hold: () => ({}), upgrade: ({ size }) => keep(replicas - size), release: () => keep(null) };
}

const ORIGINAL_STRATEGY = 'rollouts.kruise.io/original-deployment-strategy';
/** Pods that never reach this ready time keep the old ones running. */
const NEVER_AVAILABLE = { minReadySeconds: 2_147_483_646 };
const NEVER_DUE = { progressDeadlineSeconds: 2_147_483_647 };

/** All pods of both versions in one workload, by a surge that never completes. */
export function blueGreen(manager: ControllerManager, { object }: RolloutWorkload): RollingStyle {
  const { kind, metadata, spec } = object;
  const isDeployment = kind === 'Deployment';
  const strategy = isDeployment ? 'strategy' : 'updateStrategy';
  const rolling = (rollingUpdate: JsonObject) => ({ [strategy]: { rollingUpdate } });
  return {
    hold: () => {
      const { maxSurge = null, maxUnavailable = null } = objectAt(spec, strategy, 'rollingUpdate') ?? {};
      const original: JsonObject = { maxSurge, maxUnavailable };
      original.minReadySeconds = numberAt(spec, 'minReadySeconds') ?? 0;
      if (isDeployment) original.progressDeadlineSeconds = numberAt(spec, 'progressDeadlineSeconds') ?? 600;
      const held = isDeployment ? { ...NEVER_AVAILABLE, ...NEVER_DUE } : NEVER_AVAILABLE;
      return {
        annotations: { [ORIGINAL_STRATEGY]: JSON.stringify(original) },
        spec: { ...held, ...rolling({ maxSurge: 1, maxUnavailable: 0 }) },
      };
    },
    upgrade: ({ part }) => ({
      spec: isDeployment
        ? { paused: null, ...rolling({ maxSurge: part, maxUnavailable: 0 }) }
        : rolling({ partition: null, maxSurge: part, maxUnavailable: 0 }),
    }),
    release: () => {
      const original = objectIn(metadata.annotations?.[ORIGINAL_STRATEGY]) ?? {};
      const { maxSurge = null, maxUnavailable = null, ...times } = original;
      return {
        annotations: { [ORIGINAL_STRATEGY]: null },
        spec: { ...times, paused: null, ...rolling({ maxSurge, maxUnavailable, partition: null }) },
      };
    },
    drive: async () => {
      if (!isDeployment) return;
      // The Deployment controller passes the ready time on to the new ReplicaSet alone.
      for (const set of findSets(manager, object))
        if (set.spec.minReadySeconds !== NEVER_AVAILABLE.minReadySeconds)
          await manager.replicaSets.as('kruise-manager').merge(set, { spec: NEVER_AVAILABLE });
    },
  };
}

/** Written by the webhook, which replaces the type. */
const ORIGINAL_UPDATE_TYPE = 'rollouts.kruise.io/daemonset-original-update-strategy';

/** It has no partition: old pods are deleted as far as the step goes, and its own controller creates new ones. */
export function nativeDaemonSet(manager: ControllerManager, workload: RolloutWorkload): RollingStyle {
  const { object, pods, updatedPods, replicas } = workload;
  return {
    hold: () => ({ spec: { updateStrategy: { type: 'OnDelete' } } }),
    upgrade: () => ({}),
    release: () => ({
      annotations: { [ORIGINAL_UPDATE_TYPE]: null },
      spec: {
        updateStrategy: { type: object.metadata.annotations?.[ORIGINAL_UPDATE_TYPE] ?? 'RollingUpdate' },
      },
    }),
    drive: async ({ size }) => {
      const { maxUnavailable = 1 } = objectAt(object.spec, 'updateStrategy', 'rollingUpdate') ?? {};
      const tolerated = Math.max(1, resolveAmount(maxUnavailable, replicas, Math.ceil));
      // A node without a pod is about to get a new one.
      let left = size - updatedPods.length - (replicas - pods.length);
      let spare = tolerated - (replicas - pods.filter(isReady).length);
      const old = pods.filter((pod) => !updatedPods.includes(pod));
      for (const pod of [...old.filter((one) => !isReady(one)), ...old.filter(isReady)]) {
        if (left <= 0 || (isReady(pod) && spare <= 0)) return;
        if (isReady(pod)) spare -= 1;
        left -= 1;
        await manager.pods.as('kruise-manager').delete(pod);
      }
    },
  };
}
