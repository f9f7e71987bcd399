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
} from '@/lib/engine/capacity';
import type { PlanResult, RollbackInput } from '@/lib/workloads/kind';
import { checkRollbackDuringRollout } from '@/lib/workloads/rollout-checks';
import { controllingRolloutOf, activeRolloutOf, stableHashOf } from '@/lib/workloads/kruise-rollout-metadata';
import { type Finding, informIf, refuseIf, warnIf } from '@/lib/workloads/plan';
import type { ResourceType } from '@/lib/kube/resource';
import { checkRollback, unlessRefused } from '@/lib/workloads/rollback-checks';
import { describeNumbering, OTHER_OBJECTS_STAY, rollbackPlan } from '@/lib/workloads/rollback-plan';
import { CHANGE_CAUSE } from '@/lib/workloads/template-facts';
import {
  formatResult,
  formatTarget,
  equalRevisions,
  type RollbackTarget,
} from '@/lib/workloads/rollback-target';
import { formatCount, formatList } from '@/lib/format/text';

/**
 * Rollback of a Deployment. The template is what `kubectl rollout undo` would write; of the annotations only
 * the change-cause is set, unless the viewer chooses all of them as kubectl restores them.
 * https://github.com/kubernetes/kubectl/blob/master/pkg/polymorphichelpers/rollback.go
 */
export function planDeploymentRollback(resource: ResourceType, input: RollbackInput): PlanResult {
  const { workload, to, likeKubectl } = input;
  const reused = findReused(input);
  const restored =
    likeKubectl && to.origin.kind === 'cluster'
      ? annotationChanges(workload, to.origin.revision.source)
      : null;
  const findings = [
    ...refuseIf(
      // A Rollout pauses the workload that it moves, and reacts to every change of the template itself.
      workload.spec.paused === true && controllingRolloutOf(workload) === null,
      'paused',
      'The Deployment is paused: a rollback would change its template but no pods.',
      'Resume it first. kubectl rejects this for the same reason.',
    ),
    ...checkRollback(input),
    ...checkRollbackDuringRollout(input, isStable(input)),
    ...checkReused(input, reused),
    ...checkRemovedAnnotations(to, restored ?? []),
  ];
  const annotations = restored ?? [
    { key: CHANGE_CAUSE, before: workload.annotations[CHANGE_CAUSE], after: changeCauseOf(input) },
  ];
  return unlessRefused(findings, () =>
    rollbackPlan(resource, input, {
      otherOperations: annotationPatch(workload, annotations),
      steps: [...describePodChanges(input, reused), describeNumbering(input, reused)],
      stays: [
        `Replicas (${desiredReplicas(workload)}) and autoscaling are unchanged.`,
        'The strategy, the labels and all other settings of the Deployment are unchanged.',
        likeKubectl
          ? 'Annotations are replaced by those of the revision, except the ones that kubectl never copies.'
          : 'Annotations are unchanged, except kubernetes.io/change-cause.',
        OTHER_OBJECTS_STAY,
      ],
      capacity: capacity(input, reused),
    }),
  );
}

/** So that the good revision never inherits the change cause of the bad one. */
function changeCauseOf({ to, history: { target }, reason }: RollbackInput): string {
  const from = target === null ? null : formatRevision(target);
  return causeOfRollback({ to: formatTarget(to), isAltered: to.stored !== undefined, from, reason });
}

/** Of ReplicaSets with an equal template the controller uses the oldest; null where it creates one. */
function findReused({ history, to }: RollbackInput): Revision | null {
  const oldestFirst = equalRevisions(history, to).sort((a, b) => compareCreation(a.source, b.source));
  return oldestFirst[0] ?? null;
}

function checkReused({ to }: RollbackInput, reused: Revision | null): Finding[] {
  return informIf(
    to.origin.kind === 'cluster' && to.stored === undefined && reused !== null && reused.id !== to.id,
    'duplicate_template',
    `${reused?.name ?? ''} has the same template and is older, so Kubernetes uses it instead of ${to.name}.`,
  );
}

function checkRemovedAnnotations(
  to: RollbackTarget,
  changes: readonly { key: string; after: string | undefined }[],
): Finding[] {
  const removed = changes.filter(({ after }) => after === undefined).map(({ key }) => key);
  return warnIf(
    removed.length > 0,
    'annotations_dropped',
    `Matching kubectl removes ${formatCount(removed.length, 'annotation')} that revision ${formatRevision(to)} does not have: ${formatList(removed, 6)}.`,
    'Turn off “Match kubectl rollout undo” to keep them.',
  );
}

/** Whether the rollout started from the revision. */
function isStable({ workload, history, to }: RollbackInput): boolean | null {
  const hash = stableHashOf(workload);
  if (hash === null) return null;
  return equalRevisions(history, to).some(({ source }) => source.labels['pod-template-hash'] === hash);
}

function describePodChanges(input: RollbackInput, reused: Revision | null): string[] {
  const { workload, history } = input;
  const on = formatResult(input, reused);
  const rollout = activeRolloutOf(workload);
  if (rollout !== null)
    return isStable(input) === true && input.rollsBackInSteps !== true
      ? [
          `Rollout ${rollout} ends, terminates the pods that it started and resumes the Deployment on revision ${on}.`,
        ]
      : [
          `The Deployment stays paused, and Rollout ${rollout} starts a rollout of revision ${on} with its first step.`,
        ];
  const desired = desiredReplicas(workload);
  if (desired === 0) return ['The Deployment is scaled to 0: no pod starts or terminates.'];
  const set = `${reused === null ? 'A new ReplicaSet for' : 'The ReplicaSet of'} revision ${on}`;
  const isLast = isRecreate(workload);
  const growth = describeScaleUp(set, reused?.pods.total ?? 0, desired, isLast);
  const others = history.revisions.filter(({ id, pods }) => id !== reused?.id && pods.total > 0);
  const ends = others.map(describeTermination);
  if (isLast) return [...ends, growth];
  const { surge, unavailable } = rollingLimitsOf(workload);
  if (others.length > 0)
    ends.push(
      `maxSurge ${surge}, maxUnavailable ${unavailable}: ${Math.max(0, desired - unavailable)}–${formatCount(desired + surge, 'pod')} run at any time.`,
    );
  return [growth, ...ends];
}

/** With Recreate all other pods terminate before the new ones start; what already runs the target stays. */
function capacity({ workload, pods }: RollbackInput, reused: Revision | null): Capacity {
  const rollout = activeRolloutOf(workload);
  if (rollout !== null) return capacityInSteps(`Rollout ${rollout}`);
  const desired = desiredReplicas(workload);
  return capacityOf({
    replaced: Math.max(0, desired - (reused?.pods.total ?? 0)),
    serving: isRecreate(workload)
      ? (reused?.pods.ready ?? 0)
      : servingAtLeast(readyCountOf(pods), desired, rollingLimitsOf(workload).unavailable),
  });
}

function describeScaleUp(set: string, has: number, desired: number, isLast: boolean): string {
  if (has === desired) return `${set} already has ${formatCount(desired, 'pod')}: none starts.`;
  if (has > desired) return `${set} scales ${has} → ${desired}.`;
  const starting = `${formatCount(desired - has, 'pod')} ${desired - has === 1 ? 'starts' : 'start'}`;
  const untouched = has === 0 ? '' : `, ${has} ${has === 1 ? 'keeps' : 'keep'} running`;
  const order = isLast ? ' after the others have terminated' : '';
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
