import type { ResourceType } from '@/lib/kube/resource';

/** Two other projects use the same plural and kind; only the full name is unique. */
export const argoRollouts: ResourceType = {
  id: 'rollouts.argoproj.io',
  group: 'argoproj.io',
  versions: ['v1alpha1'],
  plural: 'rollouts',
  kind: 'Rollout',
  label: 'Argo Rollout',
  isCustom: true,
};

const PREFIX = 'rollout.argoproj.io/';
export const REVISION = `${PREFIX}revision`;
export const REVISION_HISTORY = `${PREFIX}revision-history`;
export const EPHEMERAL_METADATA = `${PREFIX}ephemeral-metadata`;
export const WORKLOAD_GENERATION = `${PREFIX}workload-generation`;
/** Label of ReplicaSets, and of their templates and pods. */
export const TEMPLATE_HASH = 'rollouts-pod-template-hash';
