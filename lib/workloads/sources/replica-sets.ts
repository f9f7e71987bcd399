import type { KubeObject } from '@/lib/kube/object';
import type { SourceKind } from '@/lib/workloads/kind';
import { numberAt, objectAt } from '@/lib/kube/read';
import { cleanTemplate } from '@/lib/workloads/template-facts';
import type { SourceNumber } from '@/lib/history/workload';

const REVISION = 'deployment.kubernetes.io/revision';
const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';

/**
 * ReplicaSets carry the revisions of Deployments; the number is an annotation.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/util/deployment_util.go
 */
export const replicaSets: SourceKind = {
  resource: {
    id: 'replicasets.apps',
    group: 'apps',
    versions: ['v1'],
    plural: 'replicasets',
    kind: 'ReplicaSet',
  },
  templateOf(source) {
    const template = objectAt(source.spec, 'template');
    return template && cleanTemplate(template);
  },
  numberOf: (source) => readNumber(source.metadata.annotations?.[REVISION]),
  formerNumbersOf,
  ownsNumber: (fields) => objectAt(fields, 'f:metadata', 'f:annotations', `f:${REVISION}`) !== undefined,
  scaleOf: (source) => ({
    desired: numberAt(source.spec, 'replicas') ?? 1,
    current: numberAt(source.status, 'replicas') ?? 0,
    ready: numberAt(source.status, 'readyReplicas') ?? 0,
    available: numberAt(source.status, 'availableReplicas') ?? 0,
    observed: (numberAt(source.status, 'observedGeneration') ?? 0) >= (source.metadata.generation ?? 0),
  }),
};

/** Like Go's ParseInt(text, 10, 64), but only up to the exact integers of a double. */
export function readNumber(text: string | undefined): SourceNumber {
  if (text === undefined) return { kind: 'missing' };
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(value) ? { kind: 'number', value } : { kind: 'invalid', text };
}

function formerNumbersOf(source: KubeObject): number[] {
  const history = source.metadata.annotations?.[REVISION_HISTORY] ?? '';
  const numbers = history.split(',').flatMap((part) => {
    const read = readNumber(part.trim());
    return read.kind === 'number' ? [read.value] : [];
  });
  return numbers.sort((a, b) => a - b);
}
