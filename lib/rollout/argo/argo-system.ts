import { parseAnalysisRun, parseExperiment } from '@/lib/rollout/argo/related-objects';
import { deriveArgoRollout, preconditionText } from '@/lib/rollout/argo/derive';
import { type ArgoRollout, parseArgoRollout } from '@/lib/rollout/argo/parse';
import { planArgoAction, rightOf } from '@/lib/rollout/argo/plans';
import { analysisRuns, experiments } from '@/lib/rollout/argo/resources';
import { argoContextOf } from '@/lib/rollout/argo/context';
import { nextChangeOf } from '@/lib/rollout/argo/waits';
import type { RolloutSystem } from '@/lib/rollout/system';
import { argoRollouts as resource } from '@/lib/workloads/argo-rollout/resource';

/** Rollouts of Argo, which are workloads as well. https://argoproj.github.io/argo-rollouts/ */
export const argoRolloutSystem: RolloutSystem<ArgoRollout> = {
  id: 'argo',
  resource,
  relatedObjects: [
    { resource: analysisRuns, parse: parseAnalysisRun },
    { resource: experiments, parse: parseExperiment },
  ],
  records: null,
  podLabels: [],
  parse: parseArgoRollout,
  derive: deriveArgoRollout,
  validUntil: (input) => nextChangeOf(argoContextOf(input)),
  preconditionText,
  // Its own status has the weights.
  routing: { refs: () => [], traffic: () => null },
  plan: planArgoAction,
  rightOf,
};
