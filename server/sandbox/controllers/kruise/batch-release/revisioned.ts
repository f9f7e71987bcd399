import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { numberAt, objectAt, textAt } from '@/lib/workloads/read';
import {
  CONTROL_INFO,
  type ReleasePlan,
} from '@/server/sandbox/controllers/kruise/batch-release/batch-release-object';
import {
  type Control,
  controlInfo,
  type Held,
  isHeld,
  type Target,
  workloadPatch,
} from '@/server/sandbox/controllers/kruise/batch-release/control';
import {
  CONTROLLER_REVISION_HASH,
  hashPart,
  POD_TEMPLATE_HASH,
} from '@/server/sandbox/controllers/kruise/rollout/workload';
import { isControlledBy } from '@/server/sandbox/controllers/objects/owner';
import { isActive, isReady, type Pod } from '@/server/sandbox/controllers/objects/pod';
import { type IntOrString } from '@/server/sandbox/controllers/objects/workloads';

const FLAT_TYPES = ['ReCreate', 'InPlaceIfPossible', 'InPlaceOnly'];
const FLAT_MEMBERS = ['partition', 'paused', 'maxUnavailable', 'maxSurge'];

/**
 * Kinds whose own controllers update pods down to a partition.
 * https://github.com/openkruise/rollouts/tree/master/pkg/controller/batchrelease/control/partitionstyle
 */
export function revisionedControl(held: Held): Control {
  const { world, resource, workload } = held;
  const update = textAt(workload.status, 'updateRevision') ?? textAt(workload.status, 'daemonSetHash') ?? '';
  const stable = textAt(workload.status, 'currentRevision');
  const pods = world.pods.store
    .in(workload.metadata.namespace)
    .filter((pod) => isControlledBy(pod, workload) && isActive(pod));
  const updatedPods = pods.filter((pod) => isOf(pod, update));

  return {
    revisions: () => ({ ...(stable !== undefined && { stable }), update }),
    prepare: async () => {
      if (isHeld(held)) return true;
      await resource.merge(workload, workloadPatch(controlInfo(held.batchRelease), {}, {}));
      return false;
    },
    upgrade: async (target: Target) => {
      const kept = keptOf(workload, target);
      if (!isPatched(workload, kept))
        await resource.merge(workload, { spec: partitionPatch(workload, kept) });
    },
    counts: () => ({
      updated: numberAt(workload.status, 'updatedReplicas') ?? updatedPods.length,
      updatedReady: numberAt(workload.status, 'updatedReadyReplicas') ?? updatedPods.filter(isReady).length,
    }),
    updatedPods: () => updatedPods,
    release: async (plan: ReleasePlan) => {
      const promotes = plan.batchPartition === undefined;
      if (workload.metadata.annotations?.[CONTROL_INFO] !== undefined) {
        const spec = promotes ? partitionPatch(workload, null) : {};
        await resource.merge(workload, workloadPatch({ [CONTROL_INFO]: null }, {}, spec));
        return false;
      }
      return !promotes || plan.finalizingPolicy !== 'WaitResume' || isAllUpdated(workload, updatedPods);
    },
  };
}

function isOf({ metadata }: Pod, update: string): boolean {
  const { labels = {} } = metadata;
  const own = labels[CONTROLLER_REVISION_HASH] ?? labels[POD_TEMPLATE_HASH] ?? '';
  return own !== '' && update !== '' && hashPart(own) === hashPart(update);
}

/** How many or which share stay old; a share wherever one says exactly that. */
function keptOf({ kind }: KubeObject, { part, size, replicas }: Target): IntOrString {
  const kept = replicas - size;
  if (kind !== 'CloneSet' || typeof part === 'number' || replicas === 0) return kept;
  const percent = Math.floor((kept * 100) / replicas);
  return Math.ceil((percent * replicas) / 100) === kept ? `${percent}%` : kept;
}

/** In the place where the object has it; null gives the default, which is none. */
function partitionPatch(workload: KubeObject, partition: IntOrString | null): JsonObject {
  return { updateStrategy: isFlat(workload) ? { partition } : { rollingUpdate: { partition } } };
}

/** A CloneSet as v1alpha1 writes it; a server that does not convert keeps it so in every version. */
function isFlat({ kind, apiVersion, spec }: KubeObject): boolean {
  if (kind !== 'CloneSet') return false;
  const strategy = objectAt(spec, 'updateStrategy') ?? {};
  const type = textAt(strategy, 'type') ?? '';
  return (
    apiVersion.endsWith('/v1alpha1') ||
    FLAT_TYPES.includes(type) ||
    FLAT_MEMBERS.some((member) => strategy[member] !== undefined)
  );
}

function isPatched(workload: KubeObject, target: IntOrString): boolean {
  const path = isFlat(workload) ? ['updateStrategy'] : ['updateStrategy', 'rollingUpdate'];
  return textOrNumber(workload.spec, ...path, 'partition') === target;
}

function textOrNumber(spec: JsonObject | undefined, ...path: string[]): IntOrString | undefined {
  return textAt(spec, ...path) ?? numberAt(spec, ...path);
}

function isAllUpdated({ spec, status, metadata }: KubeObject, updated: readonly Pod[]): boolean {
  if (numberAt(status, 'observedGeneration') !== metadata.generation) return false;
  const wanted = numberAt(spec, 'replicas') ?? numberAt(status, 'desiredNumberScheduled') ?? 0;
  return updated.filter(isReady).length >= wanted;
}
