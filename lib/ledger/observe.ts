import { type Begun, findBegun } from '@/lib/ledger/activate';
import { giveCause, isOfAnother, withCause, withLateCause } from '@/lib/ledger/cause';
import { isSameTemplate, withMeaning } from '@/lib/ledger/meaning';
import { earlier, later, ms } from '@/lib/ledger/moments';
import {
  type BorneCause,
  type Gap,
  type LedgerTools,
  type Memory,
  type Observation,
  type Observed,
  type Watch,
} from '@/lib/ledger/observation';
import {
  type ArchivedActivation,
  type RevisionRef,
  type RolloutRecord,
  type WorkloadLife,
} from '@/lib/ledger/record';
import { rememberPods, removedOf } from '@/lib/ledger/removals';
import { isAborted, isTakenBack, isUnderWay, reopened } from '@/lib/ledger/release';
import { prune, rememberRevisions } from '@/lib/ledger/revisions';
import {
  completedAt,
  endRecord,
  follow,
  isComplete,
  openRecord,
  outcomeBefore,
  pass,
} from '@/lib/ledger/rollout';
import { hasNews } from '@/lib/ledger/samples';

/** Of an open rollout in which nothing happens, at least this often is kept that it was watched. */
const KEEP_MS = 60_000;

interface Course {
  activations: ArchivedActivation[];
  changed: Map<number, ArchivedActivation>;
  record: RolloutRecord | null;
  ended: RolloutRecord[];
  heldGap: Gap | null;
}

/**
 * Brings what is remembered of a workload up to what is seen of it now. It depends on the present state alone, so
 * states that were missed change nothing but what is marked as not watched, and the same state twice changes nothing.
 */
export function observe(memory: Memory, observation: Observation, tools: LedgerTools): Observed {
  const gap = gapOf(memory, observation);
  const course = passOn(memory, observation, gap, tools);
  const held = beginHeld(memory, course, observation, gap, tools);
  const begun = held === null ? null : reopened(held, observation);
  const { record, cause } = giveCause(begun, memory, observation, gap, tools);
  const seen =
    record?.outcome === null
      ? look(memory, record, course, observation, gap, tools)
      : withLateCause(record, memory, observation, gap);
  const known = rememberRevisions(memory.revisions, observation, (revision) =>
    isOfAnother(revision, cause, seen),
  );
  return settle(memory, observation, { ...course, cause }, seen, known, tools);
}

/**
 * The workload is gone: its open rollout has failed, its revisions went with it. Null where nothing is remembered of it.
 */
export function observeDeletion(memory: Memory, at: string, watch: Watch): Observed | null {
  if (memory.life === null || memory.life.deletedAt !== null) return null;
  const gap = gapOf(memory, { at, watch, life: memory.life });
  const life: WorkloadLife = { ...memory.life, deletedAt: at };
  const revisions = prune(memory.revisions, new Set(), at);
  const last = memory.activations.at(-1);
  const activations = last === undefined || gap !== null ? [] : [{ ...last, to: at }];
  const isOpen = memory.record?.outcome === null;
  const record = isOpen ? failed(memory.record, gap, at) : memory.record;
  return {
    memory: {
      ...memory,
      life,
      revisions: new Map([...memory.revisions, ...revisions.map((entry) => [entry.id, entry] as const)]),
      activations: [...memory.activations.slice(0, -activations.length || undefined), ...activations],
      record,
      watchedUntil: at,
    },
    changes: { life, revisions, activations, records: isOpen && record !== null ? [record] : [] },
  };
}

function failed(record: RolloutRecord | null, gap: Gap | null, at: string): RolloutRecord | null {
  if (record === null) return null;
  if (gap === null) return endRecord(record, 'failed', at, at);
  return endRecord(pass(record, gap), 'failed', null, gap.from ?? at);
}

/** What was not watched up to now; null where the watch goes on since the last observation, or since the beginning. */
function gapOf(
  { watchedUntil }: Memory,
  { at, watch, life }: Pick<Observation, 'at' | 'watch' | 'life'>,
): Gap | null {
  const isFromBirth = ms(life.createdAt) >= Math.floor(ms(watch.since) / 1000) * 1000;
  if (watchedUntil === null) return isFromBirth ? null : { from: null, to: at };
  if (ms(watchedUntil) >= ms(watch.since)) return null;
  return { from: later(watchedUntil, watch.lost), to: at };
}

