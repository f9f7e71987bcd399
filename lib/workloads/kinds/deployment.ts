import { assembleHistory } from '@/lib/history/assemble';
import { inheritedByReplicaSets } from '@/lib/history/change-cause';
import { isEqualTemplate } from '@/lib/history/template-equality';
import { compareCreation } from '@/lib/history/revision-order';
import { prunedByDeployment } from '@/lib/history/revision-pruning';
import type { RevisionHistory, Revision } from '@/lib/history/revision';
import { paceByLimits } from '@/lib/messages/plan';
import type { UpdateRules } from '@/lib/engine/update';
import { isPausedByPerson, planPause, planResume } from '@/lib/workloads/controls';
import { planRestart } from '@/lib/workloads/restart';
import { planDeploymentRollback } from '@/lib/workloads/deployment/rollback';
import { deploymentFacts } from '@/lib/workloads/deployment/facts';
import {
  describeDeploymentStrategy,
  desiredReplicas,
  isRecreate,
  rollingLimitsOf,
} from '@/lib/workloads/deployment/strategy';
import type { HistoryInput, WorkloadKind } from '@/lib/workloads/kind';
import { canaryParentName } from '@/lib/workloads/kruise-rollout-metadata';
import { numberAt } from '@/lib/kube/read';
import type { ResourceType } from '@/lib/kube/resource';
import { replicaSetFacts } from '@/lib/workloads/replica-set-history';
import { replicaSets } from '@/lib/workloads/sources/replica-sets';
import type { RevisionSource, Workload } from '@/lib/history/workload';

const resource: ResourceType = {
  id: 'deployments.apps',
  group: 'apps',
  versions: ['v1'],
  plural: 'deployments',
  kind: 'Deployment',
};

const rules: UpdateRules = {
  resource,
  title: 'Deployment',
  unit: 'pod',
  rolloutPauses: true,
  rollingOf: ({ spec }) => ({ isPaused: spec.paused === true }),
  desiredOf: desiredReplicas,
  describeStrategy: describeDeploymentStrategy,
  unavailableOf: (workload) => rollingLimitsOf(workload).unavailable,
  pace(workload) {
    if (isRecreate(workload)) return 'after all of them have terminated (Recreate)';
    const { surge, unavailable } = rollingLimitsOf(workload);
    return paceByLimits(desiredReplicas(workload), surge, unavailable);
  },
};

/** https://kubernetes.io/docs/concepts/workloads/controllers/deployment/ */
export const deployment: WorkloadKind = {
  resource,
  source: replicaSets,
  pods: { owner: 'source' },
  history: readHistory,
  facts: deploymentFacts,
  settings: (workload) => ({
    desiredPods: desiredReplicas(workload),
    surgePods: isRecreate(workload) ? 0 : rollingLimitsOf(workload).surge,
    isPaused: isPausedByPerson(rules, workload),
    strategy: describeDeploymentStrategy(workload),
  }),
  parentOf: (workload) => {
    const name = canaryParentName(workload);
    return name === null ? null : { resource: resource.id, name };
  },
  writes: {
    rollback: (input) => planDeploymentRollback(resource, input),
    pause: (input) => planPause(rules, input),
    resume: (input) => planResume(rules, input),
    restart: (input) => planRestart(rules, input),
  },
  previous,
};

function readHistory(input: HistoryInput): RevisionHistory {
  const facts = replicaSetFacts(input, findTarget);
  const { oldestFirst, target } = facts;
  const limit = numberAt(input.workload.spec, 'revisionHistoryLimit') ?? null;
  return assembleHistory({
    ...facts,
    orphans: input.orphans.filter((orphan) => orphan.controllerUid === null),
    isCurrent: (source) => source.uid === target?.uid,
    isLiveForController: () => false,
    inheritedCauses: inheritedByReplicaSets(oldestFirst),
    // Once one more revision is complete, all current ReplicaSets are old and empty.
    prunedNext: new Set(prunedByDeployment(oldestFirst, limit)),
    warnings: [],
  });
}

/** Of the ReplicaSets that equal the template, the one created first (FindNewReplicaSet). */
function findTarget(workload: Workload, sources: readonly RevisionSource[]): RevisionSource | null {
  const equal = sources.filter((source) => isEqualTemplate(source, workload)).toSorted(compareCreation);
  return equal[0] ?? null;
}

/**
 * The second largest number, in kubectl's order of ReplicaSets: old ones by creation, then the target.
 * https://github.com/kubernetes/kubectl/blob/master/pkg/polymorphichelpers/rollback.go (deploymentRevision)
 */
function previous(history: RevisionHistory): Revision | null {
  const old = history.revisions
    .filter((revision) => !revision.target)
    .toSorted((a, b) => compareCreation(a.source, b.source));
  let latest: Revision | null = null;
  let before: Revision | null = null;
  const numberOf = (revision: Revision | null) => revision?.number ?? -1;
  for (const revision of history.target === null ? old : [...old, history.target]) {
    if (revision.number === null) continue;
    if (numberOf(latest) < revision.number) [before, latest] = [latest, revision];
    else if (numberOf(before) < revision.number) before = revision;
  }
  return before;
}
