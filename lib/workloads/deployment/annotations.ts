import type { RevisionSource, Workload } from '@/lib/history/workload';
import { isRolloutMetadata } from '@/lib/workloads/kruise-rollout-metadata';
import { pointer, setTested } from '@/lib/workloads/patch';
import type { JsonPatchOperation } from '@/lib/workloads/plan';
import { CHANGE_CAUSE } from '@/lib/workloads/template-facts';

/**
 * Annotations that a rollback of kubectl neither copies from a ReplicaSet nor removes from a Deployment.
 * https://github.com/kubernetes/kubectl/blob/master/pkg/polymorphichelpers/rollback.go
 */
const UNTOUCHED_ANNOTATIONS = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deployment.kubernetes.io/revision',
  'deployment.kubernetes.io/revision-history',
  'deployment.kubernetes.io/desired-replicas',
  'deployment.kubernetes.io/max-replicas',
  'deprecated.deployment.rollback.to',
]);

/** The annotations of the Deployment after a rollback as kubectl does it. */
interface AnnotationChange {
  key: string;
  before: string | undefined;
  after: string | undefined;
}

/**
 * Annotations that get the ReplicaSet's value, and those that are removed because the ReplicaSet lacks them.
 */
export function annotationChanges(workload: Workload, source: RevisionSource): AnnotationChange[] {
  const recorded: Record<string, string> = { ...source.annotations };
  if (source.changeCause !== null) recorded[CHANGE_CAUSE] = source.changeCause;
  const keys = new Set([...Object.keys(workload.annotations), ...Object.keys(recorded)]);
  return [...keys]
    .filter((key) => !UNTOUCHED_ANNOTATIONS.has(key) && !isRolloutMetadata(key))
    .map((key) => ({ key, before: own(workload.annotations, key), after: own(recorded, key) }))
    .filter(({ before, after }) => before !== after)
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

/**
 * Each annotation by itself, tested on what the viewer saw, so that values unknown to Shiplog stay unchanged.
 */
export function annotationPatch(
  workload: Workload,
  changes: readonly AnnotationChange[],
): JsonPatchOperation[] {
  if (!workload.hasLastApplied && Object.keys(workload.annotations).length === 0) {
    const added = changes.flatMap(({ key, after }) => (after === undefined ? [] : [[key, after] as const]));
    if (added.length === 0) return [];
    return setTested('/metadata/annotations', undefined, Object.fromEntries(added));
  }
  return changes.flatMap(({ key, before, after }): JsonPatchOperation[] => {
    const path = pointer('metadata', 'annotations', key);
    if (after !== undefined) return setTested(path, before, after);
    return [
      { op: 'test', path, value: before ?? null },
      { op: 'remove', path },
    ];
  });
}

function own(record: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
