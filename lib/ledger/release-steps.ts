import { ms } from '@/lib/ledger/moments';
import { type Observation, type ObservedRelease } from '@/lib/ledger/observation';
import {
  type RecordedRelease,
  type RemovedPod,
  type RolloutRecord,
  type RolloutStep,
  type StepPod,
} from '@/lib/ledger/record';
import { noteRelease, openRelease } from '@/lib/ledger/release';
import { type RolloutPod } from '@/lib/rollout/rollout';
import { stepNoun } from '@/lib/rollout/style-word';
import { capitalised, count } from '@/lib/workloads/words';

type Steps = readonly RolloutStep[];
type Jumps = RecordedRelease['jumps'];
type Stepped = Pick<RolloutRecord, 'steps' | 'release'>;

/**
 * The steps of a release with what is seen of it now. A step has the pods that the system says it brought, taken while it
 * can be told; those of which nothing tells belong to none. Of the steps that nobody saw it is not said that they took
 * place, unless the release can't have gone without them.
 */
export function addToRelease(
  record: RolloutRecord,
  seen: ObservedRelease,
  observation: Observation,
  removed: readonly RemovedPod[],
  isGap: boolean,
): Stepped {
  const { at, desiredPods } = observation;
  const known = record.release ?? openRelease(seen);
  const steps = record.release === null ? [] : record.steps;
  const planned = [
    ...steps,
    ...seen.steps.slice(steps.length).map((step) => stepOf(step, seen, desiredPods)),
  ];
  const place = placeOf(seen);
  const before = planned.find(({ state }) => state === 'running')?.index ?? null;
  const jumps = addJump(known.jumps, before, seen, planned, isGap ? null : at);
  const moved = planned.map((step) => moveStep(step, place, jumps, isGap ? null : at));
  const { steps: filled, unassigned } = addPods(moved, known.unassigned, seen, place.current);
  const isSteppedOut = place.isDone || filled.at(-1)?.state === 'completed';
  const release = { ...noteRelease(known, seen, at, isSteppedOut), jumps, unassigned };
  // What went while nobody looked may have gone for a step that nobody saw.
  const isSame = before === null || before === place.current;
  return { steps: isGap && !isSame ? filled : addGone(filled, removed), release };
}

/** A release whose system has let go of it: what comes now comes for no step. */
export function leaveRelease(
  { steps, release }: RolloutRecord & { release: RecordedRelease },
  { at, release: seen, targetPods }: Observation,
  isGap: boolean,
): Stepped {
  const isGone = seen?.uid !== release.uid;
  const isOver = steps.at(-1)?.state === 'completed';
  const state = isGap ? ('unknown' as const) : ('abandoned' as const);
  const left =
    isGone && !isOver
      ? steps.map((step) =>
          step.state === 'running' ? { ...step, state, endedAt: isGap ? null : at } : step,
        )
      : steps;
  const known = new Set(left.flatMap(({ pods }) => pods.map(({ uid }) => uid)));
  const others = targetPods.filter(({ uid }) => !known.has(uid));
  return {
    steps: refresh(left, targetPods),
    release: {
      ...release,
      result: release.result ?? (isGone && !isOver ? 'deleted' : null),
      unassigned: mergePods(release.unassigned, others),
    },
  };
}

interface Place {
  /** The step at hand; null where all are done, or the system has let go. */
  current: number | null;
  /** The last one that was reached. */
  reached: number;
  isDone: boolean;
}

function placeOf({ state, step: { index, total, state: word } }: ObservedRelease): Place {
  if (state === 'completing' || state === 'completed')
    return { current: null, reached: state === 'completed' ? total : index, isDone: true };
  const isLeft = state !== 'progressing' && state !== 'waiting' && state !== 'paused' && state !== 'stalled';
  return { current: isLeft || word === 'done' ? null : index, reached: index, isDone: false };
}

/** `at` is null where what happened was not watched. */
function moveStep(step: RolloutStep, place: Place, jumps: Jumps, at: string | null): RolloutStep {
  const { index, state } = step;
  if (index === place.current) {
    if (state === 'running') return step;
    // One that is gone through again began when it did so first.
    return { ...step, state: 'running', startedAt: state === 'planned' ? at : step.startedAt, endedAt: null };
  }
  const isBehind = index < place.reached || (index === place.reached && place.isDone);
  if (state === 'running') {
    const isLeft = !isBehind || (place.current === null && !place.isDone);
    return { ...step, state: isLeft ? 'abandoned' : 'completed', endedAt: at };
  }
  if (state !== 'planned' || !isBehind) return step;
  // The first one is where every release begins, and the last one where it ends by itself.
  const isCertain = index === 1 || (place.isDone && index === place.reached);
  if (isCertain) return { ...step, state: 'completed' };
  const isSkipped = jumps.some(({ from, to }) => from < index && index < to);
  return { ...step, state: isSkipped ? 'skipped' : 'unknown' };
}