/** Ends the record of each activation that another one followed, and opens the next. */
function passOn(memory: Memory, observation: Observation, gap: Gap | null, tools: LedgerTools): Course {
  const course: Course = {
    activations: [...memory.activations],
    changed: new Map(),
    record: memory.record,
    ended: [],
    heldGap: null,
  };
  recognise(course, observation, tools);
  const watchedUntil = gap === null ? (memory.watchedUntil ?? observation.life.createdAt) : null;
  for (const begun of findBegun(course.activations, observation, watchedUntil, tools)) {
    // Of what began and ended between two looks nothing was seen, even where the watch had no gap.
    const isWatched = gap === null && course.record?.id === memory.record?.id && memory.isSeenOpen;
    endPrevious(
      course,
      begun,
      observation,
      isWatched ? null : (gap ?? { from: null, to: observation.at }),
      tools,
    );
    course.activations.push(begun.activation);
    course.changed.set(begun.activation.index, begun.activation);
    if (begun.isPresent && isHeldBack(observation)) {
      course.record = null;
      course.heldGap = gap;
      continue;
    }
    const unseen = begun.isPresent ? gap : (gap ?? { from: null, to: observation.at });
    course.record = withCause(openRecord(observation, begun, unseen, tools), memory, observation, gap);
  }
  return course;
}

/**
 * What a release brought before anything recorded it has got its number and its id, or is written in another way: by its
 * controller, with what goes without saying.
 */
function recognise(course: Course, { target, revisions }: Observation, tools: LedgerTools): void {
  const last = course.activations.at(-1);
  if (last === undefined || target === null || !isUnnamed(last.revision, target)) return;
  if (!isSameTemplate(last.revision, target, tools)) return;
  const named = { ...last, revision: withMeaning(target, tools) };
  course.activations = [...course.activations.slice(0, -1), named];
  course.changed.set(named.index, named);
  if (course.record?.outcome !== null || course.record.activation !== named.index) return;
  const images = revisions.find(({ id }) => id === target.id)?.images ?? course.record.images;
  const record = renamed({ ...course.record, images }, named.revision);
  // The first revision starts the workload, which its number alone tells.
  const isFirst = record.from === null && record.to.number === 1 && record.release === null;
  course.record = isFirst ? { ...record, summary: tools.summary(null, record.to) } : record;
}

function isUnnamed(known: RevisionRef, target: RevisionRef): boolean {
  if (known.id === null) return target.id !== null || target.hash !== known.hash;
  return known.id === target.id && known.number === null && target.number !== null;
}

/** Under the hash that the template has from now on. */
function renamed(record: RolloutRecord, to: RevisionRef): RolloutRecord {
  const before = record.to.hash;
  if (before === to.hash) return { ...record, to };
  const samples = record.samples.map((sample) => ({
    ...sample,
    byRevision: sample.byRevision.map(
      ([hash, pods, ready]) => [hash === before ? to.hash : hash, pods, ready] as const,
    ),
  }));
  return { ...record, to, samples };
}

function endPrevious(
  course: Course,
  { activation }: Begun,
  observation: Observation,
  gap: Gap | null,
  tools: LedgerTools,
): void {
  const last = course.activations.at(-1);
  if (last === undefined) return;
  const to = activation.from;
  const ended = { ...last, to };
  course.activations = [...course.activations.slice(0, -1), ended];
  course.changed.set(ended.index, ended);
  const { record } = course;
  if (record?.outcome !== null) return;
  if (gap !== null) {
    course.ended.push(endRecord(missed(record, gap, to), 'unknown', to, observation.at));
    return;
  }
  const { number, id } = activation.revision;
  const next = observation.revisions.find((revision) => revision.id === id && revision.number === number);
  const outcome = outcomeBefore(
    activation.revision,
    course.activations.slice(0, -1),
    next?.usedBefore === true,
    tools,
  );
  course.ended.push(endRecord(record, outcome, to, observation.at));
}

/** The rest of a rollout that nobody watched, up to its end where that is known. */
function missed(record: RolloutRecord, gap: Gap, end: string | null): RolloutRecord {
  // A record made in the same look has its gap already.
  const isNew = record.samples.length === 0 && record.unwatched.length > 0;
  const to = end === null ? gap.to : earlier(gap.to, end);
  if (isNew) {
    return { ...record, unwatched: record.unwatched.map(({ from }) => ({ from: earlier(from, to), to })) };
  }
  return pass(record, { from: gap.from === null ? null : earlier(gap.from, to), to });
}

/** The target of a paused workload that no pod runs yet: its rollout begins when it is resumed. */
function isHeldBack({ paused, target, revisions, release }: Observation): boolean {
  // A release pauses the workload for as long as it goes on.
  if (!paused || target === null || isUnderWay(release)) return false;
  const mine = revisions.find(({ id }) => id === target.id);
  return mine?.pods === 0 && revisions.some(({ pods }) => pods > 0);
}

