import { plainFacts, type WorkloadFacts } from '@/lib/engine/facts';
import type { RevisionHistory } from '@/lib/history/revision';
import { isEqualTemplate } from '@/lib/history/template-equality';
import type { RevisionSource, Workload } from '@/lib/history/workload';
import { numberAt, textAt, valueAt } from '@/lib/kube/read';
import { allReadySince } from '@/lib/pods/by-revision';
import {
  assembleControllerRevisionHistory,
  findOwned,
  findPreviousControllerRevision,
} from '@/lib/workloads/controller-revisions';
import type { HistoryInput, StatusInput, WorkloadKind } from '@/lib/workloads/kind';
import { countReplicas, isObserved, readDeadline } from '@/lib/workloads/reported';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import {
  describeStrategy,
  podsPerRoleSet,
  roleSetsOf,
  roleSetTemplateLocation,
  stormServices,
} from '@/lib/workloads/storm-service/spec';
import { planPause, planRollback } from '@/lib/workloads/storm-service/writes';

/** https://github.com/vllm-project/aibrix/blob/main/api/orchestration/v1alpha1/stormservice_types.go */
export const stormService: WorkloadKind = {
  resource: stormServices,
  source: controllerRevisions,
  template: { location: roleSetTemplateLocation },
  pods: { owner: 'descendant' },
  history: readHistory,
  facts: readFacts,
  settings: (workload) => ({
    strategy: describeStrategy(workload),
    // Its RoleSets have the pods.
    desiredPods: 0,
    isPaused: workload.spec.paused === true,
  }),
  writes: {
    rollback: planRollback,
    pause: (input) => planPause(input, true),
    resume: (input) => planPause(input, false),
  },
  previous: findPreviousControllerRevision,
};

function readHistory(input: HistoryInput): RevisionHistory {
  const owned = findOwned(input);
  const target = findTarget(input.workload, owned.oldestFirst);
  const currentName = textAt(input.workload.status, 'currentRevision') ?? target?.name;
  const history = assembleControllerRevisionHistory(input, owned, {
    target,
    isCurrent: ({ name }) => name === currentName,
    isLiveForController: ({ name, uid }) => name === currentName || uid === target?.uid,
    sourceOfPod: ({ revisionLabel, revisionLabelValues = [] }) =>
      owned.oldestFirst.find(({ name }) => name === revisionLabel || revisionLabelValues.includes(name)),
    // Which revisions are live then, only the RoleSets show.
    prunedNext: new Set(),
    warnings: [],
  });
  // A RoleSet that an interrupted rollout has left may run any other revision.
  return history.revisionOfPod.size > 0 ? history : { ...history, livenessUnknown: true };
}

/**
 * The status names the target once the controller has observed the spec. Until then it is the newest revision with an
 * equal template, which the controller will find and renumber.
 * https://github.com/vllm-project/aibrix/blob/main/pkg/controller/stormservice/revision.go (syncRevision)
 */
function findTarget(workload: Workload, oldestFirst: readonly RevisionSource[]): RevisionSource | null {
  const named = oldestFirst.find(({ name }) => name === textAt(workload.status, 'updateRevision'));
  if (named !== undefined && isObserved(workload)) return named;
  return oldestFirst.findLast((source) => isEqualTemplate(source, workload)) ?? null;
}

/**
 * What a StormService reports of its RoleSets. It is finished when its controller calls it ready.
 * https://github.com/vllm-project/aibrix/blob/main/pkg/controller/stormservice/sync.go (updateStatus)
 */
function readFacts(input: StatusInput): WorkloadFacts {
  const { workload, pods } = input;
  const { spec, status } = workload;
  const { desired, total, updated, ready } = countReplicas(workload, roleSetsOf(workload));
  const size = podsPerRoleSet(workload);
  const isOnTarget = updated === desired && status.currentRevision === status.updateRevision;
  return {
    ...plainFacts(input),
    unit: 'group',
    isObserved: isObserved(workload),
    counts: {
      desired: desired * size,
      ready: ready * size,
      updated: updated * size,
      available: ready * size,
    },
    progress: { updated, goal: desired, serving: ready, servingWord: 'ready', desired },
    isScaledDown: desired === 0 && total === 0,
    isFinished: isOnTarget && total === desired && ready >= desired,
    finishedAt: allReadySince(pods, desired * size),
    // With the last former RoleSet the current revision becomes the target, ready or not.
    completedBefore: updated >= desired && ready > 0 ? 'assumed' : 'no',
    pause: spec.paused === true ? { since: null } : null,
    // Not every version of its controller has a deadline; those that have one set a default.
    deadline: numberAt(spec, 'progressDeadlineSeconds') === undefined ? null : readDeadline(workload),
    waitsForDeletion: valueAt(spec, 'updateStrategy', 'maxSurge') === undefined,
    namesPods: spec.stateful === true,
    kubectl: {
      text: `error: no status viewer has been implemented for ${stormServices.kind}.${stormServices.group}`,
      verdict: 'error',
    },
  };
}
