import { isAtOrAfter, ms } from '@/lib/records/times';
import type { Observation, ObservedProgressiveRollout } from '@/lib/records/observation';
import type {
  RecordedProgressiveRollout,
  RemovedPod,
  RolloutRecord,
  RecordedStep,
  StepPod,
} from '@/lib/api/record';
import { updateProgressiveRollout, startProgressiveRollout } from '@/lib/records/progressive-rollout';
import { addPods as addToList, type StepPodList, refreshPods, uidsOf } from '@/lib/records/step-pods';
import { addRemovedToStep } from '@/lib/records/removed-pods';
import type { RolloutPod } from '@/lib/api/rollouts';
import { stepNoun } from '@/lib/rollout/style-text';
import { capitalize, formatCount } from '@/lib/format/text';

type Steps = readonly RecordedStep[];
/** A pod as its system or its workload has it; a pod of a progressive rollout is in no group. */
type ProgressivePod = Omit<StepPod, 'group'>;
type Jumps = RecordedProgressiveRollout['jumps'];
type StepsAndRollout = Pick<RolloutRecord, 'steps' | 'progressiveRollout'>;

/**
 * The steps of a progressive rollout, updated from an observation. A step has the pods that the system
 * attributes to it, recorded while the system shows it; the others belong to none. An unobserved step is not
 * recorded as having run, unless the rollout can't have continued without it.
 */
export function updateProgressiveSteps(
  record: RolloutRecord,
  seen: ObservedProgressiveRollout,
  observation: Observation,
  removed: readonly RemovedPod[],
  isGap: boolean,
): StepsAndRollout {
  const { at, desiredPods } = observation;
  const known = record.progressiveRollout ?? startProgressiveRollout(seen);
  const steps = record.progressiveRollout === null ? [] : record.steps;
  const planned = [
    ...steps,
    ...seen.steps.slice(steps.length).map((step) => createStep(step, seen, desiredPods)),
  ];
  const position = positionOf(seen);
  const before = planned.find(({ state }) => state === 'running')?.index ?? null;
  const jumps = addJump(known.jumps, before, seen, planned, isGap ? null : at);
  const skipped = findSkippedSteps(seen, record, position, observation, isGap);
  const moved = planned.map((step) => advanceStep(step, position, jumps, skipped, isGap ? null : at));
  const withNewPods = withoutEarlierPods(seen, record, observation);
  const { steps: filled, rollout } = assignPods(moved, known, withNewPods, position.current);
  const isSteppedOut = position.isDone || filled.at(-1)?.state === 'completed';
  const progressiveRollout = { ...updateProgressiveRollout(rollout, seen, at, isSteppedOut), jumps };
  // A pod that went during a gap may have been replaced by an unobserved step.
  const isSame = before === null || before === position.current;
  return { steps: isGap && !isSame ? filled : addRemovedPods(filled, removed), progressiveRollout };
}

/** A progressive rollout whose system has detached from it: new pods belong to no step. */
export function detachProgressiveRollout(
  { steps, progressiveRollout }: RolloutRecord & { progressiveRollout: RecordedProgressiveRollout },
  { at, progressiveRollout: seen, targetPods }: Observation,
  isGap: boolean,
): StepsAndRollout {
  const isDeleted = seen?.uid !== progressiveRollout.uid;
  const isOver = steps.at(-1)?.state === 'completed';
  const state = isGap ? ('unknown' as const) : ('abandoned' as const);
  const remaining =
    isDeleted && !isOver
      ? steps.map((step) =>
          step.state === 'running' ? { ...step, state, endedAt: isGap ? null : at } : step,
        )
      : steps;
  const podsByUid = stepPodsByUid(targetPods);
  const placed = new Set(remaining.flatMap(uidsOf));
  return {
    steps: remaining.map((step) => refreshPods(step, podsByUid)),
    progressiveRollout: {
      ...withUnassigned(progressiveRollout, targetPods, podsByUid, placed),
      result: progressiveRollout.result ?? (isDeleted && !isOver ? 'deleted' : null),
    },
  };
}

interface StepPosition {
  /** The current step; null where all are done, or the system has detached. */
  current: number | null;
  /** The last one that was reached. */
  reached: number;
  isDone: boolean;
}

function positionOf({
  state,
  step: { index, total, state: stepState },
}: ObservedProgressiveRollout): StepPosition {
  if (state === 'completing' || state === 'completed')
    return { current: null, reached: state === 'completed' ? total : index, isDone: true };
  const isAbandoned =
    state !== 'progressing' && state !== 'waiting' && state !== 'paused' && state !== 'stalled';
  return { current: isAbandoned || stepState === 'done' ? null : index, reached: index, isDone: false };
}