/** The record of an activation that was held until now. */
function beginHeld(
  memory: Memory,
  course: Course,
  observation: Observation,
  gap: Gap | null,
  tools: LedgerTools,
): RolloutRecord | null {
  const last = course.activations.at(-1);
  const { at, target } = observation;
  if (course.record !== null || last === undefined) return course.record;
  if (memory.record === null && memory.heldGap !== null) {
    course.heldGap = { from: memory.heldGap.from, to: course.heldGap?.to ?? memory.heldGap.to };
  } else if (gap !== null) course.heldGap ??= gap;
  if (target === null || !isSameTemplate(last.revision, target, tools) || isHeldBack(observation))
    return null;
  // Paused while nobody looked: it may have begun before.
  const isKnown = gap === null && course.heldGap === null;
  const begun: Begun = {
    activation: { ...last, from: isKnown ? at : null, fromNotAfter: isKnown ? null : at },
    notBefore: gap?.from ?? last.from,
    previous: course.activations.at(-2)?.revision ?? null,
    isPresent: true,
  };
  const record = openRecord(observation, begun, gap, tools);
  const { heldGap } = course;
  const unwatched =
    gap === null && heldGap !== null
      ? [{ from: heldGap.from ?? last.from ?? heldGap.to, to: heldGap.to }]
      : record.unwatched;
  return withCause({ ...record, unwatched }, memory, observation, gap);
}

/** What is seen of the open rollout now, and whether it is over. */
function look(
  memory: Memory,
  record: RolloutRecord,
  course: Course,
  observation: Observation,
  gap: Gap | null,
  tools: LedgerTools,
): RolloutRecord {
  const isAdopted = memory.watchedUntil === null && gap !== null;
  const isNew = record.id !== memory.record?.id;
  const isTarget = leadsTo(record, observation, tools);
  const isOver = isTarget && isComplete(record, observation);
  // The pods of a rollout that was over before anybody looked may have been replaced since.
  const seen = isAdopted && isOver ? { ...observation, targetPods: [], warnings: [] } : observation;
  const looked = { gap, isNew, isTarget, removed: removedOf(memory, observation, gap) };
  const caused = isNew || gap === null ? record : withCause(record, memory, observation, gap);
  const followed = follow(caused, seen, course.activations, looked, tools);
  if (isTarget && isAborted(followed, observation)) {
    const end = gap === null ? (observation.release?.since ?? observation.at) : null;
    return endRecord(followed, 'failed', end, observation.at);
  }
  if (!isOver) return followed;
  if (isTakenBack(followed, observation))
    return endRecord(followed, 'rolledBack', gap === null ? observation.at : null, observation.at);
  const end = completedAt(followed, observation, memory.watchedUntil, gap !== null);
  return endRecord(followed, 'completed', end, observation.at);
}

function settle(
  memory: Memory,
  observation: Observation,
  { activations, changed, ended, heldGap, cause }: Course & { cause: BorneCause },
  record: RolloutRecord | null,
  known: ReturnType<typeof rememberRevisions>,
  tools: LedgerTools,
): Observed {
  const { life, at } = observation;
  const isKept = record === null || !isWorthKeeping(memory, record, at);
  const isSameLife = memory.life !== null && JSON.stringify(memory.life) === JSON.stringify(life);
  return {
    memory: {
      life: isSameLife ? memory.life : life,
      revisions: known.revisions,
      activations: changed.size === 0 ? memory.activations : activations,
      record,
      isSeenOpen: isSeenOpen(memory, observation, record, tools),
      heldGap: record === null ? heldGap : null,
      cause,
      pods: rememberPods(memory, observation, gapOf(memory, observation)),
      watchedUntil: at,
      keptAt: isKept ? memory.keptAt : at,
    },
    changes: {
      life: isSameLife ? null : life,
      revisions: known.changed,
      activations: [...changed.values()],
      records: isKept ? ended : [...ended, record],
    },
  };
}

/** Whether what is asked for now is what the rollout brings. */
function leadsTo({ to }: RolloutRecord, { target }: Observation, tools: LedgerTools): boolean {
  return target !== null && isSameTemplate(to, target, tools);
}

/** While the present template is pending nothing tells how far the rollout before it has come. */
function isSeenOpen(
  memory: Memory,
  observation: Observation,
  record: RolloutRecord | null,
  tools: LedgerTools,
): boolean {
  if (record?.outcome !== null) return false;
  if (leadsTo(record, observation, tools)) return true;
  return memory.isSeenOpen && memory.record?.id === record.id && gapOf(memory, observation) === null;
}

function isWorthKeeping(memory: Memory, record: RolloutRecord, at: string): boolean {
  const before = memory.record;
  if (before === record) return false;
  if (before?.id !== record.id || before.outcome !== record.outcome) return true;
  if (record.outcome === null && !(ms(at) - ms(memory.keptAt) < KEEP_MS)) return true;
  return hasNews(before.samples, record.samples) || textOf(before) !== textOf(record);
}

function textOf({ samples: _samples, ...rest }: RolloutRecord): string {
  return JSON.stringify(rest);
}
