import { planPause, planRestart, planResume } from '@/lib/workloads/argo-rollout/controls';
import { previousRevision, readHistory } from '@/lib/workloads/argo-rollout/history';
import { isSpecObserved } from '@/lib/workloads/argo-rollout/phase';
import { templateOwnerOf } from '@/lib/workloads/argo-rollout/reference';
import { argoRollouts } from '@/lib/workloads/argo-rollout/resource';
import { planRollback } from '@/lib/workloads/argo-rollout/rollback';
import {
  describeArgoStrategy,
  rollingLimitsOf,
  referencedWorkload,
  replicasOf,
  argoTemplateLocation,
} from '@/lib/workloads/argo-rollout/spec';
import { argoRolloutStatus } from '@/lib/workloads/argo-rollout/status';
import { type WorkloadKind } from '@/lib/workloads/kind';
import { argoReplicaSets } from '@/lib/workloads/sources/argo-replica-sets';

/** https://argoproj.github.io/argo-rollouts/ */
export const argoRollout: WorkloadKind = {
  resource: argoRollouts,
  source: argoReplicaSets,
  template: argoTemplateLocation,
  templateOwner: ({ namespace, spec }) =>
    templateOwnerOf({ namespace, reference: referencedWorkload({ spec }) }),
  podOwner: 'source',
  history: readHistory,
  status: argoRolloutStatus,
  strategy: describeArgoStrategy,
  desiredPods: replicasOf,
  isPaused: (workload) => workload.spec.paused === true,
  partition: () => null,
  isObserved: ({ workload }) => isSpecObserved(workload),
  surgePods: (workload) => rollingLimitsOf(workload).surge,
  writes: { rollback: planRollback, pause: planPause, resume: planResume, restart: planRestart },
  previous: previousRevision,
};
