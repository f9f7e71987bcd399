import type { Json, JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { objectAt, objectsAt, textAt } from '@/lib/kube/read';
import type { PodCondition, PodSpec } from '@/sandbox/controllers/objects/pod';

export type Taint = { key: string; value?: string; effect: string };

export type NodeSpec = { unschedulable?: boolean; taints?: Taint[]; podCIDR?: string };

type NodeStatus = {
  capacity?: Record<string, number | string>;
  allocatable?: Record<string, number | string>;
  addresses?: { type: string; address: string }[];
  conditions?: PodCondition[];
  nodeInfo?: Record<string, string>;
};

export interface KubeNode extends KubeObject {
  spec: NodeSpec;
  status: NodeStatus;
}

const REQUIRED = ['nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'] as const;

/**
 * Whether node selector and required node affinity allow the node.
 * https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/
 */
export function matchesAffinity({ nodeSelector, affinity }: PodSpec, node: KubeNode): boolean {
  const labels = node.metadata.labels ?? {};
  if (Object.entries(nodeSelector ?? {}).some(([key, value]) => labels[key] !== value)) return false;
  if (objectAt(affinity, ...REQUIRED) === undefined) return true;
  return objectsAt(affinity, ...REQUIRED, 'nodeSelectorTerms').some((term) => matchesTerm(term, node));
}

/** The node that a pod is bound to, or created for. */
export function targetNode(spec: PodSpec): string | undefined {
  if (spec.nodeName) return spec.nodeName;
  const fields = objectsAt(spec.affinity, ...REQUIRED, 'nodeSelectorTerms').flatMap((term) =>
    objectsAt(term, 'matchFields'),
  );
  const field = fields.find((candidate) => candidate.key === 'metadata.name' && candidate.operator === 'In');
  const values = Array.isArray(field?.values) ? field.values : [];
  return values.length === 1 && typeof values[0] === 'string' ? values[0] : undefined;
}

/** The first taint with one of these effects that no toleration covers. */
export function untolerated(
  taints: readonly Taint[],
  tolerations: readonly JsonObject[],
  effects: readonly string[],
): Taint | undefined {
  return taints.find(
    (taint) =>
      effects.includes(taint.effect) && !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
}

function tolerates(toleration: JsonObject, taint: Taint): boolean {
  const effect = textAt(toleration, 'effect') ?? '';
  const key = textAt(toleration, 'key') ?? '';
  if ((effect !== '' && effect !== taint.effect) || (key !== '' && key !== taint.key)) return false;
  if (toleration.operator === 'Exists') return true;
  return (textAt(toleration, 'value') ?? '') === (taint.value ?? '');
}

/** All requirements of a term must hold; an empty term matches nothing. */
function matchesTerm(term: JsonObject, node: KubeNode): boolean {
  const expressions = objectsAt(term, 'matchExpressions');
  const fields = objectsAt(term, 'matchFields');
  if (expressions.length + fields.length === 0) return false;
  const labels = node.metadata.labels ?? {};
  const byLabel = expressions.every((expression) =>
    meets(expression, labels[textAt(expression, 'key') ?? '']),
  );
  return (
    byLabel && fields.every((field) => field.key === 'metadata.name' && meets(field, node.metadata.name))
  );
}

function meets({ operator, values }: JsonObject, actual: string | undefined): boolean {
  const listed: readonly Json[] = Array.isArray(values) ? values : [];
  switch (operator) {
    case 'In':
      return actual !== undefined && listed.includes(actual);
    case 'NotIn':
      return actual === undefined || !listed.includes(actual);
    case 'Exists':
      return actual !== undefined;
    case 'DoesNotExist':
      return actual === undefined;
    default:
      return false;
  }
}
