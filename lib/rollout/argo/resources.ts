import { argoRollouts } from '@/lib/workloads/argo-rollout/resource';
import type { ResourceType } from '@/lib/kube/resource';

const GROUP = argoRollouts.group;

function type(plural: string, kind: string): ResourceType {
  return { id: `${plural}.${GROUP}`, group: GROUP, versions: ['v1alpha1'], plural, kind, isCustom: true };
}

export const analysisRuns = type('analysisruns', 'AnalysisRun');
export const experiments = type('experiments', 'Experiment');
