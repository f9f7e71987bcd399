import { planPause, planRestart, planResume } from '@/lib/argo/controls';
import { previousRevision, readHistory } from '@/lib/argo/history';
import { templateOwnerOf } from '@/lib/argo/reference';
import { argoRollouts, REVISION, REVISION_HISTORY, TEMPLATE_HASH } from '@/lib/argo/resource';
import { planRollback } from '@/lib/argo/rollback';
import { argoTemplateLocation, describeArgoStrategy, readArgo, readReference } from '@/lib/argo/reading';
import { argoRolloutFacts } from '@/lib/argo/facts';
import type { WorkloadKind, SourceKind } from '@/lib/workloads/kind';
import { controllerOf, type KubeObject } from '@/lib/kube/object';
import { injectedKeys, withoutInjected } from '@/lib/argo/template';
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
    owner: ({ namespace, spec }) => templateOwnerOf({ namespace, reference: readReference(spec) }),
  },
  pods: { owner: 'source' },
  history: readHistory,
  facts: argoRolloutFacts,
  settings: (workload) => {
    const rollout = readArgo(workload);
    const { desired, surge, paused } = rollout;
    const strategy = describeArgoStrategy(workload, rollout);
    return { desiredPods: desired, surgePods: surge, isPaused: paused, strategy };
  },
  writes: {
    rollback: planRollback,
    isObserved: ({ workload }) => !readArgo(workload).isBehind,
    pause: planPause,
    resume: planResume,
    restart: planRestart,
  },
  previous: previousRevision,
};
