import { findCondition, type StepPods } from '@/lib/rollout/common-shape';
import { defineSystem, type Description } from '@/lib/rollout/define-system';
import { kruiseActions, rollsBackByStep } from '@/lib/rollout/openkruise/actions';
import { type KruiseContext, readKruiseContext, type KruiseStage } from '@/lib/rollout/openkruise/context';
import {
  explainRolloutHistory,
  controllerRecordTarget,
} from '@/lib/rollout/openkruise/explain-rollout-history';
import { type KruiseRollout, parseKruiseRollout } from '@/lib/rollout/openkruise/parse';
import { parseBatchRelease, parseTrafficRouting, summaryOf } from '@/lib/rollout/openkruise/related-objects';
import {
  BATCH_ID,
  batchReleases,
  ROLLOUT_ID,
  rolloutHistories,
  kruiseRollouts,
  trafficRoutings,
} from '@/lib/rollout/openkruise/resources';
import { findKruisePods, findKruiseRevisions, newerTemplate } from '@/lib/rollout/openkruise/revisions';
import { parseRolloutHistory, templateOfRolloutHistory } from '@/lib/rollout/openkruise/rollout-history';
import { findDeadlines, findKruiseFacts } from '@/lib/rollout/openkruise/stages';
import { desiredOf, listKruiseSteps } from '@/lib/rollout/openkruise/steps';
import { routedTraffic, routeRefs } from '@/lib/rollout/openkruise/traffic';
import type { RolloutInput } from '@/lib/rollout/system';

/** Rollouts of OpenKruise. https://openkruise.io/rollouts/introduction */
export const kruiseRolloutSystem = defineSystem<KruiseRollout, KruiseContext>({
  id: 'openkruise',
  resource: kruiseRollouts,
  parse: parseKruiseRollout,
  members: {
    relatedObjects: [
      { resource: batchReleases, parse: parseBatchRelease },
      { resource: trafficRoutings, parse: parseTrafficRouting },
    ],
    records: {
      resource: rolloutHistories,
      parse: parseRolloutHistory,
      templateOf: templateOfRolloutHistory,
      targetOf: controllerRecordTarget,
      explain: explainRolloutHistory,
      emptyNote:
        'OpenKruise has written no objects. That does not mean that there were no rollouts: its feature gate RolloutHistory is off by default.',
    },
    podLabels: [ROLLOUT_ID, BATCH_ID],
    routing: { refs: routeRefs, traffic: routedTraffic },
  },
  readContext: readKruiseContext,
  findFacts: findKruiseFacts,
  controller: 'the OpenKruise Rollouts controller',
  findDeadlines,
  findPods: findKruisePods,
  listSteps: listKruiseSteps,
  findJump,
  actions: kruiseActions,
  describe,
  listPreconditions,
});

function describe(context: KruiseContext, { unassigned }: StepPods): Description {
  const { rollout, progress, stage } = context;
  const { stable, updated } = findKruiseRevisions(context);
  const isAnnounced = stage !== 'idle' && stage !== 'initial' && progress !== null;
  const isCounted = isAnnounced && !isCanceled(stage);
  return {
    phase: rollout.phase,
    reported: {
      message: rollout.message,
      stepState: rollout.progress?.stepState ?? null,
      conditions: rollout.conditions,
    },
    style: context.style,
    disabled: rollout.disabled,
    run: { id: isAnnounced ? progress.rolloutId : null, startedAt: startedAt(context) },
    revisions: { stable, updated },
    replicas: {
      desired: desiredOf(context),
      updated: isCounted ? progress.updated : null,
      ready: isCounted ? progress.ready : null,
    },
    auxiliaries: context.auxiliaries.map(({ workload: { resource, name } }) => ({ resource, name })),
    routes: rollout.routes,
    relatedObjects: context.relatedObjects.map(summaryOf),
    notes: notesOf(context, updated !== null, unassigned.length),
  };
}

function listPreconditions({ object, workload }: RolloutInput<KruiseRollout>): unknown[] {
  const { strategy, steps, progress } = object;
  const progressing = findCondition(object, 'Progressing')?.reason ?? null;
  return [
    [object.uid, object.phase, progressing, object.paused, object.disabled, object.deletedAt !== null],
    [strategy, steps, object.extraWorkload, object.rollbackInBatch, object.workload],
    progress === null
      ? null
      : [
          [progress.stepIndex, progress.nextStepIndex, progress.stepState, progress.rolloutId],
          [progress.updatedRevision, progress.stableRevision, progress.podTemplateHash],
        ],
    workload.state === 'found' ? [workload.facts.workload.uid, workload.facts.workload.bodyId] : null,
  ];
}

