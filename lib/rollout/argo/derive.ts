import { experimentOf } from '@/lib/rollout/argo/beside';
import { actionsOf } from '@/lib/rollout/argo/actions';
import { type ArgoRollout } from '@/lib/rollout/argo/parse';
import { podsOfRelease } from '@/lib/rollout/argo/pods';
import { releaseRevisions } from '@/lib/rollout/argo/revisions';
import { isReleasing, type Situation, situationOf } from '@/lib/rollout/argo/situation';
import { stepsOf } from '@/lib/rollout/argo/steps';
import { notesOf, say } from '@/lib/rollout/argo/words';
import { type Rollout } from '@/lib/rollout/rollout';
import { type RolloutInput } from '@/lib/rollout/system';

/** A Rollout of Argo with its pods and what judges it, in the common shape. It is its own workload. */
export function deriveRollout(input: RolloutInput<ArgoRollout>): Rollout {
  const situation = situationOf(input);
  const { rollout, index, total } = situation;
  const pods = podsOfRelease(situation);
  const steps = stepsOf(situation, pods);
  const step = steps[index - 1] ?? null;
  return {
    system: 'argo',
    resource: rollout.resource,
    namespace: rollout.namespace,
    name: rollout.name,
    uid: rollout.uid,
    createdAt: rollout.createdAt,
    deletedAt: rollout.deletedAt,
    workload: { ...rollout.workload, state: input.workload.state },
    ...say(situation, step?.state ?? null, step?.waitsFor ?? null),
    phase: rollout.phase,
    reported: { message: rollout.message, stepState: null, conditions: rollout.conditions },
    style: situation.style,
    paused: rollout.paused,
    disabled: false,
    step: { index, total, state: step?.state ?? null, next: null },
    release: { id: releaseId(situation), startedAt: startedAt(situation) },
    revisions: releaseRevisions(situation),
    replicas: replicasOf(situation),
    // Without anything that routes requests, the pods themselves are the weight.
    ...(rollout.strategy === 'canary' && !rollout.isRouted && { replacesPods: true }),
    steps,
    unassignedPods: pods.unassigned,
    auxiliaries: [],
    routes: rollout.routes,
    beside: situation.trials,
    notes: notesOf(situation, isReleasing(situation) ? pods.unassigned.length : 0),
    actions: actionsOf(situation),
  };
}

/**
 * Text that changes with everything that an action depends on: where the release stands, what it releases, its plan and its
 * template. Counts of pods and messages do not get in the way.
 */
export function seenText({ object, workload, beside }: RolloutInput<ArgoRollout>): string {
  return JSON.stringify([
    [object.uid, object.deletedAt !== null, object.phase, object.isBehind, object.paused],
    [object.aborted, object.promoteFull, object.controllerPause, object.pauses],
    [object.currentHash, object.stableHash, object.stepIndex, object.stepHash, object.revision],
    [object.strategy, object.steps, object.blueGreen, object.activeHash, object.reference],
    object.runs.map(({ role, name, status }) => [role, name, status]),
    [object.experiment, experimentOf(object, beside)?.phase ?? null],
    workload.state === 'found' ? [workload.facts.workload.uid, workload.facts.workload.bodyId] : null,
  ]);
}

/** A number is given once: the same template released again is another release. */
function releaseId({ rollout, stage }: Situation): string | null {
  return stage === 'idle' || stage === 'initial' ? null : (rollout.revision ?? rollout.currentHash);
}

/** When the revision got its number, where the cluster proves that. */
function startedAt(situation: Situation): string | null {
  if (!isReleasing(situation)) return null;
  return situation.current?.activations.at(-1)?.from ?? null;
}

/** Of the new revision by its ReplicaSet; without that as the status counts. */
function replicasOf({ rollout, current, stage }: Situation): Rollout['replicas'] {
  if (stage === 'idle' || stage === 'initial')
    return { desired: rollout.desired, updated: null, ready: null };
  const scale = current?.source.scale;
  return {
    desired: rollout.desired,
    updated: scale?.current ?? rollout.counts.updated,
    ready: scale?.ready ?? null,
  };
}
