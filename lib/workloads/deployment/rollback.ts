import { compareCreation } from '@/lib/history/order';
import { type Revision } from '@/lib/history/revision';
import { annotationChanges, annotationPatch } from '@/lib/workloads/deployment/annotations';
import { desiredReplicas, isRecreate, leewayOf } from '@/lib/workloads/deployment/strategy';
import { type Planned, type RollbackInput } from '@/lib/workloads/kind';
import { checkRelease } from '@/lib/workloads/kruise/release';
import { holdingRollout, releasingRollout, stableHash } from '@/lib/workloads/kruise/rollout-marks';
import { type Finding, type Plan } from '@/lib/workloads/plan';
import { type ResourceType } from '@/lib/workloads/resource';
import { checkRollback, unlessRefused } from '@/lib/workloads/rollback-checks';
import { numberStep, rollbackPlan } from '@/lib/workloads/rollback-plan';
import { CHANGE_CAUSE } from '@/lib/workloads/summarise';
import { calledTarget, equalRevisions } from '@/lib/workloads/rollback-target';
import { called, count, listed } from '@/lib/workloads/words';

/**
 * Return of a Deployment to an earlier template. The template is what `kubectl rollout undo` would write; of the
 * annotations only the change-cause is set, unless the viewer wants all of them as kubectl restores them.
 * https://github.com/kubernetes/kubectl/blob/master/pkg/polymorphichelpers/rollback.go
 */
export function planDeploymentRollback(resource: ResourceType, input: RollbackInput): Planned {
  const findings = [
    ...checkPaused(input),
    ...checkRollback(input),
    ...checkRelease(input, isStable(input)),
    ...notes(input),
  ];
  return unlessRefused(findings, () => planOf(resource, input));
}

function planOf(resource: ResourceType, input: RollbackInput): Plan {
  const { workload, to } = input;
  const annotations =
    input.likeKubectl && to.origin.kind === 'cluster'
      ? annotationChanges(workload, to.origin.revision.source)
      : [{ key: CHANGE_CAUSE, before: workload.annotations[CHANGE_CAUSE], after: causeOf(input) }];
  return rollbackPlan(resource, input, {
    also: annotationPatch(workload, annotations),
    steps: [...podSteps(input), numberStep(input, reusedSet(input))],
    stays: staysOf(input),
  });
}

/** "rollback to revision 42 (was 43): reason", so that the good revision never inherits the cause of the bad one. */
function causeOf({ to, history, reason }: RollbackInput): string {
  const was = history.target === null ? '' : ` (was ${called(history.target)})`;
  const why = reason.trim();
  return `rollback to revision ${calledTarget(to)}${was}${why === '' ? '' : `: ${why}`}`;
}

function checkPaused({ workload }: RollbackInput): Finding[] {
  // A Rollout pauses what it moves, and sees every change of the template itself.
  if (workload.spec.paused !== true || holdingRollout(workload) !== null) return [];
  return [
    {
      severity: 'refusal',
      code: 'paused',
      message: 'The Deployment is paused: a rollback would change its template and no pod.',
      action: 'Resume it first; kubectl refuses for the same reason.',
    },
  ];
}

/** A target from the archive has neither another set of its own nor annotations. */
function notes(input: RollbackInput): Finding[] {
  const { workload, to } = input;
  if (to.origin.kind !== 'cluster') return [];
  const findings: Finding[] = [];
  const reused = reusedSet(input);
  if (reused !== null && reused.id !== to.id) {
    findings.push({
      severity: 'info',
      code: 'duplicate_template',
      message: `${reused.name} holds the same template and is older; Kubernetes will use it instead of ${to.name}.`,
      action: null,
    });
  }
  if (!input.likeKubectl) return findings;
  const dropped = annotationChanges(workload, to.origin.revision.source).filter(
    ({ after }) => after === undefined,
  );
  if (dropped.length > 0) {
    findings.push({
      severity: 'warning',
      code: 'annotations_dropped',
      message: `As kubectl does it, ${count(dropped.length, 'annotation')} that revision ${called(to)} lacks will be removed: ${listed(
        dropped.map(({ key }) => key),
        6,
      )}.`,
      action: 'Leave “exactly like kubectl” off to keep them.',
    });
  }
  return findings;
}

