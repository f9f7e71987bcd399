import { type KubeObject } from '@/lib/kube/object';
import { type ArgoResource } from '@/sandbox/controllers/argo/argo-rollout';
import { type CustomKind } from '@/sandbox/controllers/engine/custom-kind';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';

type AnalysisRunStatus = { phase?: string; message?: string; startedAt?: string };

export interface AnalysisRun extends KubeObject {
  status: AnalysisRunStatus;
}

/** The kinds of Argo Rollouts that the sandbox supports. */
export interface ArgoKinds {
  readonly rollouts: CustomKind<ArgoResource>;
  readonly analysisRuns: CustomKind<AnalysisRun>;
  readonly analysisTemplates: CustomKind<KubeObject>;
}

export function followArgo(manager: ControllerManager): ArgoKinds {
  return {
    rollouts: manager.follow('rollouts.argoproj.io'),
    analysisRuns: manager.follow('analysisruns.argoproj.io'),
    analysisTemplates: manager.follow('analysistemplates.argoproj.io'),
  };
}
