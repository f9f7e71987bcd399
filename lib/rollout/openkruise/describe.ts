import { currentIndex } from '@/lib/rollout/openkruise/steps';
import { type KruiseReleaseRevisions } from '@/lib/rollout/openkruise/revisions';
import { conditionOf, type KruiseContext } from '@/lib/rollout/openkruise/context';
import { type Wait } from '@/lib/api/rollouts';
import { type StepState } from '@/lib/api/rollout-values';
import { stepStallOf } from '@/lib/rollout/openkruise/step-stall';
import { stallOf } from '@/lib/rollout/openkruise/waits';
import { type DescribedState, stateWithoutWait } from '@/lib/rollout/described-state';

/** Describes the state of the release; `step` is the state of the current step, `wait` what it waits for. */
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
      text: 'The controller of OpenKruise Rollouts has to run again.',
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
      return stateWithoutWait('starting', 'The controller has yet to take up this Rollout.');
    case 'missing':
      return {
        state: 'missing',
        message: `There is no ${kind} ${name}, so there is nothing to release.`,
        waitsFor: {
          kind: 'workload',
          text: `${kind} ${name} has to be created, or the Rollout to name another.`,
        },
      };
    case 'idle':
      // The condition remains from a release that ended when the Rollout was disabled.
      return conditionOf(rollout, 'Progressing') === null
        ? stateWithoutWait('idle', 'Nothing has been released through this Rollout so far.')
        : stateWithoutWait(
            'idle',
            'Nothing is being released. The last release ended when the Rollout was disabled.',
          );
    case 'starting':
      return stateWithoutWait('starting', `A release is about to begin; none of its ${total} steps has.`);
    case 'inStep':
      return {
        state: step === 'waiting' ? 'waiting' : 'progressing',
        message: `Step ${index} of ${total} ${STEP_TEXT[step ?? 'unknown']}.`,
        waitsFor: wait,
      };
    case 'paused':
      return {
        state: 'paused',
        message: `Paused ${index === 0 ? 'before its first step' : `in step ${index} of ${total}`}: nothing goes on, and approvals, jumps and rollbacks wait as well.`,
        waitsFor: { kind: 'resume', text: 'Somebody has to resume the Rollout.' },
      };
    case 'rollingBack':
      return describeFinalising(
        'rollingBack',
        `Rolling back${index === 0 ? '' : ` from step ${index} of ${total}`}.`,
        context,
      );
    case 'completing':
      return describeFinalising(
        'completing',
        'All steps are done; what the release needed is being cleared away.',
        context,
      );
    case 'completed':
      return stateWithoutWait('completed', `All ${total} steps are done.`);
    case 'rolledBack':
      return stateWithoutWait(
        'rolledBack',
        `The last release was rolled back${index === 0 ? '' : ` in step ${index} of ${total}`}.`,
      );
    case 'disabling':
      return stateWithoutWait(
        'disabling',
        progress === null || progress.stepState === 'Completed'
          ? 'Being disabled.'
          : 'Being disabled: the release that was under way is promoted to all pods.',
      );
    case 'disabled':
      return stateWithoutWait(
        'disabled',
        rollout.disabled
          ? 'Disabled: changes of the workload roll out at once, without steps.'
          : 'Enabled again; the controller has yet to take it up.',
      );
    case 'terminating':
      return stateWithoutWait(
        'terminating',
        'Being deleted: a release that was under way is promoted to all pods.',
      );
    case 'unknown':
      return stateWithoutWait('unknown', `In the phase ${rollout.phase}, which Shiplog does not know.`);
    default:
      return stage satisfies never;
  }
}

const STEP_TEXT: Readonly<Record<StepState, string>> = {
  planned: 'is ahead',
  starting: 'begins',
  upgrading: 'is bringing its pods',
  routing: 'is setting its traffic',
  analysing: 'is being judged',
  waiting: 'waits for approval',
  pausing: 'waits for its time to pass',
  approved: 'is done; the controller continues',
  done: 'is done',
  skipped: 'was skipped',
  abandoned: 'was abandoned',
  failed: 'has failed',
  unknown: 'is in a state that Shiplog does not know',
};

const FINALISING: Readonly<Record<string, string>> = {
  FinalisingStepRouteTrafficToNew: 'All traffic is being given to the new revision.',
  FinalisingStepRouteTrafficToStable: 'All traffic is being given to the stable revision.',
  RestoreStableService: 'The Service is being restored.',
  RemoveCanaryService: 'The Service of the canary is being removed.',
  ResumeWorkload: 'The workload is being resumed.',
  ReleaseWorkloadControl: 'The workload is being released from control.',
  WaitEndless: 'The controller has been told to wait endlessly here.',
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
 * What OpenKruise does not release, where a Rollout bypassed its validation.
 * https://github.com/openkruise/rollouts/blob/master/pkg/webhook/rollout/validating/rollout_create_update_handler.go
 */
function unsupportedNote({ rollout, stage, style, facts }: KruiseContext): string | null {
  const { resource, kind } = rollout.workload;
  if (style === 'blueGreen' && resource !== null && !IN_BLUE_GREEN.includes(resource))
    return `OpenKruise releases Deployments and CloneSets in blue-green, and no ${kind}.`;
  const isUnfound = stage === 'initial' && rollout.phase === 'Initial' && facts !== null;
  if (isUnfound && resource === 'daemonsets.apps')
    return 'The DaemonSet is there, and OpenKruise has not taken it up: up to version 0.6 it finds DaemonSets of its own alone.';
  return null;
}

/** What is unusual, in sentences. */
export function notesOf(
  context: KruiseContext,
  { updated }: KruiseReleaseRevisions,
  newerTemplate: 'stable' | 'other' | null,
  unassigned: number,
): string[] {
  const { rollout, stage, style, progress, total } = context;
  const notes: string[] = [];
  if (rollout.version === 'v1alpha1')
    notes.push('The cluster serves this Rollout in v1alpha1 only, which has no blue-green releases.');
  if (rollout.strategy === null)
    notes.push('The Rollout names no strategy, so it releases nothing in steps.');
  const unsupported = unsupportedNote(context);
  if (unsupported !== null) notes.push(unsupported);
  if (newerTemplate === 'stable')
    notes.push(
      stage === 'paused'
        ? 'The workload is back at the stable revision; the rollback begins when the Rollout is resumed.'
        : 'The workload is back at the stable revision; the release is about to be cancelled.',
    );
  if (newerTemplate === 'other')
    notes.push(
      style === 'blueGreen'
        ? 'The workload asks for yet another version. A blue-green release refuses that: roll back first.'
        : stage === 'paused'
          ? 'The workload asks for yet another version; its release begins with step 1 when the Rollout is resumed.'
          : 'The workload asks for yet another version; its release is about to begin with step 1.',
    );
  if (stage === 'rolledBack' && progress?.stepState === 'StepPaused')
    notes.push(
      'Its status still says that a step waits for approval; that is left over from the release that was rolled back.',
    );
  if (progress !== null && progress.stepIndex > total && stage !== 'idle')
    notes.push(`Its status names step ${progress.stepIndex}, but there are ${total}.`);
  if (rollout.paused && stage !== 'paused')
    notes.push('The Rollout is paused: the next release waits in its first step.');
  if (unassigned > 0 && stage === 'completed' && style === 'canary')
    notes.push(
      'The pods of the canary are deleted at the end of such a release, and those that took their place belong to no step.',
    );
  else if (unassigned > 0 && updated !== null)
    notes.push(
      'Some pods of the new revision carry no label of this release, so it can’t be told which step brought them.',
    );
  return notes;
}
