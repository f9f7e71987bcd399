import { type JsonObject } from '@/lib/kube/json';
import { objectAt, objectsAt } from '@/lib/kube/read';
import { type PodSpec, type PodTemplateSpec } from '@/sandbox/controllers/objects/pod';
import { type DaemonSet } from '@/sandbox/controllers/objects/workloads';
import { REVISION_LABEL } from '@/sandbox/controllers/revisions/controller-revisions';

const GENERATION_LABEL = 'pod-template-generation';
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

/** The template of the pods, with the labels of their revision and the tolerations of daemons. */
export function daemonTemplate(set: DaemonSet, hash: string): PodTemplateSpec {
  const { metadata, spec } = set.spec.template;
  // The API server counts changes of the template in an annotation.
  const generation = set.metadata.annotations?.['deprecated.daemonset.template.generation'];
  const labels: Record<string, string> = { ...metadata?.labels, [REVISION_LABEL]: hash };
  if (generation !== undefined) labels[GENERATION_LABEL] = generation;
  return { metadata: { ...metadata, labels }, spec: { ...spec, tolerations: daemonTolerations(spec) } };
}

/** Bound to one node by an affinity, so that the scheduler still checks whether the pod fits. */
export function forNode({ metadata, spec }: PodTemplateSpec, node: string): PodTemplateSpec {
  const term = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] };
  const nodeAffinity = {
    ...objectAt(spec.affinity, 'nodeAffinity'),
    [REQUIRED]: { ...objectAt(spec.affinity, 'nodeAffinity', REQUIRED), nodeSelectorTerms: [term] },
  };
  return { metadata, spec: { ...spec, affinity: { ...spec.affinity, nodeAffinity } } };
}

/** https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/#taints-and-tolerations */
export function daemonTolerations(spec: PodSpec): JsonObject[] {
  const added = [
    toleration('not-ready', 'NoExecute'),
    toleration('unreachable', 'NoExecute'),
    toleration('disk-pressure', 'NoSchedule'),
    toleration('memory-pressure', 'NoSchedule'),
    toleration('pid-pressure', 'NoSchedule'),
    toleration('unschedulable', 'NoSchedule'),
    ...(spec.hostNetwork === true ? [toleration('network-unavailable', 'NoSchedule')] : []),
  ];
  const present = objectsAt(spec, 'tolerations');
  const isSame = (a: JsonObject, b: JsonObject) =>
    a.key === b.key &&
    a.effect === b.effect &&
    a.operator === b.operator &&
    (a.value ?? '') === (b.value ?? '');
  const replaced = present.map((own) => added.find((other) => isSame(other, own)) ?? own);
  return [...replaced, ...added.filter((other) => !present.some((own) => isSame(other, own)))];
}

function toleration(taint: string, effect: string): JsonObject {
  return { key: `node.kubernetes.io/${taint}`, operator: 'Exists', effect };
}