/** The jumps with one that is asked for, or that has been seen to happen. */
function addJump(
  jumps: Jumps,
  before: number | null,
  seen: ObservedRelease,
  steps: Steps,
  at: string | null,
): Jumps {
  const { index, next } = seen.step;
  const last = jumps.at(-1);
  const isPending = last?.from === index && before === index && !hasHappened(last, steps);
  // One that was asked for, and then taken back or another one.
  const settled = isPending && last.to !== next && last.to !== index ? jumps.slice(0, -1) : jumps;
  if (next !== null) {
    const isKnown = isPending && last.to === next;
    return isKnown ? settled : [...settled, { from: index, to: next, at }];
  }
  // No release goes back by itself.
  const isBack = before !== null && index < before && !(last?.from === before && last.to === index);
  return isBack ? [...settled, { from: before, to: index, at }] : settled;
}

/** Whether the step that a jump leads back to was gone through since, so that the release is here for another time. */
function hasHappened({ to, at }: Jumps[number], steps: Steps): boolean {
  const step = steps[to - 1];
  if (step === undefined || step.state === 'planned') return false;
  return step.endedAt === null || (at !== null && ms(step.endedAt) >= ms(at));
}

function stepOf(
  { index, replicas: { planned } }: ObservedRelease['steps'][number],
  { style, replicas: { desired } }: ObservedRelease,
  desiredPods: number,
): RolloutStep {
  return {
    index,
    name: `${capitalised(stepNoun({ style }))} ${index}`,
    kind: style === 'batch' ? 'batch' : 'canary',
    planned: planned === null ? null : `${planned} of ${count(desired ?? desiredPods, 'pod')}`,
    startedAt: null,
    endedAt: null,
    state: 'planned',
    pods: [],
    removed: [],
  };
}

/** A pod stays where it was first told to belong; one that nothing told of waits until something does. */
function addPods(
  steps: Steps,
  unassigned: readonly StepPod[],
  seen: ObservedRelease,
  current: number | null,
): { steps: Steps; unassigned: readonly StepPod[] } {
  const present = [...seen.steps.flatMap(({ pods }) => pods), ...seen.unassignedPods].map(stepPodOf);
  const known = new Set(steps.flatMap(({ pods }) => pods.map(({ uid }) => uid)));
  const arrived = new Map<number, StepPod[]>();
  for (const { index, pods } of seen.steps) {
    // After a jump the system labels the pods of the present step with those that it has left out.
    const isSkipped = steps[index - 1]?.state === 'skipped';
    const place = isSkipped && current !== null ? current : index;
    const own = pods.filter(({ uid }) => !known.has(uid)).map(stepPodOf);
    arrived.set(place, [...(arrived.get(place) ?? []), ...own]);
  }
  const filled = refresh(steps, present).map((step) => {
    const own = arrived.get(step.index) ?? [];
    return own.length === 0 ? step : { ...step, pods: [...step.pods, ...own] };
  });
  const placed = new Set(filled.flatMap(({ pods }) => pods.map(({ uid }) => uid)));
  const left = unassigned.filter(({ uid }) => !placed.has(uid));
  const others = seen.unassignedPods.filter(({ uid }) => !placed.has(uid)).map(stepPodOf);
  return { steps: filled, unassigned: mergePods(left, others) };
}

function mergePods(known: readonly StepPod[], present: readonly StepPod[]): readonly StepPod[] {
  const uids = new Set(known.map(({ uid }) => uid));
  return [...known.map((pod) => refreshed(pod, present)), ...present.filter(({ uid }) => !uids.has(uid))].map(
    stepPodOf,
  );
}

function refresh(steps: Steps, present: readonly StepPod[]): Steps {
  return steps.map((step) =>
    step.pods.length === 0 ? step : { ...step, pods: step.pods.map((pod) => refreshed(pod, present)) },
  );
}

function refreshed(known: StepPod, present: readonly StepPod[]): StepPod {
  const now = present.find(({ uid }) => uid === known.uid);
  return now === undefined ? known : { ...stepPodOf(now), readyAt: known.readyAt ?? now.readyAt };
}

/** The pods that went for the step at hand; those that go at the end go for none. */
function addGone(steps: Steps, removed: readonly RemovedPod[]): Steps {
  if (removed.length === 0) return steps;
  return steps.map((step) =>
    step.state === 'running' ? { ...step, removed: [...step.removed, ...removed] } : step,
  );
}

function stepPodOf({ name, uid, ip, node, readyAt, restarts }: StepPod | RolloutPod): StepPod {
  return { name, uid, ip, node, readyAt, restarts };
}
