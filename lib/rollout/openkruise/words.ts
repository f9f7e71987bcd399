import { currentIndex } from '@/lib/rollout/openkruise/steps';
import { type ReleaseRevisions } from '@/lib/rollout/openkruise/revisions';
import { conditionOf, type Situation } from '@/lib/rollout/openkruise/situation';
import { type RolloutState, type StepState, type Wait } from '@/lib/rollout/rollout';
import { silenceOf } from '@/lib/rollout/openkruise/silence';
import { stallOf } from '@/lib/rollout/openkruise/waits';
import { type Said } from '@/lib/rollout/said';

/** Says where the release stands; `step` is the state of the step at hand, `wait` what that one waits for. */
export function say(situation: Situation, step: StepState | null, wait: Wait | null): Said {
  const stall = stallOf(situation) ?? silenceOf(situation);
  const since = sinceOf(situation);
  if (stall !== null) {
    const waitsFor: Wait = {
      kind: 'controller',
      text: 'The controller of OpenKruise Rollouts has to run again.',
    };
    return { state: 'stalled', message: stall, waitsFor, since };
  }
  return { ...sayStage(situation, step, wait), since };
}

function sayStage(situation: Situation, step: StepState | null, wait: Wait | null): Omit<Said, 'since'> {
  const { stage, rollout, progress, total } = situation;
  const { kind, name } = rollout.workload;
  const index = currentIndex(situation);
  switch (stage) {
    case 'initial':
      return plain('starting', 'The controller has yet to take up this Rollout.');
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
      // The condition stays of a release that was ended by disabling the Rollout.
      return conditionOf(rollout, 'Progressing') === null
        ? plain('idle', 'Nothing has been released through this Rollout so far.')
        : plain('idle', 'Nothing is being released. The last release ended when the Rollout was disabled.');
    case 'starting':
      return plain('starting', `A release is about to begin; none of its ${total} steps has.`);
    case 'inStep':
      return {
        state: step === 'waiting' ? 'waiting' : 'progressing',
        message: `Step ${index} of ${total} ${STEP_WORDS[step ?? 'unknown']}.`,
        waitsFor: wait,
      };
    case 'paused':
      return {
        state: 'paused',
        message: `Paused ${index === 0 ? 'before its first step' : `in step ${index} of ${total}`}: nothing goes on, and approvals, jumps and rollbacks wait as well.`,
        waitsFor: { kind: 'resume', text: 'Somebody has to resume the Rollout.' },
      };
    case 'rollingBack':
      return closing(
        'rollingBack',
        `Rolling back${index === 0 ? '' : ` from step ${index} of ${total}`}.`,
        situation,
      );
    case 'completing':
      return closing(
        'completing',
        'All steps are done; what the release needed is being cleared away.',
        situation,
      );
    case 'completed':
      return plain('completed', `All ${total} steps are done.`);
    case 'rolledBack':
      return plain(
        'rolledBack',
        `The last release was rolled back${index === 0 ? '' : ` in step ${index} of ${total}`}.`,
      );
    case 'disabling':
      return plain(
        'disabling',
        progress === null || progress.stepState === 'Completed'
          ? 'Being disabled.'
          : 'Being disabled: the release that was under way is promoted to all pods.',
      );
    case 'disabled':
      return plain(
        'disabled',
        rollout.disabled
          ? 'Disabled: changes of the workload roll out at once, without steps.'
          : 'Enabled again; the controller has yet to take it up.',
      );
    case 'terminating':
      return plain('terminating', 'Being deleted: a release that was under way is promoted to all pods.');
    case 'unknown':
      return plain('unknown', `In the phase ${rollout.phase}, which Shiplog does not know.`);
    default:
      return stage satisfies never;
  }
}

const STEP_WORDS: Readonly<Record<StepState, string>> = {
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

function closing(
  state: 'completing' | 'rollingBack',
  message: string,
  { progress }: Situation,
): Omit<Said, 'since'> {
  const step = progress?.finalisingStep ?? '';
  const text = Object.hasOwn(FINALISING, step) ? FINALISING[step] : undefined;
  return { state, message, waitsFor: text === undefined ? null : { kind: 'cleanup', text } };
}

function plain(state: RolloutState, message: string): Omit<Said, 'since'> {
  return { state, message, waitsFor: null };
}

function sinceOf({ stage, rollout, progress }: Situation): string | null {
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
 * What OpenKruise does not release, whoever wrote the Rollout around its validation.
 * https://github.com/openkruise/rollouts/blob/master/pkg/webhook/rollout/validating/rollout_create_update_handler.go
 */
function unsupportedNote({ rollout, stage, style, facts }: Situation): string | null {
  const { resource, kind } = rollout.workload;
  if (style === 'blueGreen' && resource !== null && !IN_BLUE_GREEN.includes(resource))
    return `OpenKruise releases Deployments and CloneSets in blue-green, and no ${kind}.`;
  const isUnfound = stage === 'initial' && rollout.phase === 'Initial' && facts !== null;
  if (isUnfound && resource === 'daemonsets.apps')
    return 'The DaemonSet is there, and OpenKruise has not taken it up: up to version 0.6 it finds DaemonSets of its own alone.';
  return null;
}

/** What is odd, in sentences. */
export function notesOf(
  situation: Situation,
  { updated }: ReleaseRevisions,
  newer: 'stable' | 'other' | null,
  unassigned: number,
): string[] {
  const { rollout, stage, style, progress, total } = situation;
  const notes: string[] = [];
  if (rollout.version === 'v1alpha1')
    notes.push('The cluster serves this Rollout in v1alpha1 only, which has no blue-green releases.');
  if (rollout.strategy === null)
    notes.push('The Rollout names no strategy, so it releases nothing in steps.');
  const unsupported = unsupportedNote(situation);
  if (unsupported !== null) notes.push(unsupported);
  if (newer === 'stable')
    notes.push(
      stage === 'paused'
        ? 'The workload is back at the stable revision; the rollback begins when the Rollout is resumed.'
        : 'The workload is back at the stable revision; the release is about to be cancelled.',
    );
  if (newer === 'other')
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
