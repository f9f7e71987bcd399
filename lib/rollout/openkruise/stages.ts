import {
  describeUnread,
  describeUnrecognized,
  NO_ROLLOUT_YET,
  type ProgressFacts,
  type StageTable,
} from '@/lib/engine/progress';
import {
  type Deadline,
  expectEndOfPause,
  expectFirstReading,
  findPauseEndMs,
  expectReaction,
  expectReadingOfChange,
  RESUME_WAIT,
} from '@/lib/engine/waits';
import type { RolloutStep } from '@/lib/api/rollouts';
import { formatAll, formatUtc } from '@/lib/format/text';
import type { PodSummary } from '@/lib/history/pod';
import { findCondition } from '@/lib/rollout/common-shape';
import type { KruiseContext, KruiseStage } from '@/lib/rollout/openkruise/context';
import { desiredOf, plannedReplicas, stepState } from '@/lib/rollout/openkruise/steps';
import { stepStateTexts } from '@/lib/rollout/style-text';

/** The facts of a rollout by its stage; `step` is the current one. */
export function findKruiseFacts(context: KruiseContext, step: RolloutStep | null): ProgressFacts {
  return STAGES[context.stage](context, step);
}

const STAGES: StageTable<KruiseStage, KruiseContext> = {
  initial: ({ rollout }) => describeUnread(rollout.createdAt),
  missing: ({ rollout: { workload } }) => ({
    course: 'withoutWorkload',
    message: `${workload.kind} ${workload.name} not found.`,
    waitsFor: {
      kind: 'workload',
      text: `Waiting for ${workload.kind} ${workload.name} to be created, or for the Rollout to reference another workload.`,
    },
  }),
  idle: ({ rollout }) =>
    // The condition remains from a rollout that ended when the Rollout was disabled.
    findCondition(rollout, 'Progressing') === null
      ? NO_ROLLOUT_YET
      : {
          course: 'none',
          message: 'No rollout in progress. The last one ended when the Rollout was disabled.',
        },
  starting: (context) => ({
    course: 'preparing',
    message: `Starting; none of its ${context.total} steps has started yet.`,
    since: progressingSince(context),
  }),
  inStep: (context, step) => ({
    course: 'underWay',
    message: `Step ${positionOf(context)} ${stepStateTexts[step?.state ?? 'unknown']}.`,
    waitsFor: step?.waitsFor ?? null,
    since: context.progress?.lastUpdateTime ?? null,
  }),
  paused: (context) => ({
    course: 'underWay',
    message: `Paused ${context.index === 0 ? 'before its first step' : `in step ${positionOf(context)}`}: approvals, jumps and rollbacks have no effect until it is resumed.`,
    waitsFor: RESUME_WAIT,
    since: progressingSince(context),
  }),
  rollingBack: (context) =>
    describeFinalising(context, 'reverting', `Rolling back${describePosition('from', context)}.`),
  completing: (context) => describeFinalising(context, 'finishing', 'All steps are done; finalizing.'),
  completed: (context) => ({
    course: 'succeeded',
    message: `${formatAll(context.total, 'step')} are done.`,
    since: succeededSince(context),
  }),
  rolledBack: (context) => ({
    course: 'reverted',
    message: `Rolled back${describePosition('in', context)}.`,
    since: succeededSince(context),
  }),
  bypassing: (context) =>
    describeFinalising(
      context,
      'finishing',
      `Canceled${describePosition('in', context)}; the workload is updated without steps.`,
    ),
  bypassed: (context) => ({
    course: 'none',
    message: `No rollout in progress. The last one was canceled${describePosition('in', context)}; the workload was updated without steps.`,
    since: succeededSince(context),
  }),
  disabling: ({ progress }) => ({
    course: 'leaving',
    message:
      progress === null || progress.stepState === 'Completed'
        ? 'Being disabled.'
        : 'Being disabled: the rollout in progress is promoted to all pods.',
  }),
  disabled: ({ rollout }) => ({
    course: 'off',
    message: rollout.disabled
      ? 'Disabled: changes to the workload roll out at once, without steps.'
      : 'Enabled again; waiting for the controller.',
  }),
  terminating: ({ rollout }) => ({
    course: 'deleting',
    message: 'Being deleted: a rollout in progress is promoted to all pods.',
    since: rollout.deletedAt,
  }),
  unknown: ({ rollout }) => describeUnrecognized(rollout.phase),
};

