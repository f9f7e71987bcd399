import { causeOfRollback } from '@/lib/history/change-cause';
import { compareCreation } from '@/lib/history/revision-order';
import { formatRevision, type Revision } from '@/lib/history/revision';
import { annotationChanges, annotationPatch } from '@/lib/workloads/deployment/annotations';
import { desiredReplicas, isRecreate, rollingLimitsOf } from '@/lib/workloads/deployment/strategy';
import {
  type Capacity,
  capacityInSteps,
  capacityOf,
  readyCountOf,
  servingAtLeast,
} from '@/lib/workloads/capacity';
import type { PlanResult, RollbackInput } from '@/lib/workloads/kind';
import { checkRollbackDuringRollout } from '@/lib/workloads/kruise/rollout-checks';
import { controllingRolloutOf, activeRolloutOf, stableHashOf } from '@/lib/workloads/kruise-rollout-metadata';
import type { Finding, Plan } from '@/lib/workloads/plan';
import type { ResourceType } from '@/lib/kube/resource';
import { checkRollback, unlessRefused } from '@/lib/workloads/rollback-checks';
import { describeNumbering, OTHER_OBJECTS_STAY, rollbackPlan } from '@/lib/workloads/rollback-plan';
import { CHANGE_CAUSE } from '@/lib/workloads/template-facts';
import { formatResult, formatTarget, equalRevisions } from '@/lib/workloads/rollback-target';
import { formatCount, formatList } from '@/lib/format/text';

/**
 * Rollback of a Deployment. The template is what `kubectl rollout undo` would write; of the annotations only
 * the change-cause is set, unless the viewer chooses all of them as kubectl restores them.
 * https://github.com/kubernetes/kubectl/blob/master/pkg/polymorphichelpers/rollback.go
 */
export function planDeploymentRollback(resource: ResourceType, input: RollbackInput): PlanResult {
  const findings = [
    ...checkPaused(input),
    ...checkRollback(input),
    ...checkRollbackDuringRollout(input, isStable(input)),
    ...targetFindings(input),
  ];
  return unlessRefused(findings, () => buildPlan(resource, input));
}

function buildPlan(resource: ResourceType, input: RollbackInput): Plan {
  const { workload, to } = input;
  const annotations =
    input.likeKubectl && to.origin.kind === 'cluster'
      ? annotationChanges(workload, to.origin.revision.source)
      : [{ key: CHANGE_CAUSE, before: workload.annotations[CHANGE_CAUSE], after: changeCauseOf(input) }];
  return rollbackPlan(resource, input, {
    otherOperations: annotationPatch(workload, annotations),
    steps: [...describePodChanges(input), describeNumbering(input, reusedRevision(input))],
    stays: describeUnchanged(input),
    capacity: capacity(input),
  });
}

/** So that the good revision never inherits the change cause of the bad one. */
function changeCauseOf({ to, history: { target }, reason }: RollbackInput): string {
  const from = target === null ? null : formatRevision(target);
  return causeOfRollback({ to: formatTarget(to), isAltered: to.stored !== undefined, from, reason });
}

function checkPaused({ workload }: RollbackInput): Finding[] {
  // A Rollout pauses the workload that it moves, and reacts to every change of the template itself.
  if (workload.spec.paused !== true || controllingRolloutOf(workload) !== null) return [];
  return [
    {
      severity: 'refusal',
      code: 'paused',
      message: 'The Deployment is paused: a rollback would change its template but no pods.',
      action: 'Resume it first. kubectl rejects this for the same reason.',
    },
  ];
}

/** A target from the archive has neither a ReplicaSet of its own nor annotations. */
function targetFindings(input: RollbackInput): Finding[] {
  const { workload, to } = input;
  if (to.origin.kind !== 'cluster') return [];
  const findings: Finding[] = [];
  const reused = reusedRevision(input);
  if (to.stored === undefined && reused !== null && reused.id !== to.id) {
    findings.push({
      severity: 'info',
      code: 'duplicate_template',
      message: `${reused.name} has the same template and is older, so Kubernetes uses it instead of ${to.name}.`,
      action: null,
    });
  }
  if (!input.likeKubectl) return findings;
  const removedAnnotations = annotationChanges(workload, to.origin.revision.source).filter(
    ({ after }) => after === undefined,
  );
  if (removedAnnotations.length > 0) {
    findings.push({
      severity: 'warning',
      code: 'annotations_dropped',
      message: `Matching kubectl removes ${formatCount(removedAnnotations.length, 'annotation')} that revision ${formatRevision(to)} does not have: ${formatList(
        removedAnnotations.map(({ key }) => key),
        6,
      )}.`,
      action: 'Turn off “Match kubectl rollout undo” to keep them.',
    });
  }
  return findings;
}

