import { type KubeObject } from '@/lib/kube/object';
import {
  argoRollouts,
  REVISION,
  REVISION_HISTORY,
  TEMPLATE_HASH,
} from '@/lib/workloads/argo-rollout/resource';
import { injectedKeys, withoutInjected } from '@/lib/workloads/argo-rollout/template';
import { type SourceKind } from '@/lib/workloads/kind';
import { objectAt } from '@/lib/workloads/read';
import { readNumber, replicaSets } from '@/lib/workloads/sources/replica-sets';

/**
 * ReplicaSets that carry the revisions of Argo Rollouts, with annotations of their own. The former numbers grow whenever an
 * annotation is copied, so they repeat themselves and the present one.
 * https://github.com/argoproj/argo-rollouts/blob/master/utils/annotations/annotations.go
 */
export const argoReplicaSets: SourceKind = {
  resource: replicaSets.resource,
  reads: isOfRollout,
  templateOf(source) {
    const template = objectAt(source.spec, 'template');
    return template && withoutInjected(template, injectedKeys(source.metadata.annotations ?? {}));
  },
  numberOf: (source) => readNumber(source.metadata.annotations?.[REVISION]),
  formerNumbersOf,
  ownsNumber: (fields) => objectAt(fields, 'f:metadata', 'f:annotations', `f:${REVISION}`) !== undefined,
  scaleOf: (source) => replicaSets.scaleOf(source),
};

/** By its controller; one that nobody controls any more still carries the label. */
function isOfRollout({ metadata: { ownerReferences = [], labels = {} } }: KubeObject): boolean {
  const controller = ownerReferences.find((owner) => owner.controller === true);
  if (controller === undefined) return Object.hasOwn(labels, TEMPLATE_HASH);
  return controller.kind === argoRollouts.kind && controller.apiVersion.startsWith(`${argoRollouts.group}/`);
}

function formerNumbersOf({ metadata: { annotations = {} } }: KubeObject): number[] {
  const present = readNumber(annotations[REVISION]);
  const numbers = (annotations[REVISION_HISTORY] ?? '').split(',').flatMap((part) => {
    const read = readNumber(part.trim());
    return read.kind === 'number' ? [read.value] : [];
  });
  const isFormer = (number: number) => present.kind !== 'number' || number !== present.value;
  return [...new Set(numbers)].filter(isFormer).sort((a, b) => a - b);
}