/**
 * The steps that the rollout has not run and will not run: those that its system reports, and all of them
 * where it was over as soon as it began, since pods ran the target throughout.
 */
function findSkippedSteps(
  seen: ObservedProgressiveRollout,
  record: RolloutRecord,
  position: StepPosition,
  { targetPods }: Observation,
  isGap: boolean,
): ReadonlySet<number> {
  const start = record.startedAt ?? record.startedNotAfter;
  const isReturn =
    !isGap &&
    record.progressiveRollout === null &&
    position.isDone &&
    start !== null &&
    targetPods.some(({ createdAt }) => !isAtOrAfter(createdAt, start));
  return new Set(seen.steps.flatMap(({ index, state }) => (isReturn || state === 'skipped' ? [index] : [])));
}

/** `at` is null where the event was not observed. */
function advanceStep(
  step: RecordedStep,
  position: StepPosition,
  jumps: Jumps,
  skipped: ReadonlySet<number>,
  at: string | null,
): RecordedStep {
  const { index, state } = step;
  if (index === position.current) {
    if (state === 'running') return step;
    // A repeated step began when it did so first.
    return { ...step, state: 'running', startedAt: state === 'planned' ? at : step.startedAt, endedAt: null };
  }
  const isBehind = index < position.reached || (index === position.reached && position.isDone);
  if (state === 'running') {
    const isAbandoned = !isBehind || (position.current === null && !position.isDone);
    return { ...step, state: isAbandoned ? 'abandoned' : 'completed', endedAt: at };
  }
  if (state !== 'planned') return step;
  const isSkipped =
    skipped.has(index) || (isBehind && jumps.some(({ from, to }) => from < index && index < to));
  if (isSkipped) return { ...step, state: 'skipped' };
  if (!isBehind) return step;
  // The first one is where every progressive rollout begins, and the last one where it ends by itself.
  const isCertain = index === 1 || (position.isDone && index === position.reached);
  return { ...step, state: isCertain ? 'completed' : 'unknown' };
}

/** The jumps, with one that is requested or was observed. */
function addJump(
  jumps: Jumps,
  before: number | null,
  seen: ObservedProgressiveRollout,
  steps: Steps,
  at: string | null,
): Jumps {
  const { index, next } = seen.step;
  const last = jumps.at(-1);
  const isPending = last?.from === index && before === index && !hasHappened(last, steps);
  // One that was requested, and then withdrawn or replaced.
  const settled = isPending && last.to !== next && last.to !== index ? jumps.slice(0, -1) : jumps;
  if (next !== null) {
    const isKnown = isPending && last.to === next;
    return isKnown ? settled : [...settled, { from: index, to: next, at }];
  }
  // No progressive rollout steps back by itself.
  const isBack = before !== null && index < before && !(last?.from === before && last.to === index);
  return isBack ? [...settled, { from: before, to: index, at }] : settled;
}

/** Whether the step that a jump leads back to has run since, so that the rollout has returned to it. */
function hasHappened({ to, at }: Jumps[number], steps: Steps): boolean {
  const step = steps[to - 1];
  if (step === undefined || step.state === 'planned') return false;
  return step.endedAt === null || (at !== null && ms(step.endedAt) >= ms(at));
}

function createStep(
  { index, replicas: { planned } }: ObservedProgressiveRollout['steps'][number],
  { style, replicas: { desired } }: ObservedProgressiveRollout,
  desiredPods: number,
): RecordedStep {
  return {
    index,
    name: `${capitalize(stepNoun({ style }))} ${index}`,
    kind: style === 'batch' ? 'batch' : 'canary',
    planned: planned === null ? null : `${planned} of ${formatCount(desired ?? desiredPods, 'pod')}`,
    startedAt: null,
    endedAt: null,
    state: 'planned',
    pods: [],
    removed: [],
  };
}

/** Pods that ran the target before the rollout began did not come for a step of it, whatever their labels say. */
function withoutEarlierPods(
  seen: ObservedProgressiveRollout,
  { startedAt }: RolloutRecord,
  { targetPods }: Observation,
): ObservedProgressiveRollout {
  if (startedAt === null) return seen;
  const arrivals = new Map(targetPods.map(({ uid, createdAt }) => [uid, createdAt]));
  const isNew = ({ uid, createdAt }: RolloutPod) => isAtOrAfter(arrivals.get(uid) ?? createdAt, startedAt);
  return {
    ...seen,
    steps: seen.steps.map((step) => ({ ...step, pods: step.pods.filter(isNew) })),
    unassignedPods: seen.unassignedPods.filter(isNew),
  };
}