/** Where the status requests another step than the following one. */
function findJump({ progress, stage, total }: KruiseContext): number | null {
  if (progress === null || (stage !== 'inStep' && stage !== 'paused')) return null;
  const { stepIndex, nextStepIndex } = progress;
  if (nextStepIndex === null || nextStepIndex < 1 || nextStepIndex > total) return null;
  return nextStepIndex === stepIndex + 1 ? null : nextStepIndex;
}

/** When its steps began, while a rollout is in progress. */
function startedAt({ rollout, stage }: KruiseContext): string | null {
  if (stage !== 'inStep' && stage !== 'paused' && stage !== 'rollingBack' && stage !== 'completing')
    return null;
  return findCondition(rollout, 'Progressing')?.lastTransitionTime ?? null;
}

const IN_BLUE_GREEN = ['deployments.apps', 'clonesets.apps.kruise.io'];

/**
 * What OpenKruise does not roll out, where a Rollout bypassed its validation.
 * https://github.com/openkruise/rollouts/blob/master/pkg/webhook/rollout/validating/rollout_create_update_handler.go
 */
function unsupportedNote({ rollout, stage, style, facts }: KruiseContext): string | null {
  const { resource, kind } = rollout.workload;
  if (style === 'blueGreen' && resource !== null && !IN_BLUE_GREEN.includes(resource))
    return `OpenKruise supports blue-green rollouts for Deployments and CloneSets only, not for a ${kind}.`;
  const isUnfound = stage === 'initial' && rollout.phase === 'Initial' && facts !== null;
  if (isUnfound && resource === 'daemonsets.apps')
    return 'OpenKruise ignores this DaemonSet: up to version 0.6 it supports only its own Advanced DaemonSets.';
  return null;
}

/** What is unusual, in sentences. */
function notesOf(context: KruiseContext, hasUpdated: boolean, unassigned: number): string[] {
  const { rollout, stage, style, progress, total } = context;
  const newer = newerTemplate(context);
  const notes: string[] = [];
  if (rollout.version === 'v1alpha1')
    notes.push('The cluster serves this Rollout in v1alpha1 only, which has no blue-green rollouts.');
  if (rollout.strategy === null) notes.push('The Rollout has no strategy, so it does nothing.');
  const unsupported = unsupportedNote(context);
  if (unsupported !== null) notes.push(unsupported);
  if (newer === 'stable')
    notes.push(
      stage === 'paused'
        ? 'The workload requests the stable revision again; the rollback starts when the Rollout is resumed.'
        : rollsBackByStep(rollout)
          ? 'The workload requests the stable revision again; its rollout is about to start with step 1.'
          : 'The workload requests the stable revision again; the rollout is about to be canceled.',
    );
  if (newer === 'other')
    notes.push(
      style === 'blueGreen'
        ? 'The workload requests another revision. A blue-green rollout does not accept that: roll back first.'
        : stage === 'paused'
          ? 'The workload requests another revision; its rollout starts with step 1 when the Rollout is resumed.'
          : 'The workload requests another revision; its rollout is about to start with step 1.',
    );
  if (isCanceled(stage) && progress?.stepState === 'StepPaused')
    notes.push(
      'The status still reports a step that waits for approval; it is left over from the rollout that was rolled back.',
    );
  if (progress !== null && progress.stepIndex > total && stage !== 'idle')
    notes.push(`The status reports step ${progress.stepIndex}, but there are only ${total}.`);
  if (rollout.paused && stage !== 'paused')
    notes.push('The Rollout is paused: the next rollout waits before its first step.');
  if (unassigned > 0 && stage === 'completed' && style === 'canary')
    notes.push(
      'The canary pods are deleted at the end of the rollout; the pods that replace them belong to no step.',
    );
  else if (unassigned > 0 && hasUpdated)
    notes.push(
      'Some pods of the new revision have no label of this rollout, so they cannot be attributed to a step.',
    );
  return notes;
}

/** The status of its steps is left over. */
function isCanceled(stage: KruiseStage): boolean {
  return stage === 'rolledBack' || stage === 'bypassed';
}
