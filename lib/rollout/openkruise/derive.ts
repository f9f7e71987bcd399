import { actionsOf } from '@/lib/rollout/openkruise/actions';
import { summaryOf } from '@/lib/rollout/openkruise/beside';
import { type KruiseRollout } from '@/lib/rollout/openkruise/parse';
import { podsOfRelease } from '@/lib/rollout/openkruise/pods';
import { newerTemplate, releaseRevisions } from '@/lib/rollout/openkruise/revisions';
import { conditionOf, type Situation, situationOf } from '@/lib/rollout/openkruise/situation';
import { currentIndex, desiredOf, stepsOf } from '@/lib/rollout/openkruise/steps';
import { notesOf, say } from '@/lib/rollout/openkruise/words';
import { type Rollout } from '@/lib/rollout/rollout';
import { type RolloutInput } from '@/lib/rollout/system';

/** A Rollout of OpenKruise with its workload, its pods and what takes part beside it, in the common shape. */
export function deriveRollout(input: RolloutInput<KruiseRollout>): Rollout {
  const situation = situationOf(input);
  const { rollout, progress, stage, total } = situation;
  const revisions = releaseRevisions(situation);
  const pods = podsOfRelease(situation, revisions);
  const steps = stepsOf(situation, pods);
  const index = currentIndex(situation);
  const step = steps[index - 1] ?? null;
  const said = say(situation, step?.state ?? null, step?.waitsFor ?? null);
  const isAnnounced = stage !== 'idle' && stage !== 'initial' && progress !== null;
  return {
    system: 'openkruise',
    resource: rollout.resource,
    namespace: rollout.namespace,
    name: rollout.name,
    uid: rollout.uid,
    createdAt: rollout.createdAt,
    deletedAt: rollout.deletedAt,
    workload: { ...rollout.workload, state: input.workload.state },
    ...said,
    phase: rollout.phase,
    reported: {
      message: rollout.message,
      stepState: rollout.progress?.stepState ?? null,
      conditions: rollout.conditions,
    },
    style: situation.style,
    paused: rollout.paused,
    disabled: rollout.disabled,
    step: { index, total, state: step?.state ?? null, next: jumpOf(situation) },
    release: { id: isAnnounced ? progress.rolloutId : null, startedAt: startedAt(situation) },
    revisions: { stable: revisions.stable, updated: revisions.updated },
    replicas: {
      desired: desiredOf(situation),
      updated: isAnnounced && stage !== 'rolledBack' ? progress.updated : null,
      ready: isAnnounced && stage !== 'rolledBack' ? progress.ready : null,
    },
    steps,
    unassignedPods: pods.unassigned,
    auxiliaries: situation.auxiliaries.map(({ workload: { resource, name } }) => ({ resource, name })),
    routes: rollout.routes,
    beside: situation.beside.map(summaryOf),
    notes: notesOf(situation, revisions, newerTemplate(situation, revisions), pods.unassigned.length),
    actions: actionsOf(situation, revisions),
  };
}

/**
 * Text that changes with everything that an action depends on: the object, where its release stands, what it releases and
 * the template of its workload. Counts of pods and messages do not get in the way.
 */
export function seenText({ object, workload }: RolloutInput<KruiseRollout>): string {
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

/** Where the status asks for another step than the following one. */
function jumpOf({ progress, stage, total }: Situation): number | null {
  if (progress === null || (stage !== 'inStep' && stage !== 'paused')) return null;
  const { stepIndex, nextStepIndex } = progress;
  if (nextStepIndex === null || nextStepIndex < 1 || nextStepIndex > total) return null;
  return nextStepIndex === stepIndex + 1 ? null : nextStepIndex;
}

/** When its steps began, while a release is under way. */
function startedAt({ rollout, stage }: Situation): string | null {
  if (stage !== 'inStep' && stage !== 'paused' && stage !== 'rollingBack' && stage !== 'completing')
    return null;
  return conditionOf(rollout, 'Progressing')?.lastTransitionTime ?? null;
}