/** A pod stays in the step that it was first assigned to; an unassigned one waits until its step is known. */
function assignPods(
  steps: Steps,
  known: RecordedProgressiveRollout,
  seen: ObservedProgressiveRollout,
  current: number | null,
): { steps: Steps; rollout: RecordedProgressiveRollout } {
  const all = [...seen.steps.flatMap(({ pods }) => pods), ...seen.unassignedPods];
  const podsByUid = stepPodsByUid(all);
  const refreshed = steps.map((step) => refreshPods(step, podsByUid));
  const placed = new Set(refreshed.flatMap(uidsOf));
  const arrived = new Map<number, StepPod[]>();
  const arrive = (position: number, pods: readonly RolloutPod[]) => {
    const own = pods.filter(({ uid }) => !placed.has(uid)).map(stepPodOf);
    own.forEach(({ uid }) => placed.add(uid));
    arrived.set(position, [...(arrived.get(position) ?? []), ...own]);
  };
  const growing = seen.marksNoPods === true ? growingStep(seen, steps, current) : null;
  let { unassignedPods: unassigned } = seen;
  if (growing === null) {
    for (const { index, pods } of seen.steps) {
      // After a jump the system labels the pods of the step that it went to with those that it has left out.
      const isSkipped = steps[index - 1]?.state === 'skipped';
      arrive(isSkipped ? (current ?? nextRunStep(steps, index)) : index, pods);
    }
  } else {
    const old = new Set([...known.unassigned.map(({ uid }) => uid), ...(known.unlistedUnassigned ?? [])]);
    const open = all.filter(({ uid }) => !placed.has(uid));
    const inOrder = open
      .filter(({ uid }) => !old.has(uid))
      .toSorted((a, b) => ms(a.createdAt) - ms(b.createdAt));
    const planned = seen.steps.length === 1 ? Infinity : (seen.steps[growing - 1]?.replicas.planned ?? 0);
    arrive(growing, inOrder.slice(0, Math.max(0, planned - (all.length - open.length))));
    // Pods may be observed before the step that creates them: they wait for it.
    unassigned = all.filter(({ uid }) => old.has(uid));
  }
  return {
    steps: refreshed.map((step) => addToList(step, arrived.get(step.index) ?? [])),
    rollout: withUnassigned(known, unassigned, podsByUid, placed),
  };
}

/** The step after a skipped one that the rollout went to; the skipped one where none ran after it. */
function nextRunStep(steps: Steps, skipped: number): number {
  return steps.find(({ index, state }) => index > skipped && state !== 'skipped')?.index ?? skipped;
}

/**
 * The step of a pod whose system labels none: the last one so far that requested more pods than those before
 * it. Null once all are done.
 */
function growingStep(seen: ObservedProgressiveRollout, steps: Steps, current: number | null): number | null {
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

/** Those that belong to no step, including those observed now, without those since assigned to a step. */
function withUnassigned(
  rollout: RecordedProgressiveRollout,
  seen: readonly ProgressivePod[],
  podsByUid: ReadonlyMap<string, StepPod>,
  placed: ReadonlySet<string>,
): RecordedProgressiveRollout {
  const { unassigned, moreUnassigned, unlistedUnassigned, ...rest } = rollout;
  const remaining = (unlistedUnassigned ?? []).filter((uid) => !placed.has(uid));
  const list = refreshPods<StepPodList>(
    {
      pods: unassigned.filter(({ uid }) => !placed.has(uid)),
      more: (moreUnassigned ?? 0) - (unlistedUnassigned ?? []).length + remaining.length,
      unlisted: remaining,
    },
    podsByUid,
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

function stepPodsByUid(pods: readonly ProgressivePod[]): Map<string, StepPod> {
  return new Map(pods.map((pod) => [pod.uid, stepPodOf(pod)]));
}

/** The pods that the current step replaced; those that go at the end belong to none. */
function addRemovedPods(steps: Steps, removed: readonly RemovedPod[]): Steps {
  if (removed.length === 0) return steps;
  return steps.map((step) => (step.state === 'running' ? addRemovedToStep(step, removed) : step));
}

function stepPodOf({ name, uid, ip, node, readyAt, restarts }: ProgressivePod): StepPod {
  return { name, uid, ip, node, readyAt, restarts };
}
