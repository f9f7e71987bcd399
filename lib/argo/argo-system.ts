import { argoActions, findRightElsewhere } from '@/lib/argo/actions';
import { analysisObjects, experimentOf } from '@/lib/argo/analyses';
import { type ArgoContext, findArgoRevisions, isReleasing, readArgoContext } from '@/lib/argo/context';
import { isRestarting } from '@/lib/argo/facts';
import { type ArgoRollout, parseArgoRollout } from '@/lib/argo/reading';
import { argoRollouts } from '@/lib/argo/resource';
import { findArgoFacts, findDeadlines } from '@/lib/argo/stages';
import { findArgoPods, listArgoSteps } from '@/lib/argo/steps';
import type { StepPods } from '@/lib/rollout/common-shape';
import { defineSystem, type Description } from '@/lib/rollout/define-system';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { RolloutInput } from '@/lib/rollout/system';

/** Rollouts of Argo, which are their own workloads. https://argoproj.github.io/argo-rollouts/ */
export const argoRolloutSystem = defineSystem<ArgoRollout, ArgoContext>({
  id: 'argo',
  resource: argoRollouts,
  parse: parseArgoRollout,
  members: { relatedObjects: analysisObjects },
  readContext: readArgoContext,
  findFacts: findArgoFacts,
  controller: 'the Argo Rollouts controller',
  findDeadlines,
  findPods: findArgoPods,
  listSteps: listArgoSteps,
  actions: argoActions,
  rightOf: findRightElsewhere,
  describe,
  listPreconditions,
});

function describe(context: ArgoContext, pods: StepPods): Description {
  const { rollout } = context;
  const description: Description = {
    phase: rollout.phase,
    reported: { message: rollout.message, stepState: null, conditions: rollout.conditions },
    style: context.style,
    run: { id: runId(context), startedAt: startedAt(context) },
    revisions: findArgoRevisions(context),
    replicas: replicasOf(context),
    routes: rollout.routes,
    relatedObjects: context.analyses,
    notes: notesOf(context, isReleasing(context) ? pods.unassigned.length : 0),
  };
  // Without a traffic router, the pods themselves are the weight.
  if (rollout.strategy === 'canary' && !rollout.isRouted) description.replacesPods = true;
  return description;
}

function listPreconditions({ object, workload, relatedObjects }: RolloutInput<ArgoRollout>): unknown[] {
  return [
    [object.uid, object.deletedAt !== null, object.phase, object.isBehind, object.paused],
    [object.aborted, object.promoteFull, object.controllerPause, object.pauses],
    [object.currentHash, object.stableHash, object.stepIndex, object.stepHash, object.revision],
    [object.strategy, object.steps, object.blueGreen, object.activeHash, object.reference],
    object.runs.map(({ role, name, status }) => [role, name, status]),
    [object.experiment, experimentOf(object, relatedObjects)?.phase ?? null],
    workload.state === 'found' ? [workload.facts.workload.uid, workload.facts.workload.bodyId] : null,
  ];
}

/** A number is assigned once: the same template shipped again is another rollout. */
function runId({ rollout, stage }: ArgoContext): string | null {
  return stage === 'idle' || stage === 'initial' ? null : (rollout.revision ?? rollout.currentHash);
}

/** When the revision got its number, where the cluster proves that. */
function startedAt(context: ArgoContext): string | null {
  if (!isReleasing(context)) return null;
  return context.current?.activations.at(-1)?.from ?? null;
}

/** Of the new revision by its ReplicaSet; without one as the status counts. */
function replicasOf({ rollout, current, stage }: ArgoContext): ProgressiveRollout['replicas'] {
  if (stage === 'idle' || stage === 'initial')
    return { desired: rollout.desired, updated: null, ready: null };
  const scale = current?.source.scale;
  return {
    desired: rollout.desired,
    updated: scale?.current ?? rollout.counts.updated,
    ready: scale?.ready ?? null,
  };
}

/** What is unusual, in sentences. */
function notesOf(context: ArgoContext, unassigned: number): string[] {
  const { rollout, stage, isUnderWay } = context;
  const notes: string[] = [];
  if (rollout.reference !== null)
    notes.push(
      `The pod template comes from ${rollout.reference.kind} ${rollout.reference.name}; a rollback changes it there.`,
    );
  if (rollout.strategy === null) notes.push('The Rollout has no strategy, so it does nothing.');
  if (stage === 'aborted')
    notes.push(
      'An abort reverts pods and traffic, not the spec. Roll back to make the spec match what is serving, or retry.',
    );
  if (rollout.paused && !isUnderWay)
    notes.push('The Rollout is paused: the next rollout waits before its first step.');
  if (isRestarting(rollout))
    notes.push('A restart is in progress: older pods are replaced regardless of the step.');
  if (unassigned > 0)
    notes.push(
      'Argo Rollouts does not label pods with their step, so not every pod can be attributed to one.',
    );
  return notes;
}
