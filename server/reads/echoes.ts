import 'server-only';
import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { type TemplateDiff } from '@/lib/diff/change';
import { normaliseTemplate } from '@/lib/diff/normalise';
import { isRestartMark } from '@/lib/diff/summary';
import { AppError } from '@/lib/errors';
import { type JsonObject } from '@/lib/kube/json';
import { type EchoRollout, findEchoes, type PastRollout, retell, rolloutsIn } from '@/lib/ledger/echoes';
import { type RecordMark } from '@/lib/ledger/mark';
import { type TemplateRef } from '@/lib/ledger/meaning';
import { type RolloutRecord } from '@/lib/ledger/record';
import { findTakenBack, type Passage } from '@/lib/ledger/takes-back';
import { type Trace, tracesBetween } from '@/lib/ledger/trace';
import { isLarge } from '@/lib/pieces';
import { type Archive } from '@/server/archive/archive';
import { type Keys } from '@/server/keys';
import { inTurns } from '@/server/in-turns';
import { maskInPieces, maskText } from '@/server/mask';
import { type DiffEchoes } from '@/server/reads/diff-answer';
import { inTime } from '@/server/reads/in-time';
import { maskedActor } from '@/server/reads/masked-actor';
import { TurnBudget } from '@/server/turn-budget';

/** What was done longer ago is seldom what somebody takes back, and each rollout costs two templates and a diff. */
const ROLLOUTS_MAX = 50;

/** Of a record that somebody reads; who is about to decide is told of all. By number, so that every look tells the same. */
const READ_MAX = 20;

/** An answer comes without echoes rather than later than this, and says so. */
const DEADLINE_MS = 3_000;
const LATE =
  'Earlier rollouts are not named: the archive has not answered yet. Load the comparison again in a moment.';
const FAILED = 'Earlier rollouts are not named: the archive cannot be read.';

/** So many rollouts are compared in one turn of the event loop; one of large templates is a turn of its own. */
const COMPARED_IN_A_TURN = 4;

/** Characters of all traces that are kept: some 20 MB, what the latest rollouts of a few thousand workloads changed. */
const TRACE_CHARS_MAX = 10_000_000;

const TRACE_OVERHEAD = 50;

/** In a history every template is the later one of one pair and the earlier one of the next. */
const BODIES_MAX = 64;

/** Rollouts whose templates are read together. */
const FETCHED_AT_ONCE = 10;

/** An earlier rollout with what tells its sides from others. */
interface Past extends Passage {
  activation: number;
  fromId: string | null;
  toId: string | null;
}

export interface EchoTools {
  archive?: Archive | null;
  keys: Keys;
  deadlineMs?: number;
}

/** One side of a diff by the id of its revision; null for a template that nothing has recorded. */
type Side = string | null;

/**
 * What a diff of two sides of a workload's history has to do with its earlier rollouts: those before the later one of
 * the sides became the target, or all where that never happened. Null where there is no archive, or it can't tell in
 * time. The rollouts of an earlier life of the same name don't count. Whoever asks has made sure that the viewer may
 * see the templates of the workload.
 */
export function echoesOfDiff(
  tools: EchoTools,
  uid: string,
  sides: { from: Side; to: Side },
  diff: TemplateDiff,
): Promise<DiffEchoes | null> {
  return foundInTime(tools, diff, async (memory) => {
    const all = await memory.latest(uid);
    const [from, to] = [lastActivationOf(all, sides.from), lastActivationOf(all, sides.to)];
    const isKnown = from !== null && to !== null;
    // Going back from `from`, its own rollout is one of those that may be taken back.
    const end = !isKnown ? Infinity : to > from ? to : from + 1;
    const earlier = all.filter(({ activation }) => activation < end);
    const [before, after] = [templateOf(all, sides.from), templateOf(all, sides.to)];
    return {
      changes: findEchoes(diff.changes, await memory.pastRollouts(earlier)),
      takesBack: before === null || after === null ? null : findTakenBack(before, after, earlier),
    };
  });
}

/** The same of what a rollout changed, told from those before it. */
export function echoesOfRecord(
  tools: EchoTools,
  record: RolloutRecord,
  diff: TemplateDiff,
): Promise<DiffEchoes | null> {
  return foundInTime(tools, diff, async (memory) => {
    const earlier = await memory.before(record);
    const echoes = findEchoes(diff.changes, await memory.pastRollouts(earlier.slice(-READ_MAX)));
    const taken = record.from === null ? null : findTakenBack(record.from, record.to, earlier);
    const named = echoes.flatMap((echo) => (echo === null ? [] : rolloutsIn(echo)));
    const tell = await memory.tellerOf(taken === null ? named : [...named, taken.rollout]);
    return {
      changes: echoes.map((echo) => (echo === null ? null : retell(echo, tell))),
      takesBack: taken === null ? null : { ...taken, rollout: tell(taken.rollout) },
    };
  });
}

/** A rollout as echoes name it, masked. */
export function echoRollout(mark: RecordMark, keys: Keys): EchoRollout {
  const { id, to, cause, actor, startedAt, startedNotAfter } = mark;
  return {
    id,
    number: to.number,
    cause: cause === null ? null : maskText(cause, keys),
    actor: maskedActor(actor, keys),
    at: startedAt ?? startedNotAfter,
  };
}

async function foundInTime(
  { archive, keys, deadlineMs = DEADLINE_MS }: EchoTools,
  diff: TemplateDiff,
  find: (memory: Memory) => Promise<DiffEchoes>,
): Promise<DiffEchoes | null> {
  if (archive == null || diff.changes.every(isRestartMark)) return null;
  try {
    return await inTime(find(memoryOf(archive, keys)).catch(toNone), deadlineMs);
  } catch (error) {
    // What the archive itself refuses is told above.
    if (error instanceof AppError) return untold(LATE);
    throw error;
  }
}

