import { type WorkloadFacts, plainFacts } from '@/lib/engine/facts';
import { readKubectlLine, withoutViewer } from '@/lib/engine/status';
import type { SettingRules } from '@/lib/engine/update';
import type { RevisionHistory } from '@/lib/history/revision';
import { isEqualTemplate } from '@/lib/history/template-equality';
import type { RevisionSource, Template, Workload } from '@/lib/history/workload';
import type { JsonObject } from '@/lib/kube/json';
import { numberAt, objectAt, textAt, valueAt } from '@/lib/kube/read';
import { isRecordedData } from '@/lib/kube/recorded-data';
import { allReadySince } from '@/lib/pods/by-revision';
import {
  assembleControllerRevisionHistory,
  findOwned,
  findPreviousControllerRevision,
} from '@/lib/workloads/controller-revisions';
import { planPause, planResume } from '@/lib/workloads/controls';
import type {
  HistoryInput,
  PlanResult,
  RollbackInput,
  StatusInput,
  WorkloadKind,
} from '@/lib/workloads/kind';
import { refuseIf } from '@/lib/workloads/plan';
import { countReplicas, isObserved, readDeadline } from '@/lib/workloads/reported';
import { checkRollback, unlessRefused } from '@/lib/workloads/rollback-checks';
import { OTHER_OBJECTS_STAY, describeNumbering, rollbackPlan } from '@/lib/workloads/rollback-plan';
import { carrierOf, formatResult, formatTarget } from '@/lib/workloads/rollback-target';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import {
  describeStrategy,
  podsPerRoleSet,
  roleSetTemplateLocation,
  roleSetsOf,
  stormServices,
} from '@/lib/workloads/storm-service/spec';

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
    pause: (input) => planPause(stormServiceSettings, input),
    resume: (input) => planResume(stormServiceSettings, input),
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
    kubectl: readKubectlLine(withoutViewer(stormServices)),
  };
}

/** Writes the recorded template of RoleSets in place of the current one, as a whole. */
function planRollback(input: RollbackInput): PlanResult {
  const { workload, history, to } = input;
  const currentTemplate = templateIn(input.currentTemplate);
  const template = templateIn(input.template);
  const requested = templateIn(input.requested ?? input.template);
  if (currentTemplate === undefined || template === undefined || requested === undefined) {
    const message = `Revision ${formatTarget(to)} (${to.name}) or ${workload.name} has no template of RoleSets.`;
    return { plan: null, findings: refuseIf(true, 'unreadable_revision', message) };
  }
  const bare = { ...input, currentTemplate, template, requested };
  return unlessRefused(checkRollback(bare), () =>
    rollbackPlan(stormServices, bare, {
      steps: [
        `RoleSets get the template of revision ${formatResult(input)}, ${workload.spec.paused === true ? 'once it is resumed' : `by the update strategy (${describeStrategy(workload)})`}.`,
        describeNumbering(input, carrierOf(history, to)),
      ],
      stays: [
        `RoleSets (${roleSetsOf(workload)}), the update strategy and the pause are unchanged; replicas of roles are part of the template.`,
        'Labels and annotations of the StormService are unchanged.',
        OTHER_OBJECTS_STAY,
      ],
    }),
  );
}

/** As it is in `spec.template`. */
function templateIn(body: Template): JsonObject | undefined {
  return isRecordedData(body) ? objectAt(body.data, 'spec', 'template') : body;
}

/**
 * While it is paused, its controller records templates and scales, and rolls nothing out.
 * https://github.com/vllm-project/aibrix/blob/main/pkg/controller/stormservice/sync.go (sync)
 */
const stormServiceSettings: SettingRules = {
  resource: stormServices,
  title: 'StormService',
  rollingOf: ({ spec }) => ({ isPaused: spec.paused === true }),
  desiredOf: (workload) => roleSetsOf(workload) * podsPerRoleSet(workload),
};
