import 'server-only';
import { type RevisionItem } from '@/lib/api/workloads';
import { explainedSince } from '@/lib/history/explanation';
import { findPredecessors } from '@/lib/history/predecessor';
import { type Revision } from '@/lib/history/revision';
import { type JsonObject } from '@/lib/kube/json';
import { type RecordMark } from '@/lib/ledger/mark';
import { templateKeys } from '@/lib/ledger/meaning';
import { type ArchivedRevision } from '@/lib/ledger/record';
import { type WorkloadKind } from '@/lib/workloads/kind';
import { listed } from '@/lib/workloads/words';
import { type WriteMark } from '@/lib/workloads/workload';
import { type ClusterCache } from '@/server/cluster/cache';
import { maskText } from '@/server/mask';
import { type ReadContext } from '@/server/reads/context';
import { inTime } from '@/server/reads/in-time';
import { type RevisionEntry } from '@/server/reads/revision-entries';
import { rolloutMark } from '@/server/reads/rollout-mark';
import { type SummarySide } from '@/server/reads/summaries';

/** Templates read from the archive for one answer; of older revisions their records tell what changed. */
const BODIES_MAX = 60;

/** `isLate`: the archive has not answered, so some may be missing that it has. */
interface Bodies {
  found: ReadonlyMap<string, JsonObject>;
  isLate: boolean;
}
type Own =
  'target' | 'current' | 'live' | 'serving' | 'pods' | 'prunedNext' | 'writer' | 'retained' | 'archived';
type Said =
  | 'explanation'
  | 'alsoNumbers'
  | 'changeCause'
  | 'images'
  | 'sharesNumber'
  | 'notes'
  | 'unreadable'
  | 'fault';

/** Revisions in one answer. Nobody looks through more in a list; what the cluster has is never left out. */
const SHOWN_MAX = 300;

/** How many older ones {@link revisionItems} leaves to the records. */
export function hiddenCount(entries: readonly RevisionEntry[]): number {
  return entries.filter((entry, index) => !isShown(entry, index)).length;
}

function isShown({ kind }: RevisionEntry, index: number): boolean {
  return index < SHOWN_MAX || kind === 'retained';
}

/** Revisions as pages show them, newest first, each with what changed against the one that was the target before it. */
export async function revisionItems(
  context: ReadContext,
  entries: readonly RevisionEntry[],
  marks: readonly RecordMark[],
  /** Absent: their workload is there no longer. */
  kind?: WorkloadKind,
): Promise<RevisionItem[]> {
  const befores = beforesOf(entries, marks);
  const bodies = await archivedBodies(context, entries, befores);
  const ofActivation = new Map(marks.map((mark) => [mark.activation, mark]));
  const inherited = inheritedCauses(entries);
  const originals = originalsOf(entries, keyOfTemplates(marks));
  const shared = sharedNumbers(entries);
  const itemOf = async (entry: RevisionEntry): Promise<RevisionItem> => ({
    id: entry.id,
    number: entry.number,
    name: entry.name,
    createdAt: entry.createdAt,
    ...partsOf(context, entry, shared, kind),
    ...(await changeOf(context, befores.get(entry.id), entry, bodies, marks)),
    causeInheritedFrom: inherited.get(entry.id) ?? null,
    duplicateOf: originals.get(entry.id) ?? null,
    activations: entry.activations.map(({ index: place, ...activation }) => {
      const mark = place === null ? undefined : ofActivation.get(place);
      return { ...activation, record: mark === undefined ? null : rolloutMark(mark, context.keys) };
    }),
  });
  return Promise.all(entries.filter(isShown).map(itemOf));
}

function partsOf(
  context: ReadContext,
  entry: RevisionEntry,
  shared: ReadonlySet<number>,
  kind: WorkloadKind | undefined,
): Pick<RevisionItem, Own | Said> {
  switch (entry.kind) {
    case 'retained':
      return retainedParts(context, entry, kind);
    case 'archived': {
      const sharesNumber = entry.number !== null && shared.has(entry.number);
      return { ...archivedParts(context, entry.revision, entry.hasTemplate), sharesNumber };
    }
    default:
      return entry satisfies never;
  }
}

