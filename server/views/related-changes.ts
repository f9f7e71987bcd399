import 'server-only';
import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Answer } from '@/lib/api/common';
import type { TemplateDiff } from '@/lib/diff/change';
import { normalizeTemplate } from '@/lib/diff/normalize';
import { isRestartAnnotation } from '@/lib/diff/summary';
import { AppError } from '@/lib/errors';
import type { JsonObject } from '@/lib/kube/json';
import {
  findRelatedChanges,
  type EarlierRollout,
  mapRollouts,
  rolloutsOf,
} from '@/lib/records/related-changes';
import type { relatedRolloutSchema } from '@/lib/api/diff';
import type { RecordSummary } from '@/lib/api/record-summary';
import type { TemplateRef } from '@/lib/records/template-meaning';
import type { RolloutRecord } from '@/lib/api/record';
import { findRevertedRollouts, type RolloutTransition } from '@/lib/records/reverted-rollouts';
import { type ChangeFingerprint, fingerprintsBetween } from '@/lib/records/change-fingerprint';
import { exceedsSlice } from '@/lib/kube/slices';
import type { Archive } from '@/server/archive/archive';
import type { IncarnationKey } from '@/server/archive/workloads';
import type { Keys } from '@/server/shared/keys';
import type { Mask } from '@/server/shared/mask';
import type { DiffRelatedChanges } from '@/server/views/diff-answer';
import { withTimeout } from '@/server/archive/with-timeout';
import { maskedActor } from '@/server/shared/masked-actor';
import { TurnBudget } from '@/server/shared/turn-budget';

/** Older changes are seldom reverted, and each rollout costs two templates and a diff. */
const ROLLOUTS_MAX = 50;

/** For the page of a record; before an action all are compared. By number, so that every read gives the same result. */
const READ_MAX = 20;

/** An answer comes without related changes rather than later than this, and states so. */
const DEADLINE_MS = 3_000;
const LATE_NOTE =
  'Related rollouts are unknown until the archive responds. Reload the comparison in a moment.';
const FAILED_NOTE = 'Related rollouts are unknown: the archive cannot be read.';

/** This many rollouts are compared in one turn of the event loop; one of large templates gets a turn of its own. */
const COMPARISONS_PER_TURN = 4;

/** Characters of all cached fingerprints: some 20 MB, what the latest rollouts of a few thousand workloads changed. */
const FINGERPRINT_CHARS_MAX = 10_000_000;

const FINGERPRINT_OVERHEAD = 50;

/** In a history every template is the later one of one pair and the earlier one of the next. */
const BODIES_MAX = 64;

/** Rollouts whose templates are read together. */
const FETCH_BATCH = 10;

/** An earlier rollout with the keys of its sides. */
interface PastTransition extends RolloutTransition<Answer<typeof relatedRolloutSchema>> {
  activation: number;
  fromId: string | null;
  toId: string | null;
}

export interface RelatedChangeTools {
  archive?: Archive | null;
  keys: Keys;
  deadlineMs?: number;
}

/** One side of a diff by the id of its revision; null for a template that is not recorded. */
type SideId = string | null;

/**
 * How a diff of two sides of a workload's history relates to its earlier rollouts: those before the later one of the
 * sides became the target, or all where that never happened. Null where there is no archive, or its answer takes too
 * long. The rollouts of an earlier incarnation of the same name don't count. The caller has checked that the viewer can
 * see the templates of the workload.
 */
export function relatedChangesOfDiff(
  tools: RelatedChangeTools,
  incarnation: IncarnationKey,
  sides: { from: SideId; to: SideId },
  diff: TemplateDiff,
): Promise<DiffRelatedChanges | null> {
  return findWithinDeadline(tools, diff, async (cache) => {
    const all = await cache.latest(incarnation);
    const [from, to] = [lastActivationOf(all, sides.from), lastActivationOf(all, sides.to)];
    const isKnown = from !== null && to !== null;
    // A rollback from `from` may revert its own rollout too.
    const end = !isKnown ? Infinity : to > from ? to : from + 1;
    const earlier = all.filter(({ activation }) => activation < end);
    const [before, after] = [templateOf(all, sides.from), templateOf(all, sides.to)];
    return {
      changes: findRelatedChanges(diff.changes, await cache.pastRollouts(earlier)),
      reverted: before === null || after === null ? null : findRevertedRollouts(before, after, earlier),
    };
  });
}