const FINALISING: Readonly<Record<string, string>> = {
  FinalisingStepRouteTrafficToNew: 'Routing all traffic to the new revision.',
  FinalisingStepRouteTrafficToStable: 'Routing all traffic to the stable revision.',
  RestoreStableService: 'Restoring the Service.',
  RemoveCanaryService: 'Removing the canary Service.',
  ResumeWorkload: 'Resuming the workload.',
  ReleaseWorkloadControl: 'Releasing the workload.',
  WaitEndless: 'The controller is configured to wait here indefinitely.',
};

function describeFinalising(
  context: KruiseContext,
  course: ProgressFacts['course'],
  message: string,
): ProgressFacts {
  const step = context.progress?.finalisingStep ?? '';
  const text = Object.hasOwn(FINALISING, step) ? FINALISING[step] : undefined;
  const waitsFor = text === undefined ? null : ({ kind: 'cleanup', text } as const);
  return { course, message, waitsFor, since: progressingSince(context) };
}

/** "2 of 3" */
function positionOf(context: KruiseContext): string {
  return `${context.index} of ${context.total}`;
}

/** " in step 2 of 3"; empty before the first one. */
function describePosition(preposition: 'in' | 'from', context: KruiseContext): string {
  return context.index === 0 ? '' : ` ${preposition} step ${positionOf(context)}`;
}

function progressingSince({ rollout }: KruiseContext): string | null {
  return findCondition(rollout, 'Progressing')?.lastTransitionTime ?? null;
}

function succeededSince({ rollout }: KruiseContext): string | null {
  return findCondition(rollout, 'Succeeded')?.lastTransitionTime ?? null;
}

/**
 * What a running controller does within seconds: it reads a change, an approval, and the end of a wait, and goes on
 * when all pods of a step are ready.
 */
export function findDeadlines(context: KruiseContext): Deadline[] {
  const { rollout, stage, progress } = context;
  const deadlines: Deadline[] = [];
  if (stage === 'initial' && rollout.phase === '') deadlines.push(expectFirstReading(rollout.createdAt));
  if (rollout.observedGeneration !== null && rollout.observedGeneration < rollout.generation)
    deadlines.push(expectReadingOfChange(rollout.specWrittenAt));
  if (stage === 'terminating' && progress?.finalisingStep === '') {
    const text = `The Rollout was deleted at ${formatUtc(rollout.deletedAt ?? '')}, and no controller has cleaned up.`;
    deadlines.push(expectReaction(rollout.deletedAt, text));
  }
  if (stage === 'inStep' && progress !== null) {
    const { stepIndex, stepState: reported, lastUpdateTime } = progress;
    const pause = rollout.steps[stepIndex - 1]?.pause;
    if (reported === 'StepReady')
      // An approval does not change the time of the step.
      deadlines.push(
        expectReaction(
          rollout.statusWrittenAt,
          `Step ${stepIndex} was approved, but the controller has not reacted.`,
        ),
      );
    if (reported === 'StepPaused' && pause?.kind === 'time')
      deadlines.push(...expectEndOfPause(stepIndex, findPauseEndMs(lastUpdateTime, pause.seconds)));
    deadlines.push(...expectEndOfStep(context, reported));
  }
  return deadlines;
}

/** A running controller passes states without a wait at once, and observes that all pods of a step are ready. */
function expectEndOfStep(context: KruiseContext, reported: string): Deadline[] {
  const { rollout, observedMs } = context;
  if (observedMs === null) return [];
  const { index } = context;
  if (stepState(context, index) === 'approved')
    return [expectReaction(observedMs, `Step ${index} is done, but the controller has not reacted.`)];
  const step = rollout.steps[index - 1];
  const planned = step === undefined ? null : plannedReplicas(step, desiredOf(context));
  const ready = newPods(context).filter((pod) => pod.ready);
  if (reported !== 'StepUpgrade' || planned === null || planned === 0 || ready.length < planned) return [];
  // NaN where one of them is unknown: then nothing is due.
  const readyMs = Math.max(...ready.map(({ readyAt }) => Date.parse(readyAt ?? '')));
  const text = `All pods of step ${index} are ready, but the controller has not reacted.`;
  return [expectReaction(Math.max(observedMs, readyMs), text)];
}

function newPods({ style, facts, auxiliaries }: KruiseContext): PodSummary[] {
  const pods =
    style === 'canary'
      ? auxiliaries.flatMap((auxiliary) => auxiliary.pods)
      : (facts?.pods ?? []).filter(({ uid }) => facts?.history.revisionOfPod.get(uid)?.target === true);
  return pods.filter(({ deletedAt }) => deletedAt === null);
}
