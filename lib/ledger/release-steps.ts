import { isSince, ms } from '@/lib/ledger/moments';
import { type Observation, type ObservedRelease } from '@/lib/ledger/observation';
import {
  type RecordedRelease,
  type RemovedPod,
  type RolloutRecord,
  type RolloutStep,
  type StepPod,
} from '@/lib/ledger/record';
import { noteRelease, openRelease } from '@/lib/ledger/release';
import { addPods as addToList, type PodList, refreshPods, uidsOf } from '@/lib/ledger/pod-list';
import { withRemoved } from '@/lib/ledger/removals';
import { type RolloutPod } from '@/lib/rollout/rollout';
import { stepNoun } from '@/lib/rollout/style-word';
import { capitalised, count } from '@/lib/workloads/words';

type Steps = readonly RolloutStep[];
/** A pod as its system or its workload has it; who is in a release is in no group. */
type SeenPod = Omit<StepPod, 'group'>;
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
  const skipped = skippedIn(seen, record, place, observation, isGap);
  const moved = planned.map((step) => moveStep(step, place, jumps, skipped, isGap ? null : at));
  const came = withoutOld(seen, record, observation);
  const { steps: filled, release: filledRelease } = addPods(moved, known, came, place.current);
  const isSteppedOut = place.isDone || filled.at(-1)?.state === 'completed';
  const release = { ...noteRelease(filledRelease, seen, at, isSteppedOut), jumps };
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
  const present = presentOf(targetPods);
  const placed = new Set(left.flatMap(uidsOf));
  return {
    steps: left.map((step) => refreshPods(step, present)),
    release: {
      ...withUnassigned(release, targetPods, present, placed),
      result: release.result ?? (isGone && !isOver ? 'deleted' : null),
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

/**
 * The steps that the release has not run and will not run: what its system says, and all of them where it was over as soon
 * as it began, since pods ran the target all the while.
 */
function skippedIn(
  seen: ObservedRelease,
  record: RolloutRecord,
  place: Place,
  { targetPods }: Observation,
  isGap: boolean,
): ReadonlySet<number> {
  const start = record.startedAt ?? record.startedNotAfter;
  const isReturn =
    !isGap &&
    record.release === null &&
    place.isDone &&
    start !== null &&
    targetPods.some(({ createdAt }) => !isSince(createdAt, start));
  return new Set(seen.steps.flatMap(({ index, state }) => (isReturn || state === 'skipped' ? [index] : [])));
}

/** `at` is null where what happened was not watched. */
function moveStep(
  step: RolloutStep,
  place: Place,
  jumps: Jumps,
  skipped: ReadonlySet<number>,
  at: string | null,
): RolloutStep {
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
  if (state !== 'planned') return step;
  const isSkipped =
    skipped.has(index) || (isBehind && jumps.some(({ from, to }) => from < index && index < to));
  if (isSkipped) return { ...step, state: 'skipped' };
  if (!isBehind) return step;
  // The first one is where every release begins, and the last one where it ends by itself.
  const isCertain = index === 1 || (place.isDone && index === place.reached);
  return { ...step, state: isCertain ? 'completed' : 'unknown' };
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

/** Pods that ran the target before the rollout began did not come for a step of it, whatever their labels say. */
function withoutOld(
  seen: ObservedRelease,
  { startedAt }: RolloutRecord,
  { targetPods }: Observation,
): ObservedRelease {
  if (startedAt === null) return seen;
  const arrivals = new Map(targetPods.map(({ uid, createdAt }) => [uid, createdAt]));
  const isNew = ({ uid, createdAt }: RolloutPod) => isSince(arrivals.get(uid) ?? createdAt, startedAt);
  return {
    ...seen,
    steps: seen.steps.map((step) => ({ ...step, pods: step.pods.filter(isNew) })),
    unassignedPods: seen.unassignedPods.filter(isNew),
  };
}

/** A pod stays where it was first told to belong; one that nothing told of waits until something does. */
function addPods(
  steps: Steps,
  known: RecordedRelease,
  seen: ObservedRelease,
  current: number | null,
): { steps: Steps; release: RecordedRelease } {
  const present = presentOf([...seen.steps.flatMap(({ pods }) => pods), ...seen.unassignedPods]);
  const refreshed = steps.map((step) => refreshPods(step, present));
  const placed = new Set(refreshed.flatMap(uidsOf));
  const arrived = new Map<number, StepPod[]>();
  const arrive = (place: number, pods: readonly RolloutPod[]) => {
    const own = pods.filter(({ uid }) => !placed.has(uid)).map(stepPodOf);
    own.forEach(({ uid }) => placed.add(uid));
    arrived.set(place, [...(arrived.get(place) ?? []), ...own]);
  };
  for (const { index, pods } of seen.steps) {
    // After a jump the system labels the pods of the present step with those that it has left out.
    const isSkipped = steps[index - 1]?.state === 'skipped';
    arrive(isSkipped && current !== null ? current : index, pods);
  }
  const growing = seen.marksNoPods === true ? growingStep(seen, steps, current) : null;
  if (growing !== null) {
    const old = new Set([...known.unassigned.map(({ uid }) => uid), ...(known.unlistedUnassigned ?? [])]);
    arrive(
      growing,
      seen.unassignedPods.filter(({ uid }) => !old.has(uid)),
    );
  }
  return {
    steps: refreshed.map((step) => addToList(step, arrived.get(step.index) ?? [])),
    release: withUnassigned(known, seen.unassignedPods, present, placed),
  };
}

/**
 * The step that a pod comes for whose system marks it with none: the last one so far that asked for more pods than those
 * before it. Null once all are done.
 */
function growingStep(seen: ObservedRelease, steps: Steps, current: number | null): number | null {
  if (current === null || steps[current - 1]?.state !== 'running') return null;
  let most = 0;
  let growing: number | null = null;
  for (const { index, replicas } of seen.steps.slice(0, current)) {
    if ((replicas.planned ?? 0) <= most) continue;
    most = replicas.planned ?? 0;
    growing = index;
  }
  return growing;
}

/** Those that belong to no step, with those that are seen now. What a step has got meanwhile is no longer among them. */
function withUnassigned(
  release: RecordedRelease,
  seen: readonly SeenPod[],
  present: ReadonlyMap<string, StepPod>,
  placed: ReadonlySet<string>,
): RecordedRelease {
  const { unassigned, moreUnassigned, unlistedUnassigned, ...rest } = release;
  const left = (unlistedUnassigned ?? []).filter((uid) => !placed.has(uid));
  const list = refreshPods<PodList>(
    {
      pods: unassigned.filter(({ uid }) => !placed.has(uid)),
      more: (moreUnassigned ?? 0) - (unlistedUnassigned ?? []).length + left.length,
      unlisted: left,
    },
    present,
  );
  const known = new Set(uidsOf(list));
  const arrived = seen.filter(({ uid }) => !placed.has(uid) && !known.has(uid)).map(stepPodOf);
  const { pods, more = 0, unlisted = [] } = addToList(list, arrived);
  return {
    ...rest,
    unassigned: pods,
    ...(more > 0 && { moreUnassigned: more }),
    ...(unlisted.length > 0 && { unlistedUnassigned: unlisted }),
  };
}

function presentOf(pods: readonly SeenPod[]): Map<string, StepPod> {
  return new Map(pods.map((pod) => [pod.uid, stepPodOf(pod)]));
}

/** The pods that went for the step at hand; those that go at the end go for none. */
function addGone(steps: Steps, removed: readonly RemovedPod[]): Steps {
  if (removed.length === 0) return steps;
  return steps.map((step) => (step.state === 'running' ? withRemoved(step, removed) : step));
}

function stepPodOf({ name, uid, ip, node, readyAt, restarts }: SeenPod): StepPod {
  return { name, uid, ip, node, readyAt, restarts };
}
