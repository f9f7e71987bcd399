import { planPause, planRestart, planResume } from '@/lib/workloads/argo-rollout/controls';
import { previousRevision, readHistory } from '@/lib/workloads/argo-rollout/history';
import { isSpecObserved } from '@/lib/workloads/argo-rollout/phase';
import { templateOwnerOf } from '@/lib/workloads/argo-rollout/reference';
import {
  argoRollouts,
  REVISION,
  REVISION_HISTORY,
  TEMPLATE_HASH,
} from '@/lib/workloads/argo-rollout/resource';
import { planRollback } from '@/lib/workloads/argo-rollout/rollback';
import {
  describeArgoStrategy,
  rollingLimitsOf,
  referencedWorkload,
  replicasOf,
  argoTemplateLocation,
} from '@/lib/workloads/argo-rollout/spec';
import { argoRolloutFacts } from '@/lib/workloads/argo-rollout/facts';
import type { WorkloadKind, SourceKind } from '@/lib/workloads/kind';
import { controllerOf, type KubeObject } from '@/lib/kube/object';
import { injectedKeys, withoutInjected } from '@/lib/workloads/argo-rollout/template';
import { objectAt } from '@/lib/kube/read';
import { readNumber, replicaSets } from '@/lib/workloads/sources/replica-sets';

/**
 * ReplicaSets that carry the revisions of Argo Rollouts, with annotations of their own. The list of former
 * numbers grows whenever an annotation is copied, so it contains duplicates and the current number.
 * https://github.com/argoproj/argo-rollouts/blob/master/utils/annotations/annotations.go
 */
export const argoReplicaSets: SourceKind = {
  resource: replicaSets.resource,
  matches: isOfRollout,
  templateOf(source) {
    const template = objectAt(source.spec, 'template');
    return template && withoutInjected(template, injectedKeys(source.metadata.annotations ?? {}));
  },
  numberOf: (source) => readNumber(source.metadata.annotations?.[REVISION]),
  formerNumbersOf,
  ownsNumber: (fields) => objectAt(fields, 'f:metadata', 'f:annotations', `f:${REVISION}`) !== undefined,
  scaleOf: (source) => replicaSets.scaleOf(source),
};

/** By its controller; an orphan still carries the label. */
function isOfRollout({ metadata: { ownerReferences, labels = {} } }: KubeObject): boolean {
  const controller = controllerOf(ownerReferences);
  if (controller === undefined) return Object.hasOwn(labels, TEMPLATE_HASH);
  return controller.kind === argoRollouts.kind && controller.apiVersion.startsWith(`${argoRollouts.group}/`);
}

function formerNumbersOf({ metadata: { annotations = {} } }: KubeObject): number[] {
  const current = readNumber(annotations[REVISION]);
  const numbers = (annotations[REVISION_HISTORY] ?? '').split(',').flatMap((part) => {
    const read = readNumber(part.trim());
    return read.kind === 'number' ? [read.value] : [];
  });
  const isFormer = (number: number) => current.kind !== 'number' || number !== current.value;
  return [...new Set(numbers)].filter(isFormer).sort((a, b) => a - b);
}

/** https://argoproj.github.io/argo-rollouts/ */
export const argoRollout: WorkloadKind = {
  resource: argoRollouts,
  source: argoReplicaSets,
  template: {
    location: argoTemplateLocation,
    owner: ({ namespace, spec }) => templateOwnerOf({ namespace, reference: referencedWorkload({ spec }) }),
  },
  pods: { owner: 'source' },
  history: readHistory,
  facts: argoRolloutFacts,
  settings: (workload) => ({
    desiredPods: replicasOf(workload),
    surgePods: rollingLimitsOf(workload).surge,
    isPaused: workload.spec.paused === true,
    strategy: describeArgoStrategy(workload),
  }),
  writes: {
    rollback: planRollback,
    isObserved: ({ workload }) => isSpecObserved(workload),
    pause: planPause,
    resume: planResume,
    restart: planRestart,
  },
  previous: previousRevision,
};