/** The number of an object that is gone is known from the archive alone. */
function retainedParts(
  { keys, cluster: { cache } }: ReadContext,
  { revision, known, activations }: Extract<RevisionEntry, { kind: 'retained' }>,
  kind: WorkloadKind | undefined,
): Pick<RevisionItem, Own | Said> {
  const { target, current, live, serving, pods, prunedNext, sharesNumber, source, number } = revision;
  const former = formerNumbers(revision, known);
  const explanation =
    revision.explanation === null
      ? number === null
        ? null
        : explanationOf([...former, number])
      : explainedSince(revision.explanation, revision.activations.at(-1), activations.at(-1));
  const notes = kind?.notesOn?.(source) ?? [];
  const unreadable = cache.unreadable(source.bodyId);
  return {
    ...{ target, current, live, serving, prunedNext, explanation, sharesNumber },
    ...(notes.length > 0 && { notes: notes.map((note) => maskText(note, keys)) }),
    ...(unreadable !== null && { unreadable }),
    pods: { ...pods },
    alsoNumbers: former,
    changeCause: revision.changeCause === null ? null : maskText(revision.changeCause, keys),
    images: source.images.map(({ container, image }) => ({ container, image })),
    writer: writerOf(source.writes),
    ...(source.fault !== undefined && { fault: source.fault }),
    retained: true,
    archived: null,
  };
}

function formerNumbers({ alsoNumbers, number }: Revision, known: readonly number[]): number[] {
  const all = new Set([...alsoNumbers, ...known.filter((each) => number !== null && each < number)]);
  return [...all].sort((a, b) => a - b);
}

function archivedParts(
  { keys }: ReadContext,
  { numbers, changeCause, images, prunedAt }: ArchivedRevision,
  hasTemplate: boolean,
): Omit<Pick<RevisionItem, Own | Said>, 'sharesNumber'> {
  return {
    ...{ target: false, current: false, live: false, serving: false, prunedNext: false },
    pods: { total: 0, ready: 0 },
    alsoNumbers: numbers.slice(0, -1),
    explanation: explanationOf(numbers),
    changeCause: changeCause === null ? null : maskText(changeCause, keys),
    images: images.map(({ container, image }) => ({ container, image })),
    writer: null,
    retained: false,
    archived: { prunedAt, hasTemplate },
  };
}

/** In the words that the cluster's own revisions are explained with. */
function explanationOf(numbers: readonly number[]): string | null {
  const last = numbers.at(-1);
  if (last === undefined || numbers.length === 1) return null;
  return `It had been revision ${listed(numbers.slice(0, -1).map(String))} before it was rolled back to and became ${last}.`;
}

/** What a revision is told against; `entry` is null where nothing but a record knows it any longer. */
interface Before {
  entry: RevisionEntry | null;
  told: NonNullable<RevisionItem['before']>;
}

/** By id of the revision. One that holds no template is passed over. */
function beforesOf(entries: readonly RevisionEntry[], marks: readonly RecordMark[]): Map<string, Before> {
  const whole = entries.filter((entry) => !hasFault(entry));
  const byId = new Map(whole.map((entry) => [entry.id, entry]));
  const keyOf = keyOfTemplates(marks);
  const byTemplate = new Map(whole.map((entry) => [entry.hash && keyOf(entry.hash), entry.id]));
  const named = marks.flatMap(({ activation, from }) => {
    const id = from?.id ?? (from && byTemplate.get(keyOf(from.hash)));
    return id == null ? [] : [{ activation, id, number: from?.number ?? null }];
  });
  const recordedFrom = new Map(named.map(({ activation, id }) => [activation, id]));
  const predecessors = findPredecessors(whole, recordedFrom);
  return new Map(
    [...predecessors].map(([id, { id: before, ran }]) => {
      const entry = byId.get(before) ?? null;
      const number = entry === null ? named.find((each) => each.id === before)?.number : entry.number;
      return [id, { entry, told: { id: before, number: number ?? null, ran } }];
    }),
  );
}

function keyOfTemplates(marks: readonly RecordMark[]): (hash: string) => string {
  return templateKeys(marks.flatMap(({ from, to }) => [from, to]));
}

async function changeOf(
  { summaries, keys, cluster: { cache } }: ReadContext,
  against: Before | undefined,
  entry: RevisionEntry,
  bodies: Bodies,
  marks: readonly RecordMark[],
): Promise<Pick<RevisionItem, 'summary' | 'risks' | 'restart' | 'before'>> {
  const proven = entry.kind === 'retained' && entry.revision.restart;
  if (against === undefined) return { summary: null, risks: 0, restart: proven };
  const { entry: before, told: named } = against;
  const sideOf = (side: RevisionEntry): SummarySide => ({
    key: keyOf(side),
    template: () =>
      side.kind === 'retained'
        ? cache.template(side.revision.source.bodyId)
        : bodies.found.get(side.revision.hash),
  });
  const told =
    before === null
      ? null
      : (summaries.known(keyOf(before), keyOf(entry)) ??
        (await summaries.compare(sideOf(before), sideOf(entry))));
  if (told !== null) {
    const isNative = before?.kind === 'retained' && entry.kind === 'retained';
    const restart = isNative ? proven : told.restartOnly;
    return { summary: told.text, risks: told.risks, restart, before: named };
  }
  // A rollout from the one to the other says what changed for good, even where a template has expired.
  const mark = marks.findLast(({ from, to }) => from?.id === named.id && to.id === entry.id);
  const unknown =
    before !== null && isUnreadable(before, cache) && !isUnreadable(entry, cache)
      ? 'what changed is not known: the one before cannot be read'
      : bodies.isLate && before !== null
        ? 'what changed is not known yet: the archive has not answered'
        : null;
  const summary = mark === undefined ? unknown : maskText(mark.summary, keys);
  return { summary, risks: 0, restart: mark?.restart ?? proven, before: named };
}

