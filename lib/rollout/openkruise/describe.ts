import { formatAll } from '@/lib/format/text';
import { currentIndex } from '@/lib/rollout/openkruise/steps';
import type { KruiseRevisions } from '@/lib/rollout/openkruise/revisions';
import { conditionOf, type KruiseContext } from '@/lib/rollout/openkruise/context';
import type { Wait } from '@/lib/api/rollouts';
import type { StepState } from '@/lib/api/rollout-values';
import { stepStallOf } from '@/lib/rollout/openkruise/step-stall';
import { stallOf } from '@/lib/rollout/openkruise/waits';
import { type DescribedState, stateWithoutWait } from '@/lib/rollout/described-state';

/** Describes the state of the rollout; `step` is the state of the current step, `wait` what it waits for. */
export function describeRollout(
  context: KruiseContext,
  step: StepState | null,
  wait: Wait | null,
): DescribedState {
  const stall = stallOf(context) ?? stepStallOf(context);
  const since = sinceOf(context);
  if (stall !== null) {
    const waitsFor: Wait = {
      kind: 'controller',
      text: 'Waiting for the OpenKruise Rollouts controller.',
    };
    return { state: 'stalled', message: stall, waitsFor, since };
  }
  return { ...describeStage(context, step, wait), since };
}

function describeStage(
  context: KruiseContext,
  step: StepState | null,
  wait: Wait | null,
): Omit<DescribedState, 'since'> {
  const { stage, rollout, progress, total } = context;
  const { kind, name } = rollout.workload;
  const index = currentIndex(context);
  switch (stage) {
    case 'initial':
      return stateWithoutWait('starting', 'Waiting for the controller.');
    case 'missing':
      return {
        state: 'missing',
        message: `${kind} ${name} not found.`,
        waitsFor: {
          kind: 'workload',
          text: `Waiting for ${kind} ${name} to be created, or for the Rollout to reference another workload.`,
        },
      };
    case 'idle':
      // The condition remains from a rollout that ended when the Rollout was disabled.
      return conditionOf(rollout, 'Progressing') === null
        ? stateWithoutWait('idle', 'No rollout yet.')
        : stateWithoutWait(
            'idle',
            'No rollout in progress. The last one ended when the Rollout was disabled.',
          );
    case 'starting':
      return stateWithoutWait('starting', `Starting; none of its ${total} steps has started yet.`);
    case 'inStep':
      return {
        state: step === 'waiting' ? 'waiting' : 'progressing',
        message: `Step ${index} of ${total} ${STEP_TEXT[step ?? 'unknown']}.`,
        waitsFor: wait,
      };
    case 'paused':
      return {
        state: 'paused',
        message: `Paused ${index === 0 ? 'before its first step' : `in step ${index} of ${total}`}: approvals, jumps and rollbacks have no effect until it is resumed.`,
        waitsFor: { kind: 'resume', text: 'Waiting to be resumed.' },
      };
    case 'rollingBack':
      return describeFinalising(
        'rollingBack',
        `Rolling back${index === 0 ? '' : ` from step ${index} of ${total}`}.`,
        context,
      );
    case 'completing':
      return describeFinalising('completing', 'All steps are done; finalizing.', context);
    case 'completed':
      return stateWithoutWait('completed', `${formatAll(total, 'step')} are done.`);
    case 'rolledBack':
      return stateWithoutWait(
        'rolledBack',
        `Rolled back${index === 0 ? '' : ` in step ${index} of ${total}`}.`,
      );
    case 'disabling':
      return stateWithoutWait(
        'disabling',
        progress === null || progress.stepState === 'Completed'
          ? 'Being disabled.'
          : 'Being disabled: the rollout in progress is promoted to all pods.',
      );
    case 'disabled':
      return stateWithoutWait(
        'disabled',
        rollout.disabled
          ? 'Disabled: changes to the workload roll out at once, without steps.'
          : 'Enabled again; waiting for the controller.',
      );
    case 'terminating':
      return stateWithoutWait('terminating', 'Being deleted: a rollout in progress is promoted to all pods.');
    case 'unknown':
      return stateWithoutWait('unknown', `Unknown phase: ${rollout.phase}.`);
    default:
      return stage satisfies never;
  }
}

const STEP_TEXT: Readonly<Record<StepState, string>> = {
  planned: 'is pending',
  starting: 'is starting',
  upgrading: 'is updating pods',
  routing: 'is routing traffic',
  analysing: 'is being analyzed',
  waiting: 'is waiting for approval',
  pausing: 'is in a timed pause',
  approved: 'is done; the controller continues',
  done: 'is done',
  skipped: 'was skipped',
  abandoned: 'was abandoned',
  failed: 'has failed',
  unknown: 'is in an unknown state',
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
  state: 'completing' | 'rollingBack',
  message: string,
  { progress }: KruiseContext,
): Omit<DescribedState, 'since'> {
  const step = progress?.finalisingStep ?? '';
  const text = Object.hasOwn(FINALISING, step) ? FINALISING[step] : undefined;
  return { state, message, waitsFor: text === undefined ? null : { kind: 'cleanup', text } };
}

function sinceOf({ stage, rollout, progress }: KruiseContext): string | null {
  switch (stage) {
    case 'inStep':
      return progress?.lastUpdateTime ?? null;
    case 'completed':
    case 'rolledBack':
      return conditionOf(rollout, 'Succeeded')?.lastTransitionTime ?? null;
    case 'terminating':
      return rollout.deletedAt;
    case 'initial':
      return rollout.createdAt;
    case 'starting':
    case 'paused':
    case 'rollingBack':
    case 'completing':
      return conditionOf(rollout, 'Progressing')?.lastTransitionTime ?? null;
    default:
      return null;
  }
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
export function notesOf(
  context: KruiseContext,
  { updated }: KruiseRevisions,
  newerTemplate: 'stable' | 'other' | null,
  unassigned: number,
): string[] {
  const { rollout, stage, style, progress, total } = context;
  const notes: string[] = [];
  if (rollout.version === 'v1alpha1')
    notes.push('The cluster serves this Rollout in v1alpha1 only, which has no blue-green rollouts.');
  if (rollout.strategy === null) notes.push('The Rollout has no strategy, so it does nothing.');
  const unsupported = unsupportedNote(context);
  if (unsupported !== null) notes.push(unsupported);
  if (newerTemplate === 'stable')
    notes.push(
      stage === 'paused'
        ? 'The workload requests the stable revision again; the rollback starts when the Rollout is resumed.'
        : 'The workload requests the stable revision again; the rollout is about to be canceled.',
    );
  if (newerTemplate === 'other')
    notes.push(
      style === 'blueGreen'
        ? 'The workload requests another revision. A blue-green rollout does not accept that: roll back first.'
        : stage === 'paused'
          ? 'The workload requests another revision; its rollout starts with step 1 when the Rollout is resumed.'
          : 'The workload requests another revision; its rollout is about to start with step 1.',
    );
  if (stage === 'rolledBack' && progress?.stepState === 'StepPaused')
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
  else if (unassigned > 0 && updated !== null)
    notes.push(
      'Some pods of the new revision have no label of this rollout, so they cannot be attributed to a step.',
    );
  return notes;
}
