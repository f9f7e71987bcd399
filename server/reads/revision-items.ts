import 'server-only';
import { type RevisionItem } from '@/lib/api/workloads';
import { type Revision } from '@/lib/history/revision';
import { type JsonObject } from '@/lib/kube/json';
import { type RecordMark } from '@/lib/ledger/mark';
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

type Bodies = ReadonlyMap<string, JsonObject>;
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

/** Revisions as pages show them, newest first, each with what changed against the one before it. */
export async function revisionItems(
  context: ReadContext,
  entries: readonly RevisionEntry[],
  marks: readonly RecordMark[],
  /** Absent: their workload is there no longer. */
  kind?: WorkloadKind,
): Promise<RevisionItem[]> {
  const bodies = await archivedBodies(context, entries);
  const ofActivation = new Map(marks.map((mark) => [mark.activation, mark]));
  const inherited = inheritedCauses(entries);
  const originals = originalsOf(entries);
  const shared = sharedNumbers(entries);
  const itemOf = (entry: RevisionEntry, index: number): RevisionItem => ({
    id: entry.id,
    number: entry.number,
    name: entry.name,
    createdAt: entry.createdAt,
    ...partsOf(context, entry, shared, kind),
    ...changeOf(context, beforeOf(entries, index), entry, bodies, marks),
    causeInheritedFrom: inherited.get(entry.id) ?? null,
    duplicateOf: originals.get(entry.id) ?? null,
    activations: entry.activations.map(({ index: place, ...activation }) => {
      const mark = place === null ? undefined : ofActivation.get(place);
      return { ...activation, record: mark === undefined ? null : rolloutMark(mark, context.keys) };
    }),
  });
  return entries.flatMap((entry, index) => (isShown(entry, index) ? [itemOf(entry, index)] : []));
}

function partsOf(
  context: ReadContext,
  entry: RevisionEntry,
  shared: ReadonlySet<number>,
  kind: WorkloadKind | undefined,
): Pick<RevisionItem, Own | Said> {
  switch (entry.kind) {
    case 'retained':
      return retainedParts(context, entry.revision, entry.known, kind);
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
  revision: Revision,
  known: readonly number[],
  kind: WorkloadKind | undefined,
): Pick<RevisionItem, Own | Said> {
  const { target, current, live, serving, pods, prunedNext, sharesNumber, source, number } = revision;
  const former = formerNumbers(revision, known);
  const explanation = revision.explanation ?? (number === null ? null : explanationOf([...former, number]));
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

function changeOf(
  { summaries, keys, cluster: { cache } }: ReadContext,
  before: RevisionEntry | undefined,
  entry: RevisionEntry,
  bodies: Bodies,
  marks: readonly RecordMark[],
): Pick<RevisionItem, 'summary' | 'risks' | 'restart'> {
  const proven = entry.kind === 'retained' && entry.revision.restart;
  if (before === undefined || hasFault(entry)) return { summary: null, risks: 0, restart: proven };
  const sideOf = (side: RevisionEntry): SummarySide => ({
    key: keyOf(side),
    template: () =>
      side.kind === 'retained' ? cache.template(side.revision.source.bodyId) : bodies.get(side.revision.hash),
  });
  const told =
    summaries.known(keyOf(before), keyOf(entry)) ?? summaries.compare(sideOf(before), sideOf(entry));
  const isNative = before.kind === 'retained' && entry.kind === 'retained';
  if (told !== null) {
    return { summary: told.text, risks: told.risks, restart: isNative ? proven : told.restartOnly };
  }
  // A rollout from the one to the other says what changed for good, even where a template has expired.
  const mark = marks.findLast(({ from, to }) => from?.id === before.id && to.id === entry.id);
  const unknown =
    isUnreadable(before, cache) && !isUnreadable(entry, cache)
      ? 'what changed is not known: the one before cannot be read'
      : null;
  const summary = mark === undefined ? unknown : maskText(mark.summary, keys);
  return { summary, risks: 0, restart: mark?.restart ?? proven };
}

/** The revision before one that holds a template is another one that does. */
function beforeOf(entries: readonly RevisionEntry[], index: number): RevisionEntry | undefined {
  let at = index + 1;
  for (let entry = entries[at]; entry !== undefined && hasFault(entry); entry = entries[at]) at += 1;
  return entries[at];
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
): Promise<Bodies> {
  const wanted = new Set<string>();
  entries.forEach((entry, index) => {
    const before = entries[index + 1];
    if (before === undefined || summaries.known(keyOf(before), keyOf(entry)) !== undefined) return;
    for (const side of [entry, before]) {
      if (side.kind === 'archived' && side.hasTemplate) wanted.add(side.revision.hash);
    }
  });
  if (archive == null || wanted.size === 0) return new Map();
  const read = async (hash: string) => [hash, await archive.body(hash)] as const;
  const found = await inTime(Promise.all([...wanted].slice(0, BODIES_MAX).map(read))).catch(() => []);
  return new Map(found.flatMap(([hash, body]) => (body === null ? [] : [[hash, body] as const])));
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
function originalsOf(entries: readonly RevisionEntry[]): Map<string, string> {
  const oldest = new Map<string, string>();
  for (const { hash, id } of entries.toReversed())
    if (hash !== null && !oldest.has(hash)) oldest.set(hash, id);
  const originals = new Map<string, string>();
  for (const entry of entries) {
    const byHash = entry.hash === null ? undefined : oldest.get(entry.hash);
    const own = entry.kind === 'retained' ? entry.revision.duplicateOf : null;
    const original = byHash === undefined || byHash === entry.id ? own : byHash;
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