/** Of ReplicaSets with an equal template the controller uses the oldest; null where it creates one. */
function reusedRevision({ history, to }: RollbackInput): Revision | null {
  const oldestFirst = equalRevisions(history, to).sort((a, b) => compareCreation(a.source, b.source));
  return oldestFirst[0] ?? null;
}

/** Whether the rollout started from the revision. */
function isStable({ workload, history, to }: RollbackInput): boolean | null {
  const hash = stableHashOf(workload);
  if (hash === null) return null;
  return equalRevisions(history, to).some(({ source }) => source.labels['pod-template-hash'] === hash);
}

function describeUnderRollout(input: RollbackInput): string[] | null {
  const rollout = activeRolloutOf(input.workload);
  if (rollout === null) return null;
  const on = formatResult(input, reusedRevision(input));
  return isStable(input) === true && input.rollsBackInSteps !== true
    ? [
        `Rollout ${rollout} ends, terminates the pods that it started and resumes the Deployment on revision ${on}.`,
      ]
    : [
        `The Deployment stays paused, and Rollout ${rollout} starts a rollout of revision ${on} with its first step.`,
      ];
}

function describePodChanges(input: RollbackInput): string[] {
  const underRollout = describeUnderRollout(input);
  if (underRollout !== null) return underRollout;
  const desired = desiredReplicas(input.workload);
  if (desired === 0) return ['The Deployment is scaled to 0: no pod starts or terminates.'];
  const reused = reusedRevision(input);
  const growth = describeScaleUp(input, desired);
  const others = input.history.revisions.filter(({ id, pods }) => id !== reused?.id && pods.total > 0);
  const ends = others.map(describeTermination);
  if (isRecreate(input.workload)) return [...ends, growth];
  const { surge, unavailable } = rollingLimitsOf(input.workload);
  const limitsText = `maxSurge ${surge}, maxUnavailable ${unavailable}: ${Math.max(0, desired - unavailable)}–${formatCount(desired + surge, 'pod')} run at any time.`;
  return [growth, ...ends, ...(others.length > 0 ? [limitsText] : [])];
}

/** With Recreate all other pods terminate before the new ones start; what already runs the target stays. */
function capacity(input: RollbackInput): Capacity {
  const { workload, pods } = input;
  const rollout = activeRolloutOf(workload);
  if (rollout !== null) return capacityInSteps(`Rollout ${rollout}`);
  const desired = desiredReplicas(workload);
  const kept = reusedRevision(input)?.pods;
  const replaced = Math.max(0, desired - (kept?.total ?? 0));
  const serving = isRecreate(workload)
    ? (kept?.ready ?? 0)
    : servingAtLeast(readyCountOf(pods), desired, rollingLimitsOf(workload).unavailable);
  return capacityOf({ replaced, serving });
}

function describeScaleUp(input: RollbackInput, desired: number): string {
  const reused = reusedRevision(input);
  const has = reused?.pods.total ?? 0;
  const set = `${reused === null ? 'A new ReplicaSet for' : 'The ReplicaSet of'} revision ${formatResult(input, reused)}`;
  if (has === desired) return `${set} already has ${formatCount(desired, 'pod')}: none starts.`;
  if (has > desired) return `${set} scales ${has} → ${desired}.`;
  const starting = `${formatCount(desired - has, 'pod')} ${desired - has === 1 ? 'starts' : 'start'}`;
  const untouched = has === 0 ? '' : `, ${has} ${has === 1 ? 'keeps' : 'keep'} running`;
  const order = isRecreate(input.workload) ? ' after the others have terminated' : '';
  return `${set} scales ${has} → ${desired}: ${starting}${untouched}${order}.`;
}

function describeTermination(revision: Revision): string {
  const { total, ready } = revision.pods;
  const on = formatRevision(revision);
  const subject =
    total === 1 ? `The pod of revision ${on} terminates` : `The ${total} pods of revision ${on} terminate`;
  if (ready > 0) return `${subject}.`;
  return `${subject}; ${total === 1 ? 'it is not' : 'none is'} ready, so capacity is not affected.`;
}

function describeUnchanged({ workload, likeKubectl }: RollbackInput): string[] {
  return [
    `Replicas (${desiredReplicas(workload)}) and autoscaling are unchanged.`,
    'The strategy, the labels and all other settings of the Deployment are unchanged.',
    likeKubectl
      ? 'Annotations are replaced by those of the revision, except the ones that kubectl never copies.'
      : 'Annotations are unchanged, except kubernetes.io/change-cause.',
    OTHER_OBJECTS_STAY,
  ];
}
