import { listActions } from '@/lib/engine/allowed';
import { findNextChange } from '@/lib/engine/waits';
import { oamActions, readOnlyActions } from '@/lib/rollout/oam/rules';
import {
  type OamRollout,
  parseAppRollout,
  parseApplicationDeployment,
  parseOamRollout,
  parseRolloutTrait,
} from '@/lib/rollout/oam/parse';
import { planOamAction, rightOf } from '@/lib/rollout/oam/plans';
import {
  applicationDeployments,
  appRollouts,
  oamRollouts as rollouts,
  rolloutTraits,
} from '@/lib/rollout/oam/resources';
import { sidesOf, comparisonOf, findOamRevisions } from '@/lib/rollout/oam/revisions';
import { findDeadlines, findProgress } from '@/lib/rollout/oam/progress';
import type { ResourceType } from '@/lib/kube/resource';
import { podsOfBatches } from '@/lib/rollout/oam/pods';
import { type OamContext, oamContextOf } from '@/lib/rollout/oam/context';
import { stepsOf } from '@/lib/rollout/oam/steps';
import { describePlan, notesOf } from '@/lib/rollout/oam/notes';
import { shapeRollout } from '@/lib/rollout/common-shape';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { RelatedObjectSummary, RolloutAction } from '@/lib/api/rollouts';
import { plainSystem, type RolloutInput, type RolloutSystem } from '@/lib/rollout/system';
import type { RolloutFacts } from '@/lib/rollout/rollout-facts';

/** Shared by all generations. They only share out pods, not requests. */
const commonMembers = {
  ...plainSystem,
  validUntil: (input) => findNextChange(oamContextOf(input), findDeadlines),
  preconditionText,
  sides: sidesOf,
} satisfies Partial<RolloutSystem<OamRollout>>;

/** Rollouts of OAM, as shipped with KubeVela and as Shiplog's own controller runs them. */
export const oamRolloutSystem: RolloutSystem<OamRollout> = {
  ...commonMembers,
  id: 'oam',
  resource: rollouts,
  parse: parseOamRollout,
  derive: (input) => derive('oam', input, (context) => listActions(oamActions, context)),
  plan: (input, request) => planOamAction(input, request, listActions(oamActions, oamContextOf(input))),
  rightOf,
};

/** A legacy generation, read-only. */
function legacySystem(
  id: string,
  resource: ResourceType,
  parse: RolloutSystem<OamRollout>['parse'],
): RolloutSystem<OamRollout> {
  return {
    ...commonMembers,
    id,
    resource,
    parse,
    derive: (input) => derive(id, input, () => readOnlyActions(resource)),
    plan: (input, request) => planOamAction(input, request, readOnlyActions(resource)),
    rightOf: () => null,
  };
}

export const appRolloutSystem = legacySystem('oam-approllout', appRollouts, parseAppRollout);
export const applicationDeploymentSystem = legacySystem(
  'oam-applicationdeployment',
  applicationDeployments,
  parseApplicationDeployment,
);
export const rolloutTraitSystem = legacySystem('oam-rollouttrait', rolloutTraits, parseRolloutTrait);

/** A Rollout of OAM with the workloads that it moves pods between, in the common shape: its batches are the steps. */
function derive(
  system: string,
  input: RolloutInput<OamRollout>,
  actions: (context: OamContext) => RolloutAction[],
): ProgressiveRollout {
  const context = oamContextOf(input);
  const { rollout, index, batches, extent } = context;
  const pods = podsOfBatches(context);
  const steps = stepsOf(context, pods);
  const step = steps[index - 1] ?? null;
  const derived: ProgressiveRollout = {
    ...shapeRollout(system, rollout, input.workload.state),
    ...findProgress(context, step),
    phase: rollout.rolling,
    reported: {
      message: null,
      stepState: rollout.batch === '' ? null : rollout.batch,
      conditions: rollout.conditions,
    },
    style: 'batch',
    paused: context.isPaused,
    step: { index, total: batches.length, state: step?.state ?? null, next: null },
    run: { id: rollout.target, startedAt: null },
    revisions: findOamRevisions(context),
    replicas: { desired: extent?.target ?? null, ...countsOf(context) },
    replacesPods: true,
    plan: describePlan(context),
    steps,
    unassignedPods: pods.unassigned,
    relatedObjects: relatedObjectsOf(context),
    notes: notesOf(context),
    actions: actions(context),
  };
  const comparison = comparisonOf(context);
  const compared = comparison === undefined ? derived : { ...derived, comparison };
  return rollout.isInPlace ? compared : { ...compared, sources: sourcesOf(context) };
}

/**
 * Text that changes with everything that an action depends on: the state of the rollout, its target, and its
 * plan. Counts of pods and messages are left out.
 */
function preconditionText({ object, workload }: RolloutInput<OamRollout>): string {
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
