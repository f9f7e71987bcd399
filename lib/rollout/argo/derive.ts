import { experimentOf } from '@/lib/rollout/argo/related-objects';
import { actionsOf } from '@/lib/rollout/argo/actions';
import type { ArgoRollout } from '@/lib/rollout/argo/parse';
import { findArgoPods } from '@/lib/rollout/argo/pods';
import { findArgoRevisions } from '@/lib/rollout/argo/revisions';
import { isReleasing, type ArgoContext, argoContextOf } from '@/lib/rollout/argo/context';
import { stepsOf } from '@/lib/rollout/argo/steps';
import { notesOf, describeRollout } from '@/lib/rollout/argo/describe';
import { identityFacts } from '@/lib/rollout/object-facts';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { RolloutInput } from '@/lib/rollout/system';

/** A Rollout of Argo with its pods and its analysis objects, in the common shape. It is its own workload. */
export function deriveArgoRollout(input: RolloutInput<ArgoRollout>): ProgressiveRollout {
  const context = argoContextOf(input);
  const { rollout, index, total } = context;
  const pods = findArgoPods(context);
  const steps = stepsOf(context, pods);
  const step = steps[index - 1] ?? null;
  return {
    system: 'argo',
    ...identityFacts(rollout, input.workload.state),
    ...describeRollout(context, step?.state ?? null, step?.waitsFor ?? null),
    phase: rollout.phase,
    reported: { message: rollout.message, stepState: null, conditions: rollout.conditions },
    style: context.style,
    paused: rollout.paused,
    disabled: false,
    step: { index, total, state: step?.state ?? null, next: null },
    run: { id: runId(context), startedAt: startedAt(context) },
    revisions: findArgoRevisions(context),
    replicas: replicasOf(context),
    // Without a traffic router, the pods themselves are the weight.
    ...(rollout.strategy === 'canary' && !rollout.isRouted && { replacesPods: true }),
    steps,
    unassignedPods: pods.unassigned,
    auxiliaries: [],
    routes: rollout.routes,
    relatedObjects: context.analyses,
    notes: notesOf(context, isReleasing(context) ? pods.unassigned.length : 0),
    actions: actionsOf(context),
  };
}

/**
 * Text that changes with everything that an action depends on: the state of the rollout, its revision, its
 * plan and its template. Counts of pods and messages are left out.
 */
export function preconditionText({ object, workload, relatedObjects }: RolloutInput<ArgoRollout>): string {
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