/** The same for what a rollout changed, compared with those before it. */
export function relatedChangesOfRecord(
  tools: RelatedChangeTools,
  record: RolloutRecord,
  diff: TemplateDiff,
): Promise<DiffRelatedChanges | null> {
  return findWithinDeadline(tools, diff, async (cache) => {
    const earlier = await cache.before(record);
    const related = findRelatedChanges(diff.changes, await cache.pastRollouts(earlier.slice(-READ_MAX)));
    const reverted = record.from === null ? null : findRevertedRollouts(record.from, record.to, earlier);
    const named = related.flatMap((relatedChange) =>
      relatedChange === null ? [] : rolloutsOf(relatedChange),
    );
    const rolloutById = await cache.rolloutLookup(reverted === null ? named : [...named, reverted.rollout]);
    return {
      changes: related.map((relatedChange) =>
        relatedChange === null ? null : mapRollouts(relatedChange, rolloutById),
      ),
      reverted: reverted === null ? null : { ...reverted, rollout: rolloutById(reverted.rollout) },
    };
  });
}

/** A rollout as related changes name it, masked. */
export function relatedRollout(summary: RecordSummary, mask: Mask): Answer<typeof relatedRolloutSchema> {
  const { id, to, cause, actor, startedAt, startedNotAfter } = summary;
  return {
    id,
    number: to.number,
    cause: mask.text(cause),
    actor: maskedActor(actor, mask),
    at: startedAt ?? startedNotAfter,
  };
}

async function findWithinDeadline(
  { archive, keys, deadlineMs = DEADLINE_MS }: RelatedChangeTools,
  diff: TemplateDiff,
  find: (cache: RelatedChangeCache) => Promise<DiffRelatedChanges>,
): Promise<DiffRelatedChanges | null> {
  if (archive == null || diff.changes.every(isRestartAnnotation)) return null;
  try {
    return await withTimeout(find(cacheOf(archive, keys.mask)).catch(onArchiveFailure), deadlineMs);
  } catch (error) {
    // The caller reports the archive's own errors.
    if (error instanceof AppError) return withoutRelatedChanges(LATE_NOTE);
    throw error;
  }
}

/** The comparison is answered without the archive too: other parts of the page report its failure. */
function onArchiveFailure(error: unknown): DiffRelatedChanges {
  if (error instanceof AppError) return withoutRelatedChanges(FAILED_NOTE);
  throw error;
}

function withoutRelatedChanges(note: string): DiffRelatedChanges {
  return { changes: [], reverted: null, note };
}

/** The cache belongs to the archive that it was read from. */
const cachesByArchive = new WeakMap<Archive, RelatedChangeCache>();

function cacheOf(archive: Archive, mask: Mask): RelatedChangeCache {
  const known = cachesByArchive.get(archive);
  if (known !== undefined) return known;
  const cache = new RelatedChangeCache(archive, mask);
  cachesByArchive.set(archive, cache);
  return cache;
}

