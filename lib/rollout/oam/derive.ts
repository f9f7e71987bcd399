import type { OamRollout } from '@/lib/rollout/oam/parse';
import { podsOfBatches } from '@/lib/rollout/oam/pods';
import { comparisonOf, findOamRevisions } from '@/lib/rollout/oam/revisions';
import { type OamContext, oamContextOf } from '@/lib/rollout/oam/context';
import { stepsOf } from '@/lib/rollout/oam/steps';
import { notesOf, describePlan, describeRollout } from '@/lib/rollout/oam/describe';
import { identityFacts } from '@/lib/rollout/object-facts';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { RelatedObjectSummary, RolloutAction } from '@/lib/api/rollouts';
import type { RolloutInput } from '@/lib/rollout/system';
import type { RolloutFacts } from '@/lib/rollout/rollout-facts';

/** A Rollout of OAM with the workloads that it moves pods between, in the common shape: its batches are the steps. */
export function deriveOamRollout(
  system: string,
  input: RolloutInput<OamRollout>,
  actions: (context: OamContext) => RolloutAction[],
): ProgressiveRollout {
  const context = oamContextOf(input);
  const { rollout, index, batches, extent } = context;
  const pods = podsOfBatches(context);
  const steps = stepsOf(context, pods);
  const step = steps[index - 1] ?? null;
  const comparison = comparisonOf(context);
  return {
    system,
    ...identityFacts(rollout, input.workload.state),
    ...describeRollout(context, step?.state ?? null, step?.waitsFor ?? null),
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
    run: { id: rollout.target, startedAt: null },
    revisions: findOamRevisions(context),
    ...(comparison !== undefined && { comparison }),
    replicas: { desired: extent?.target ?? null, ...countsOf(context) },
    replacesPods: true,
    ...(!rollout.isInPlace && { sources: sourcesOf(context) }),
    plan: describePlan(context),
    steps,
    unassignedPods: pods.unassigned,
    auxiliaries: [],
    routes: [],
    relatedObjects: relatedObjectsOf(context),
    notes: notesOf(context),
    actions: actions(context),
  };
}

/**
 * Text that changes with everything that an action depends on: the state of the rollout, its target, and its
 * plan. Counts of pods and messages are left out.
 */
export function preconditionText({ object, workload }: RolloutInput<OamRollout>): string {
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
}: OamContext): Pick<ProgressiveRollout['replicas'], 'updated' | 'ready'> {
  if (stage === 'new') return { updated: null, ready: null };
  if (target === null)
    return rollout.rolling === ''
      ? { updated: null, ready: null }
      : { updated: rollout.status.upgradedReplicas, ready: rollout.status.upgradedReadyReplicas };
  return { updated: pods.length, ready: pods.filter((pod) => pod.ready).length };
}

function sourcesOf({ sources }: OamContext): { resource: string; name: string }[] {
  return sources.map(({ workload: { resource, name } }) => ({ resource, name }));
}

/** The workloads that pods come from. */
function relatedObjectsOf({ rollout, sources, former }: OamContext): RelatedObjectSummary[] {
  const { kind } = rollout.workload;
  const summaryOf = (
    { workload: { resource, name }, history, desired }: RolloutFacts,
    phase: string,
  ): RelatedObjectSummary => {
    const pods = history.revisions.reduce((sum, revision) => sum + revision.pods.total, 0);
    const ready = history.revisions.reduce((sum, revision) => sum + revision.pods.ready, 0);
    return { resource, kind, name, phase, message: `${ready} of ${pods} pods ready, ${desired} desired` };
  };
  return [
    ...sources.map((source) => summaryOf(source, 'source')),
    ...former.map((other) => summaryOf(other, 'not part of the current rollout')),
  ];
}
