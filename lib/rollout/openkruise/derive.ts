import { actionsOf } from '@/lib/rollout/openkruise/actions';
import { summaryOf } from '@/lib/rollout/openkruise/related-objects';
import type { KruiseRollout } from '@/lib/rollout/openkruise/parse';
import { findKruisePods } from '@/lib/rollout/openkruise/pods';
import { newerTemplate, findKruiseRevisions } from '@/lib/rollout/openkruise/revisions';
import { conditionOf, type KruiseContext, kruiseContextOf } from '@/lib/rollout/openkruise/context';
import { currentIndex, desiredOf, stepsOf } from '@/lib/rollout/openkruise/steps';
import { notesOf, describeRollout } from '@/lib/rollout/openkruise/describe';
import { identityFacts } from '@/lib/rollout/object-facts';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { RolloutInput } from '@/lib/rollout/system';

/** A Rollout of OpenKruise with its workload, its pods and its related objects, in the common shape. */
export function deriveKruiseRollout(input: RolloutInput<KruiseRollout>): ProgressiveRollout {
  const context = kruiseContextOf(input);
  const { rollout, progress, stage, total } = context;
  const revisions = findKruiseRevisions(context);
  const pods = findKruisePods(context, revisions);
  const steps = stepsOf(context, pods);
  const index = currentIndex(context);
  const step = steps[index - 1] ?? null;
  const described = describeRollout(context, step?.state ?? null, step?.waitsFor ?? null);
  const isAnnounced = stage !== 'idle' && stage !== 'initial' && progress !== null;
  return {
    system: 'openkruise',
    ...identityFacts(rollout, input.workload.state),
    ...described,
    phase: rollout.phase,
    reported: {
      message: rollout.message,
      stepState: rollout.progress?.stepState ?? null,
      conditions: rollout.conditions,
    },
    style: context.style,
    paused: rollout.paused,
    disabled: rollout.disabled,
    step: { index, total, state: step?.state ?? null, next: jumpOf(context) },
    run: { id: isAnnounced ? progress.rolloutId : null, startedAt: startedAt(context) },
    revisions: { stable: revisions.stable, updated: revisions.updated },
    replicas: {
      desired: desiredOf(context),
      updated: isAnnounced && stage !== 'rolledBack' ? progress.updated : null,
      ready: isAnnounced && stage !== 'rolledBack' ? progress.ready : null,
    },
    steps,
    unassignedPods: pods.unassigned,
    auxiliaries: context.auxiliaries.map(({ workload: { resource, name } }) => ({ resource, name })),
    routes: rollout.routes,
    relatedObjects: context.relatedObjects.map(summaryOf),
    notes: notesOf(context, revisions, newerTemplate(context, revisions), pods.unassigned.length),
    actions: actionsOf(context, revisions),
  };
}

/**
 * Text that changes with everything that an action depends on: the object, the state of its rollout, its
 * revision and the template of its workload. Counts of pods and messages are left out.
 */
export function preconditionText({ object, workload }: RolloutInput<KruiseRollout>): string {
  const { uid, phase, paused, disabled, deletedAt, strategy, steps, progress, conditions } = object;
  const progressing = conditions.find(({ type }) => type === 'Progressing')?.reason ?? null;
  return JSON.stringify([
    uid,
    phase,
    progressing,
    paused,
    disabled,
    deletedAt !== null,
    strategy,
    steps,
    [object.extraWorkload, object.rollbackInBatch, object.workload.resource, object.workload.name],
    progress === null
      ? null
      : [
          progress.stepIndex,
          progress.nextStepIndex,
          progress.stepState,
          progress.rolloutId,
          progress.updatedRevision,
          progress.stableRevision,
          progress.podTemplateHash,
        ],
    workload.state === 'found' ? [workload.facts.workload.uid, workload.facts.workload.bodyId] : null,
  ]);
}

/** Where the status requests another step than the following one. */
function jumpOf({ progress, stage, total }: KruiseContext): number | null {
  if (progress === null || (stage !== 'inStep' && stage !== 'paused')) return null;
  const { stepIndex, nextStepIndex } = progress;
  if (nextStepIndex === null || nextStepIndex < 1 || nextStepIndex > total) return null;
  return nextStepIndex === stepIndex + 1 ? null : nextStepIndex;
}

/** When its steps began, while a rollout is in progress. */
function startedAt({ rollout, stage }: KruiseContext): string | null {
  if (stage !== 'inStep' && stage !== 'paused' && stage !== 'rollingBack' && stage !== 'completing')
    return null;
  return conditionOf(rollout, 'Progressing')?.lastTransitionTime ?? null;
}
