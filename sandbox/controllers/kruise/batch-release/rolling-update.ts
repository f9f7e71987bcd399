import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { numberAt, objectAt, textAt } from '@/lib/kube/read';
import { type IntOrString } from '@/sandbox/controllers/objects/workloads';

const FLAT_TYPES = ['ReCreate', 'InPlaceIfPossible', 'InPlaceOnly'];
const FLAT_MEMBERS = ['partition', 'paused', 'maxUnavailable', 'maxSurge'];

type Rolling = Partial<
  Record<'partition' | 'maxSurge' | 'maxUnavailable', IntOrString | null> & { paused: boolean | null }
>;

/**
 * The update strategy of a workload as a fragment of its spec, at the path that the object uses. Null
 * restores the default.
 */
export function rollingPatch(workload: KubeObject, rolling: Rolling): JsonObject {
  return { updateStrategy: isFlat(workload) ? rolling : { rollingUpdate: rolling } };
}

export function rollingValue(
  workload: KubeObject,
  member: 'partition' | 'maxSurge' | 'maxUnavailable',
): IntOrString | undefined {
  const path = isFlat(workload) ? ['updateStrategy'] : ['updateStrategy', 'rollingUpdate'];
  return textAt(workload.spec, ...path, member) ?? numberAt(workload.spec, ...path, member);
}

/** A CloneSet as v1alpha1 writes it; a server without conversion stores it so in every version. */
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
