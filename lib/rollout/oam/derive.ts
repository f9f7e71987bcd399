import { type OamRollout } from '@/lib/rollout/oam/parse';
import { podsOfBatches } from '@/lib/rollout/oam/pods';
import { comparisonOf, releaseRevisions } from '@/lib/rollout/oam/revisions';
import { type Situation, situationOf } from '@/lib/rollout/oam/situation';
import { stepsOf } from '@/lib/rollout/oam/steps';
import { notesOf, planWords, say } from '@/lib/rollout/oam/words';
import { type BesideSummary, type Rollout, type RolloutAction } from '@/lib/rollout/rollout';
import { type RolloutInput, type WorkloadFacts } from '@/lib/rollout/system';

/** A Rollout of OAM with the workloads that it moves pods between, in the common shape: its batches are the steps. */
export function deriveRollout(
  system: string,
  input: RolloutInput<OamRollout>,
  actions: (situation: Situation) => RolloutAction[],
): Rollout {
  const situation = situationOf(input);
  const { rollout, index, batches, extent } = situation;
  const pods = podsOfBatches(situation);
  const steps = stepsOf(situation, pods);
  const step = steps[index - 1] ?? null;
  const comparison = comparisonOf(situation);
  return {
    system,
    resource: rollout.resource,
    namespace: rollout.namespace,
    name: rollout.name,
    uid: rollout.uid,
    createdAt: rollout.createdAt,
    deletedAt: rollout.deletedAt,
    workload: { ...rollout.workload, state: input.workload.state },
    ...say(situation, step?.state ?? null, step?.waitsFor ?? null),
    phase: rollout.rolling,
    reported: {
      message: null,
      stepState: rollout.batch === '' ? null : rollout.batch,
      conditions: rollout.conditions,
    },
    style: 'batch',
    paused: rollout.plan.isPaused,
    disabled: false,
    step: { index, total: batches.length, state: step?.state ?? null, next: null },
    release: { id: rollout.target, startedAt: null },
    revisions: releaseRevisions(situation),
    ...(comparison !== undefined && { comparison }),
    replicas: { desired: extent?.target ?? null, ...countsOf(situation) },
    replacesPods: true,
    ...(!rollout.isInPlace && { sources: sourcesOf(situation) }),
    plan: planWords(situation),
    steps,
    unassignedPods: pods.unassigned,
    auxiliaries: [],
    routes: [],
    beside: besideOf(situation),
    notes: notesOf(situation),
    actions: actions(situation),
  };
}

/**
 * Text that changes with everything that an action depends on: where the rollout stands, what it leads to, and its plan. Counts of pods and
 * messages do not get in the way.
 */
export function seenText({ object, workload }: RolloutInput<OamRollout>): string {
  const { status, plan } = object;
  return JSON.stringify([
    [object.uid, object.deletedAt !== null, object.rolling, object.batch, status.currentBatch],
    [object.target, object.source, object.sources, status.lastTarget, status.lastSource],
    [plan, status.rolloutTargetSize, object.isOurs, object.renderedBy],
    workload.state === 'found' ? workload.facts.workload.uid : null,
  ]);
}

/** Of the target by its pods; without those as the status counts. */
function countsOf({
  target,
  pods,
  rollout,
  stage,
}: Situation): Pick<Rollout['replicas'], 'updated' | 'ready'> {
  if (stage === 'new') return { updated: null, ready: null };
  if (target === null)
    return rollout.rolling === ''
      ? { updated: null, ready: null }
      : { updated: rollout.status.upgradedReplicas, ready: rollout.status.upgradedReadyReplicas };
  return { updated: pods.length, ready: pods.filter((pod) => pod.ready).length };
}

function sourcesOf({ sources }: Situation): { resource: string; name: string }[] {
  return sources.map(({ workload: { resource, name } }) => ({ resource, name }));
}

/** The workloads that pods come from. */
function besideOf({ rollout, sources, former }: Situation): BesideSummary[] {
  const { kind } = rollout.workload;
  const summaryOf = (
    { workload: { resource, name }, history, desired }: WorkloadFacts,
    phase: string,
  ): BesideSummary => {
    const pods = history.revisions.reduce((sum, revision) => sum + revision.pods.total, 0);
    const ready = history.revisions.reduce((sum, revision) => sum + revision.pods.ready, 0);
    return { resource, kind, name, phase, message: `${ready} of ${pods} pods ready, ${desired} asked for` };
  };
  return [
    ...sources.map((source) => summaryOf(source, 'source')),
    ...former.map((other) => summaryOf(other, 'not part of the current rollout')),
  ];
}