/** Of ReplicaSets with an equal template the controller takes the oldest; null where it makes a new one. */
function reusedSet({ history, to }: RollbackInput): Revision | null {
  const oldestFirst = equalRevisions(history, to).sort((a, b) => compareCreation(a.source, b.source));
  return oldestFirst[0] ?? null;
}

/** Whether a Rollout's release started from the revision. */
function isStable({ workload, history, to }: RollbackInput): boolean | null {
  const hash = stableHash(workload);
  if (hash === null) return null;
  return equalRevisions(history, to).some(({ source }) => source.labels['pod-template-hash'] === hash);
}

function releaseSteps(input: RollbackInput): string[] | null {
  const rollout = releasingRollout(input.workload);
  if (rollout === null) return null;
  const on = calledTarget(input.to);
  return isStable(input) === true && input.rollsBackInSteps !== true
    ? [
        `Rollout ${rollout} ends its release, terminates the pods that it brought and resumes the Deployment on revision ${on}.`,
      ]
    : [
        `The Deployment stays paused, and Rollout ${rollout} begins a release of revision ${on} with its first step.`,
      ];
}

function podSteps(input: RollbackInput): string[] {
  const released = releaseSteps(input);
  if (released !== null) return released;
  const desired = desiredReplicas(input.workload);
  if (desired === 0) return ['The Deployment is scaled to 0: no pod starts or ends.'];
  const reused = reusedSet(input);
  const growth = growthStep(input, desired);
  const others = input.history.revisions.filter(({ id, pods }) => id !== reused?.id && pods.total > 0);
  const ends = others.map(endStep);
  if (isRecreate(input.workload)) return [...ends, growth];
  const { surge, unavailable } = leewayOf(input.workload);
  const leeway = `At any time at most ${count(surge, 'pod')} more and ${unavailable} fewer than ${desired} run.`;
  return [growth, ...ends, ...(others.length > 0 ? [leeway] : [])];
}

function growthStep(input: RollbackInput, desired: number): string {
  const reused = reusedSet(input);
  const has = reused?.pods.total ?? 0;
  const set = `${reused === null ? 'A new ReplicaSet for' : 'The ReplicaSet of'} ${calledTarget(input.to)}`;
  if (has === desired) return `${set} already has ${count(desired, 'pod')}: none is started.`;
  if (has > desired) return `${set} shrinks ${has} → ${desired}.`;
  const starting = `${count(desired - has, 'pod')} ${desired - has === 1 ? 'starts' : 'start'}`;
  const untouched = has === 0 ? '' : `, ${has} ${has === 1 ? 'is' : 'are'} not touched`;
  const order = isRecreate(input.workload) ? ' once the others are gone' : '';
  return `${set} grows ${has} → ${desired}: ${starting}${untouched}${order}.`;
}

function endStep(revision: Revision): string {
  const { total, ready } = revision.pods;
  const on = called(revision);
  const subject = total === 1 ? `The one pod of ${on} ends` : `The ${total} pods of ${on} end`;
  if (ready > 0) return `${subject}.`;
  return `${subject}; ${total === 1 ? 'it is not' : 'none is'} ready, so nobody loses service.`;
}

function staysOf({ workload, likeKubectl }: RollbackInput): string[] {
  const desired = desiredReplicas(workload);
  return [
    `${count(desired, 'replica')} ${desired === 1 ? 'stays' : 'stay'} asked for, and whatever scales them goes on.`,
    'The strategy, the labels and every other setting of the Deployment stay.',
    likeKubectl
      ? 'Only the annotations that kubectl never touches are sure to stay.'
      : 'Every annotation but the change-cause keeps its value.',
    'ConfigMaps, Secrets, Services and the ServiceAccount stay as they are now; they have no history.',
  ];
}
