import { parseAnalysisRun, parseExperiment, experimentOf } from '@/lib/rollout/argo/related-objects';
import { planArgoAction, rightOf } from '@/lib/rollout/argo/plans';
import { analysisRuns, experiments, type ArgoRollout, parseArgoRollout } from '@/lib/rollout/argo/parse';
import { findDeadlines, findProgress } from '@/lib/rollout/argo/progress';
import { findNextChange } from '@/lib/engine/waits';
import { argoRollouts as resource } from '@/lib/workloads/argo-rollout/resource';
import { listActions } from '@/lib/engine/allowed';
import { argoActions } from '@/lib/rollout/argo/rules';
import { findArgoPods } from '@/lib/rollout/argo/pods';
import { findArgoRevisions } from '@/lib/rollout/argo/revisions';
import { isReleasing, type ArgoContext, argoContextOf } from '@/lib/rollout/argo/context';
import { stepsOf } from '@/lib/rollout/argo/steps';
import { shapeRollout } from '@/lib/rollout/common-shape';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import { plainSystem, type RolloutInput, type RolloutSystem } from '@/lib/rollout/system';

/** Rollouts of Argo, which are workloads as well. https://argoproj.github.io/argo-rollouts/ */
export const argoRolloutSystem: RolloutSystem<ArgoRollout> = {
  ...plainSystem,
  id: 'argo',
  resource,
  relatedObjects: [
    { resource: analysisRuns, parse: parseAnalysisRun },
    { resource: experiments, parse: parseExperiment },
  ],
  parse: parseArgoRollout,
  derive,
  validUntil: (input) => findNextChange(argoContextOf(input), findDeadlines),
  preconditionText,
  plan: (input, request) => planArgoAction(derive(input), input, request),
  rightOf,
};

/** A Rollout of Argo with its pods and its analysis objects, in the common shape. It is its own workload. */
function derive(input: RolloutInput<ArgoRollout>): ProgressiveRollout {
  const context = argoContextOf(input);
  const { rollout, index, total } = context;
  const pods = findArgoPods(context);
  const steps = stepsOf(context, pods);
  const step = steps[index - 1] ?? null;
  const shape: ProgressiveRollout = {
    ...shapeRollout('argo', rollout, input.workload.state),
    ...findProgress(context, step),
    phase: rollout.phase,
    reported: { message: rollout.message, stepState: null, conditions: rollout.conditions },
    style: context.style,
    paused: rollout.paused,
    step: { index, total, state: step?.state ?? null, next: null },
    run: { id: runId(context), startedAt: startedAt(context) },
    revisions: findArgoRevisions(context),
    replicas: replicasOf(context),
    steps,
    unassignedPods: pods.unassigned,
    routes: rollout.routes,
    relatedObjects: context.analyses,
    notes: notesOf(context, isReleasing(context) ? pods.unassigned.length : 0),
    actions: listActions(argoActions, context),
  };
  // Without a traffic router, the pods themselves are the weight.
  return rollout.strategy === 'canary' && !rollout.isRouted ? { ...shape, replacesPods: true } : shape;
}

/**
 * Text that changes with everything that an action depends on: the state of the rollout, its revision, its
 * plan and its template. Counts of pods and messages are left out.
 */
function preconditionText({ object, workload, relatedObjects }: RolloutInput<ArgoRollout>): string {
  return JSON.stringify([
    [object.uid, object.deletedAt !== null, object.phase, object.isBehind, object.paused],
    [object.aborted, object.promoteFull, object.controllerPause, object.pauses],
    [object.currentHash, object.stableHash, object.stepIndex, object.stepHash, object.revision],
    [object.strategy, object.steps, object.blueGreen, object.activeHash, object.reference],
    object.runs.map(({ role, name, status }) => [role, name, status]),
    [object.experiment, experimentOf(object, relatedObjects)?.phase ?? null],
    workload.state === 'found' ? [workload.facts.workload.uid, workload.facts.workload.bodyId] : null,
  ]);
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
  if (rollout.restartAt !== null && rollout.restartAt !== rollout.restartedAt)
    notes.push('A restart is in progress: older pods are replaced regardless of the step.');
  if (unassigned > 0)
    notes.push(
      'Argo Rollouts does not label pods with their step, so not every pod can be attributed to one.',
    );
  return notes;
}
