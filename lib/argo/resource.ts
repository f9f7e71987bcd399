import type { ResourceType } from '@/lib/kube/resource';
import { customResource } from '@/lib/rollout/resource-types';

/** Two other projects use the same plural and kind; only the full name is unique. */
export const argoRollouts: ResourceType = { ...ofArgo('rollouts', 'Rollout'), label: 'Argo Rollout' };
export const analysisRuns = ofArgo('analysisruns', 'AnalysisRun');
export const experiments = ofArgo('experiments', 'Experiment');

function ofArgo(plural: string, kind: string): ResourceType {
  return customResource('argoproj.io', plural, kind, ['v1alpha1']);
}

const PREFIX = 'rollout.argoproj.io/';
export const REVISION = `${PREFIX}revision`;
export const REVISION_HISTORY = `${PREFIX}revision-history`;
export const EPHEMERAL_METADATA = `${PREFIX}ephemeral-metadata`;
export const WORKLOAD_GENERATION = `${PREFIX}workload-generation`;
/** Label of ReplicaSets, and of their templates and pods. */
export const TEMPLATE_HASH = 'rollouts-pod-template-hash';
