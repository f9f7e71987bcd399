import { parseAnalysisRun, parseExperiment } from '@/lib/rollout/argo/beside';
import { deriveRollout, seenText } from '@/lib/rollout/argo/derive';
import { type ArgoRollout, parseRollout } from '@/lib/rollout/argo/parse';
import { planAction, rightOf } from '@/lib/rollout/argo/plans';
import { analysisRuns, experiments } from '@/lib/rollout/argo/resources';
import { situationOf } from '@/lib/rollout/argo/situation';
import { nextChangeOf } from '@/lib/rollout/argo/waits';
import { type RolloutSystem } from '@/lib/rollout/system';
import { argoRollouts as resource } from '@/lib/workloads/argo-rollout/resource';

/** Rollouts of Argo, which are workloads as well. https://argoproj.github.io/argo-rollouts/ */
export const argoRollouts: RolloutSystem<ArgoRollout> = {
  id: 'argo',
  resource,
  beside: [
    { resource: analysisRuns, parse: parseAnalysisRun },
    { resource: experiments, parse: parseExperiment },
  ],
  records: null,
  podLabels: [],
  parse: parseRollout,
  derive: deriveRollout,
  validUntil: (input) => nextChangeOf(situationOf(input)),
  seenText,
  // Its own status tells the weights.
  routing: { refs: () => [], traffic: () => null },
  plan: planAction,
  rightOf,
};