/** What is no template is not told against one. */
function hasFault(entry: RevisionEntry): boolean {
  return entry.kind === 'retained' && entry.revision.source.fault !== undefined;
}

function isUnreadable(entry: RevisionEntry, cache: Pick<ClusterCache, 'unreadable'>): boolean {
  return entry.kind === 'retained' && cache.unreadable(entry.revision.source.bodyId) !== null;
}

function keyOf(entry: RevisionEntry): string {
  return entry.kind === 'retained' ? entry.revision.source.bodyId : entry.revision.hash;
}

/** The templates that are needed to say what changed and that nobody has compared yet. Without them it is not said. */
async function archivedBodies(
  { archive, summaries }: ReadContext,
  entries: readonly RevisionEntry[],
  befores: ReadonlyMap<string, Before>,
): Promise<Bodies> {
  const wanted = new Set<string>();
  entries.forEach((entry) => {
    const before = befores.get(entry.id)?.entry ?? null;
    if (before === null || summaries.known(keyOf(before), keyOf(entry)) !== undefined) return;
    for (const side of [entry, before]) {
      if (side.kind === 'archived' && side.hasTemplate) wanted.add(side.revision.hash);
    }
  });
  if (archive == null || wanted.size === 0) return { found: new Map(), isLate: false };
  const read = async (hash: string) => [hash, await archive.body(hash)] as const;
  const found = await inTime(Promise.all([...wanted].slice(0, BODIES_MAX).map(read))).catch(() => null);
  const kept = (found ?? []).flatMap(([hash, body]) => (body === null ? [] : [[hash, body] as const]));
  return { found: new Map(kept), isLate: found === null };
}

/** A cause that merely repeats that of the revision before it, told by the number that it was first given for. */
function inheritedCauses(entries: readonly RevisionEntry[]): Map<string, number | null> {
  const inherited = new Map<string, number | null>();
  for (const [index, entry] of [...entries.entries()].reverse()) {
    const before = entries[index + 1];
    const own = entry.kind === 'retained' ? entry.revision.causeInheritedFrom : null;
    const isRepeated =
      before !== undefined &&
      (before.kind === 'archived' || entry.kind === 'archived') &&
      entry.revision.changeCause !== null &&
      entry.revision.changeCause === before.revision.changeCause;
    const origin = isRepeated ? (inherited.get(before.id) ?? before.number) : own;
    if (origin !== null) inherited.set(entry.id, origin);
  }
  return inherited;
}

/** For each revision the oldest one with the same template. */
function originalsOf(
  entries: readonly RevisionEntry[],
  keyOf: (hash: string) => string,
): Map<string, string> {
  const oldest = new Map<string, string>();
  for (const { hash, id } of entries.toReversed())
    if (hash !== null && !oldest.has(keyOf(hash))) oldest.set(keyOf(hash), id);
  const originals = new Map<string, string>();
  for (const entry of entries) {
    const first = entry.hash === null ? undefined : oldest.get(keyOf(entry.hash));
    const own = entry.kind === 'retained' ? entry.revision.duplicateOf : null;
    const original = first === undefined || first === entry.id ? own : first;
    if (original !== null) originals.set(entry.id, original);
  }
  return originals;
}

function sharedNumbers(entries: readonly RevisionEntry[]): Set<number> {
  const groups = Map.groupBy(entries, ({ number }) => number);
  return new Set(
    [...groups].flatMap(([number, group]) => (number !== null && group.length > 1 ? [number] : [])),
  );
}

function writerOf(writes: readonly WriteMark[]): RevisionItem['writer'] {
  const write = writes.find((mark) => mark.revision) ?? writes.at(0);
  return write === undefined
    ? null
    : { manager: write.manager, operation: write.operation, time: write.time };
}