class RelatedChangeCache {
  readonly #archive: Pick<Archive, 'rollouts' | 'revisions'>;
  readonly #mask: Mask;
  readonly #fingerprints = new LRUCache<string, readonly ChangeFingerprint[]>({
    maxSize: FINGERPRINT_CHARS_MAX,
    sizeCalculation: charsOf,
  });
  readonly #bodies = new LRUCache<string, JsonObject>({ max: BODIES_MAX });
  readonly #turns = new TurnBudget(COMPARISONS_PER_TURN);

  constructor(archive: Pick<Archive, 'rollouts' | 'revisions'>, mask: Mask) {
    this.#archive = archive;
    this.#mask = mask;
  }

  /** The latest rollouts, oldest first. */
  async latest(incarnation: IncarnationKey): Promise<readonly PastTransition[]> {
    return (await this.#archive.rollouts.summaries(incarnation, ROLLOUTS_MAX)).map((summary) =>
      pastTransitionOf(summary, this.#mask),
    );
  }

  /** Those before a rollout by their ids, oldest first. */
  async before({ workload, activation }: RolloutRecord): Promise<readonly RolloutTransition<string>[]> {
    const transitions = await this.#archive.rollouts.transitions(workload, activation, ROLLOUTS_MAX);
    return transitions.map(({ id, from, to }) => ({ rollout: id, from, to }));
  }

  /** Describes the rollouts of these ids, by id. */
  async rolloutLookup(ids: readonly string[]): Promise<(id: string) => Answer<typeof relatedRolloutSchema>> {
    const summaries = ids.length === 0 ? [] : await this.#archive.rollouts.summariesById([...new Set(ids)]);
    const rollouts = new Map(summaries.map((summary) => [summary.id, relatedRollout(summary, this.#mask)]));
    return (id) => rollouts.get(id) ?? { id, number: null, cause: null, actor: null, at: null };
  }

  /** With what they changed, oldest first. One whose templates have expired is left out. */
  async pastRollouts<Rollout>(
    transitions: readonly RolloutTransition<Rollout>[],
  ): Promise<EarlierRollout<Rollout>[]> {
    const found: EarlierRollout<Rollout>[] = [];
    for (const [index, { rollout, from, to }] of transitions.toReversed().entries()) {
      if (index % FETCH_BATCH === 0)
        await this.#fetch(transitions.slice(-index - FETCH_BATCH, index === 0 ? undefined : -index));
      if (from === null || from.hash === to.hash) continue;
      const traces = await this.#fingerprintsOf(from.hash, to.hash);
      if (traces !== null) found.push({ rollout, fingerprints: traces });
    }
    return found.reverse();
  }

  /** Null where a template has expired. */
  async #fingerprintsOf(from: string, to: string): Promise<readonly ChangeFingerprint[] | null> {
    const pair = `${from} ${to}`;
    const known = this.#fingerprints.get(pair);
    if (known !== undefined) return known;
    const before = await this.#body(from);
    const after = before === null ? null : await this.#body(to);
    if (before === null || after === null) return null;
    await (exceedsSlice(before, after) ? setImmediate() : this.#turns.acquire());
    const traces = fingerprintsBetween(before, after);
    this.#fingerprints.set(pair, traces);
    return traces;
  }

  /** The templates of those that are not cached yet. */
  async #fetch(transitions: readonly RolloutTransition<unknown>[]): Promise<void> {
    const pairs = transitions.flatMap(({ from, to }) =>
      from === null ? [] : [[from.hash, to.hash] as const],
    );
    const unknown = pairs.filter(([from, to]) => from !== to && !this.#fingerprints.has(`${from} ${to}`));
    const hashes = unknown.flat();
    const missing = hashes.filter((hash) => !this.#bodies.has(hash));
    if (missing.length === 0) return;
    for (const [hash, body] of await this.#archive.revisions.bodies(missing)) await this.#store(hash, body);
  }

  /** Masked and normalised. */
  async #body(hash: string): Promise<JsonObject | null> {
    const known = this.#bodies.get(hash);
    if (known !== undefined) return known;
    const body = await this.#archive.revisions.body(hash);
    return body === null ? null : this.#store(hash, body);
  }

  async #store(hash: string, body: JsonObject): Promise<JsonObject> {
    const normalized = normalizeTemplate(await this.#mask.template(body));
    this.#bodies.set(hash, normalized);
    return normalized;
  }
}

function pastTransitionOf(summary: RecordSummary, mask: Mask): PastTransition {
  const { activation, from, to } = summary;
  return {
    activation,
    fromId: from?.id ?? null,
    toId: to.id,
    from,
    to,
    rollout: relatedRollout(summary, mask),
  };
}

function charsOf(traces: readonly ChangeFingerprint[]): number {
  const sizes = traces.map(
    ({ place, before, after }) => place.length + (before?.length ?? 0) + (after?.length ?? 0),
  );
  return sizes.reduce((sum, size) => sum + size + FINGERPRINT_OVERHEAD, FINGERPRINT_OVERHEAD);
}

function lastActivationOf(all: readonly PastTransition[], side: SideId): number | null {
  if (side === null) return null;
  return all.findLast(({ toId }) => toId === side)?.activation ?? null;
}

function templateOf(all: readonly PastTransition[], side: SideId): TemplateRef | null {
  if (side === null) return null;
  const match = all.findLast(({ fromId, toId }) => toId === side || fromId === side);
  return match === undefined ? null : match.toId === side ? match.to : match.from;
}
