import { type KubeObject } from '@/lib/kube/object';
import { type ArgoRollout } from '@/server/sandbox/controllers/argo/argo-rollout';
import { type CustomKind } from '@/server/sandbox/controllers/engine/custom-kind';
import { type World } from '@/server/sandbox/controllers/engine/world';

export type AnalysisRunStatus = { phase?: string; message?: string; startedAt?: string };

export interface AnalysisRun extends KubeObject {
  status: AnalysisRunStatus;
}

/** The kinds of Argo Rollouts that take part. */
export interface ArgoKinds {
  readonly rollouts: CustomKind<ArgoRollout>;
  readonly analysisRuns: CustomKind<AnalysisRun>;
  readonly analysisTemplates: CustomKind<KubeObject>;
}

export function followArgo(world: World): ArgoKinds {
  return {
    rollouts: world.follow('rollouts.argoproj.io'),
    analysisRuns: world.follow('analysisruns.argoproj.io'),
    analysisTemplates: world.follow('analysistemplates.argoproj.io'),
  };
}
