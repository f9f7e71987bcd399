import type { ResourceType } from '@/lib/kube/resource';
import type { RelatedObjectSummary } from '@/lib/api/rollouts';
import { defineSystem, type Description } from '@/lib/rollout/define-system';
import { oamActions } from '@/lib/rollout/oam/actions';
import { type OamContext, readOamContext } from '@/lib/rollout/oam/context';
import { describePlan, notesOf } from '@/lib/rollout/oam/notes';
import {
  type OamRollout,
  parseAppRollout,
  parseApplicationDeployment,
  parseOamRollout,
  parseRolloutTrait,
} from '@/lib/rollout/oam/parse';
import {
  applicationDeployments,
  appRollouts,
  describeReadOnly,
  oamRollouts as rollouts,
  rolloutTraits,
} from '@/lib/rollout/oam/resources';
import { sidesOf, comparisonOf, findOamRevisions } from '@/lib/rollout/oam/revisions';
import { describeStall, findDeadlines, findOamFacts } from '@/lib/rollout/oam/stages';
import { findOamPods, listBatches } from '@/lib/rollout/oam/steps';
import { writeRight } from '@/lib/rollout/plan-action';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { RolloutFacts } from '@/lib/rollout/rollout-facts';
import type { RolloutInput, RolloutSystem } from '@/lib/rollout/system';

/** Rules of all generations: batches are the steps. They only share out pods, not requests. */
const commonRules = {
  members: { sides: sidesOf },
  readContext: readOamContext,
  findFacts: findOamFacts,
  controller: 'an OAM Rollout controller',
  findDeadlines,
  describeStall: (context: OamContext) => describeStall(context),
  findPods: findOamPods,
  listSteps: listBatches,
  actions: oamActions,
  describe,
  listPreconditions,
};

/** Rollouts of OAM, as shipped with KubeVela and as Shiplog's own controller runs them. */
export const oamRolloutSystem = defineSystem<OamRollout, OamContext>({
  ...commonRules,
  id: 'oam',
  resource: rollouts,
  parse: parseOamRollout,
  rightOf: (object, action) =>
    action === 'delete' ? { ...writeRight(rollouts, object), verb: 'delete' } : undefined,
});

/** A legacy generation, which no controller works on any more. */
function legacySystem(id: string, resource: ResourceType, parse: RolloutSystem<OamRollout>['parse']) {
  return defineSystem<OamRollout, OamContext>({
    ...commonRules,
    id,
    resource,
    parse,
    readOnly: describeReadOnly(resource),
  });
}

export const appRolloutSystem = legacySystem('oam-approllout', appRollouts, parseAppRollout);
export const applicationDeploymentSystem = legacySystem(
  'oam-applicationdeployment',
  applicationDeployments,
  parseApplicationDeployment,
);
export const rolloutTraitSystem = legacySystem('oam-rollouttrait', rolloutTraits, parseRolloutTrait);

function describe(context: OamContext): Description {
  const { rollout, extent } = context;
  const description: Description = {
    phase: rollout.rolling,
    reported: {
      message: null,
      stepState: rollout.batch === '' ? null : rollout.batch,
      conditions: rollout.conditions,
    },
    style: 'batch',
    run: { id: rollout.target, startedAt: null },
    revisions: findOamRevisions(context),
    replicas: { desired: extent?.target ?? null, ...countsOf(context) },
    replacesPods: true,
    plan: describePlan(context),
    relatedObjects: relatedObjectsOf(context),
    notes: notesOf(context),
  };
  const comparison = comparisonOf(context);
  if (comparison !== undefined) description.comparison = comparison;
  if (!rollout.isInPlace) description.sources = sourcesOf(context);
  return description;
}

function listPreconditions({ object, workload }: RolloutInput<OamRollout>): unknown[] {
  const { status, plan } = object;
  return [
    [object.uid, object.deletedAt !== null, object.rolling, object.batch, status.currentBatch],
    [object.target, object.source, object.sources, status.lastTarget, status.lastSource],
    [plan, status.rolloutTargetSize, object.isOurs, object.renderedBy],
    workload.state === 'found' ? workload.facts.workload.uid : null,
  ];
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
