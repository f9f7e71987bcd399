import { stableWord, updatedWord } from '@/lib/rollout/argo/revisions';
import { isPastSteps, type Situation } from '@/lib/rollout/argo/situation';
import { stepWords } from '@/lib/rollout/argo/step';
import { stallOf } from '@/lib/rollout/argo/waits';
import { type RolloutState, type StepState, type Wait } from '@/lib/rollout/rollout';
import { type Said } from '@/lib/rollout/said';
import { capitalised } from '@/lib/workloads/words';

/** Says where the Rollout stands; `step` is the state of the step at hand, `wait` what that one waits for. */
export function say(situation: Situation, step: StepState | null, wait: Wait | null): Said {
  const since = sinceOf(situation);
  const stall = stallOf(situation);
  if (stall === null) return { ...sayStage(situation, step, wait), since };
  const waitsFor: Wait = { kind: 'controller', text: 'The controller of Argo Rollouts has to run again.' };
  return { state: 'stalled', message: stall, waitsFor, since };
}

function sayStage(situation: Situation, step: StepState | null, wait: Wait | null): Omit<Said, 'since'> {
  const { stage, rollout, isUnderWay } = situation;
  switch (stage) {
    case 'terminating':
      return plain('terminating', 'Being deleted, and its pods with it.');
    case 'initial':
      return plain('starting', 'The controller has yet to take up this Rollout.');
    case 'behind':
      return plain('starting', 'Changed; the controller has yet to read that.');
    case 'first':
      return plain(
        'progressing',
        'The first revision starts; there is none to release it beside, so no step runs.',
      );
    case 'idle':
      return plain('idle', 'Nothing has been released through this Rollout so far.');
    case 'completed':
      return rollout.phase === 'Healthy' || rollout.message === null
        ? plain('completed', `${capitalised(updatedWord(situation))} is the stable one.`)
        : plain('completed', `${capitalised(updatedWord(situation))} is the stable one: ${rollout.message}.`);
    case 'aborted':
      if (rollout.statedPhase !== 'Degraded')
        return plain('rollingBack', `Being aborted: everything goes back to ${stableWord(situation)}.`);
      return plain(
        'failed',
        `Aborted: ${stableWord(situation)} serves, and the spec still asks for ${updatedWord(situation)}.`,
      );
    case 'degraded':
      return plain(
        'failed',
        `Degraded: ${(rollout.message ?? 'Argo Rollouts gives no reason').replace(/\.$/, '')}.${isUnderWay ? ` ${capitalised(stableWord(situation))} is the stable one.` : ''}`,
      );
    case 'unknown':
      return plain('unknown', `In the phase ${rollout.phase}, which Shiplog does not know.`);
    case 'releasing':
      return sayRelease(situation, step, wait);
    default:
      return stage satisfies never;
  }
}

function sayRelease(situation: Situation, step: StepState | null, wait: Wait | null): Omit<Said, 'since'> {
  const { rollout, index, total } = situation;
  const isBlueGreen = rollout.strategy === 'blueGreen';
  if (rollout.paused)
    return {
      state: 'paused',
      message: `Paused by hand${isBlueGreen || total === 0 ? '' : ` in step ${index} of ${total}`}: nothing goes on until it is resumed.`,
      waitsFor: { kind: 'resume', text: 'Somebody has to resume the Rollout.' },
    };
  if (rollout.promoteFull)
    return plain(
      'completing',
      `Being promoted fully: ${updatedWord(situation)} gets every pod, without the steps that are left.`,
    );
  if (isBlueGreen) return sayBlueGreen(situation, step, wait);
  if (total === 0)
    return plain(
      'progressing',
      `${capitalised(updatedWord(situation))} takes the place of ${stableWord(situation)}.`,
    );
  if (isPastSteps(situation))
    return plain(
      'completing',
      `All ${total} steps are done; ${updatedWord(situation)} gets the rest of the pods.`,
    );
  const plan = rollout.steps[index - 1];
  const does = plan === undefined ? '' : stepWords(plan, rollout.maxWeight);
  return {
    state: step === 'waiting' ? 'waiting' : 'progressing',
    message: `Step ${index} of ${total} ${sayStep(step) ?? does}.`,
    waitsFor: wait,
  };
}

function sayStep(step: StepState | null): string | null {
  if (step === 'waiting') return 'waits for promotion';
  return step === 'approved' ? 'is done; the controller continues' : null;
}

function sayBlueGreen(situation: Situation, step: StepState | null, wait: Wait | null): Omit<Said, 'since'> {
  const updated = capitalised(updatedWord(situation));
  switch (step) {
    case 'waiting':
      return {
        state: 'waiting',
        message: `${updated} is previewed and waits for promotion.`,
        waitsFor: wait,
      };
    case 'approved':
      return {
        state: 'completing',
        message: `${updated} serves; the pods of ${stableWord(situation)} are kept for a while.`,
        waitsFor: wait,
      };
    case 'pausing':
      return {
        state: 'progressing',
        message: `${updated} is previewed and promoted by itself.`,
        waitsFor: wait,
      };
    case 'analysing':
      return { state: 'progressing', message: `${updated} is previewed and being judged.`, waitsFor: wait };
    default:
      return { state: 'progressing', message: `${updated} starts as a preview.`, waitsFor: wait };
  }
}

function plain(state: RolloutState, message: string): Omit<Said, 'since'> {
  return { state, message, waitsFor: null };
}

function sinceOf({ stage, rollout }: Situation): string | null {
  const at = (type: string) => rollout.conditions.find((condition) => condition.type === type) ?? null;
  switch (stage) {
    case 'terminating':
      return rollout.deletedAt;
    case 'initial':
      return rollout.createdAt;
    case 'behind':
      return rollout.specWrittenAt;
    case 'aborted':
      return rollout.abortedAt;
    case 'completed': {
      const completed = at('Completed') ?? at('Healthy');
      return completed?.status === 'True' ? completed.lastTransitionTime : null;
    }
    case 'releasing':
      return rollout.pauses[0]?.since ?? null;
    case 'degraded':
      return at('Progressing')?.lastTransitionTime ?? null;
    default:
      return null;
  }
}

/** What is odd, in sentences. */
export function notesOf(situation: Situation, unassigned: number): string[] {
  const { rollout, stage, isUnderWay } = situation;
  const notes: string[] = [];
  if (rollout.reference !== null)
    notes.push(
      `The template is that of ${rollout.reference.kind} ${rollout.reference.name}; a rollback writes it there.`,
    );
  if (rollout.strategy === null) notes.push('The Rollout names no strategy, so it releases nothing.');
  if (stage === 'aborted')
    notes.push(
      'An abort takes back the pods and the traffic, not the spec. Roll back to make the spec agree with what serves, or retry.',
    );
  if (rollout.paused && !isUnderWay)
    notes.push('The Rollout is paused: the next release waits before its first step.');
  if (rollout.restartAt !== null && rollout.restartAt !== rollout.restartedAt)
    notes.push('A restart is under way: pods that are older are made again, whatever step it is at.');
  if (unassigned > 0)
    notes.push(
      'Argo Rollouts does not mark pods with the step that brought them, so that can’t be told of those of several steps.',
    );
  return notes;
}