/** Whoever compares gets the comparison, whatever has happened to the archive: that is told elsewhere. */
function toNone(error: unknown): DiffEchoes {
  if (error instanceof AppError) return untold(FAILED);
  throw error;
}

function untold(note: string): DiffEchoes {
  return { changes: [], takesBack: null, note };
}

/** What is kept belongs to the archive that it came from. */
const memories = new WeakMap<Archive, Memory>();

function memoryOf(archive: Archive, keys: Keys): Memory {
  const known = memories.get(archive);
  if (known !== undefined) return known;
  const memory = new Memory(archive, keys);
  memories.set(archive, memory);
  return memory;
}

class Memory {
  readonly #archive: Archive;
  readonly #keys: Keys;
  readonly #traces = new LRUCache<string, readonly Trace[]>({
    maxSize: TRACE_CHARS_MAX,
    sizeCalculation: charsOf,
  });
  readonly #bodies = new LRUCache<string, JsonObject>({ max: BODIES_MAX });
  readonly #turns = new TurnBudget(COMPARED_IN_A_TURN);

  constructor(archive: Archive, keys: Keys) {
    this.#archive = archive;
    this.#keys = keys;
  }

  /** The latest rollouts, oldest first. */
  async latest(uid: string): Promise<readonly Past[]> {
    return (await this.#archive.marks(uid, ROLLOUTS_MAX)).map((mark) => pastOf(mark, this.#keys));
  }

  /** Those before a rollout by their ids, oldest first. */
  async before({ workload, activation }: RolloutRecord): Promise<readonly Passage<string>[]> {
    const passages = await this.#archive.passages(workload.uid, activation, ROLLOUTS_MAX);
    return passages.map(({ id, from, to }) => ({ rollout: id, from, to }));
  }

  /** Tells the rollouts of these ids, as they are to be named. */
  async tellerOf(ids: readonly string[]): Promise<(id: string) => EchoRollout> {
    const marks = ids.length === 0 ? [] : await this.#archive.marksById([...new Set(ids)]);
    const rollouts = new Map(marks.map((mark) => [mark.id, echoRollout(mark, this.#keys)]));
    return (id) => rollouts.get(id) ?? { id, number: null, cause: null, actor: null, at: null };
  }

  /** With what they changed, oldest first. One whose templates have expired is left out. */
  async pastRollouts<Rollout>(pasts: readonly Passage<Rollout>[]): Promise<PastRollout<Rollout>[]> {
    const found: PastRollout<Rollout>[] = [];
    for (const [index, { rollout, from, to }] of pasts.toReversed().entries()) {
      if (index % FETCHED_AT_ONCE === 0)
        await this.#fetch(pasts.slice(-index - FETCHED_AT_ONCE, index === 0 ? undefined : -index));
      if (from === null || from.hash === to.hash) continue;
      const traces = await this.#tracesOf(from.hash, to.hash);
      if (traces !== null) found.push({ rollout, traces });
    }
    return found.reverse();
  }

  /** Null where a template has expired. */
  async #tracesOf(from: string, to: string): Promise<readonly Trace[] | null> {
    const pair = `${from} ${to}`;
    const known = this.#traces.get(pair);
    if (known !== undefined) return known;
    const before = await this.#body(from);
    const after = before === null ? null : await this.#body(to);
    if (before === null || after === null) return null;
    await (isLarge(before, after) ? setImmediate() : this.#turns.take());
    const traces = tracesBetween(before, after);
    this.#traces.set(pair, traces);
    return traces;
  }

  /** The templates of those of which nothing is known yet. */
  async #fetch(passages: readonly Passage<unknown>[]): Promise<void> {
    const pairs = passages.flatMap(({ from, to }) => (from === null ? [] : [[from.hash, to.hash] as const]));
    const unknown = pairs.filter(([from, to]) => from !== to && !this.#traces.has(`${from} ${to}`));
    const hashes = unknown.flat();
    const missing = hashes.filter((hash) => !this.#bodies.has(hash));
    if (missing.length === 0) return;
    for (const [hash, body] of await this.#archive.bodiesOf(missing)) await this.#keep(hash, body);
  }

  /** Masked and normalised. */
  async #body(hash: string): Promise<JsonObject | null> {
    const known = this.#bodies.get(hash);
    if (known !== undefined) return known;
    const body = await this.#archive.body(hash);
    return body === null ? null : this.#keep(hash, body);
  }

  async #keep(hash: string, body: JsonObject): Promise<JsonObject> {
    const told = normaliseTemplate(await inTurns(maskInPieces(body, this.#keys)));
    this.#bodies.set(hash, told);
    return told;
  }
}

function pastOf(mark: RecordMark, keys: Keys): Past {
  const { activation, from, to } = mark;
  return {
    activation,
    fromId: from?.id ?? null,
    toId: to.id,
    from,
    to,
    rollout: echoRollout(mark, keys),
  };
}

function charsOf(traces: readonly Trace[]): number {
  const sizes = traces.map(
    ({ place, before, after }) => place.length + (before?.length ?? 0) + (after?.length ?? 0),
  );
  return sizes.reduce((sum, size) => sum + size + TRACE_OVERHEAD, TRACE_OVERHEAD);
}

function lastActivationOf(all: readonly Past[], side: Side): number | null {
  if (side === null) return null;
  return all.findLast(({ toId }) => toId === side)?.activation ?? null;
}

function templateOf(all: readonly Past[], side: Side): TemplateRef | null {
  if (side === null) return null;
  const as = all.findLast(({ fromId, toId }) => toId === side || fromId === side);
  return as === undefined ? null : as.toId === side ? as.to : as.from;
}
