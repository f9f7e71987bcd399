import 'server-only';
import type { Answer } from '@/lib/api/common';
import type { revisionItemSchema } from '@/lib/api/revisions';
import { explainFormerNumbers, explainRenumbered, type KnownActivation } from '@/lib/history/explanation';
import {
  findEarlierPredecessors,
  findPredecessors,
  type Predecessor as NamedPredecessor,
} from '@/lib/history/predecessor';
import type { Revision } from '@/lib/history/revision';
import type { JsonObject } from '@/lib/kube/json';
import type { RecordSummary } from '@/lib/api/record-summary';
import { templateKeys } from '@/lib/records/template-meaning';
import type { ArchivedActivation, WorkloadIncarnation } from '@/lib/api/incarnation';
import { adoptionText, isActivatedHere } from '@/server/reads/adopted-incarnation';
import { joinSentences } from '@/lib/messages/target';
import type { WorkloadKind } from '@/lib/workloads/kind';
import { isOwnerManager } from '@/lib/owners/markers';
import type { FieldWrite, Workload } from '@/lib/history/workload';
import type { ClusterCache } from '@/server/cluster/cache';
import type { ReadContext } from '@/server/views/context';
import type { Mask } from '@/server/shared/mask';
import { maskedWriter } from '@/server/shared/masked-actor';
import { withTimeout } from '@/server/archive/with-timeout';
import type { RevisionEntry } from '@/server/reads/revision-entries';
import { rolloutSummary } from '@/server/views/last-rollout';
import type { SummarySide } from '@/server/views/change-summaries';
import { lastTemplateWrite } from '@/server/views/workload-view';

/** Templates read from the archive for one answer; for older revisions their records state what changed. */
const BODIES_MAX = 60;

/** `isLate`: the archive has not answered in time, so revisions may be missing. */
interface Bodies {
  found: ReadonlyMap<string, JsonObject>;
  isLate: boolean;
}
type StateMember =
  'target' | 'current' | 'live' | 'serving' | 'pods' | 'prunedNext' | 'writer' | 'retained' | 'archived';
type TextMember =
  | 'explanation'
  | 'alsoNumbers'
  | 'changeCause'
  | 'images'
  | 'sharesNumber'
  | 'notes'
  | 'unreadable'
  | 'fault';

/** Revisions in one answer. More would be unreadable in a list; what the cluster has is never left out. */
const SHOWN_MAX = 300;

/** For how many older ones {@link revisionItems} relies on the records. */
export function hiddenCount(entries: readonly RevisionEntry[]): number {
  return entries.filter((entry, index) => !isShown(entry, index)).length;
}

function isShown({ kind }: RevisionEntry, index: number): boolean {
  return index < SHOWN_MAX || kind === 'retained';
}

/** The workload that has the revisions. */
interface RevisionOwner {
  kind: WorkloadKind;
  workload: Workload;
  /** The incarnation that left the revisions which this one adopted; null where none is recorded. */
  from: WorkloadIncarnation | null;
  /** As recorded, of both. */
  activations: readonly ArchivedActivation[];
}

/** Revisions as pages show them, newest first, each with what changed against the previous target. */
export async function revisionItems(
  context: ReadContext,
  entries: readonly RevisionEntry[],
  recordSummaries: readonly RecordSummary[],
  /** Absent: their workload was deleted. */
  owner?: RevisionOwner,
): Promise<Answer<typeof revisionItemSchema>[]> {
  const predecessors = predecessorsOf(entries, recordSummaries);
  const bodies = await archivedBodies(context, entries, predecessors.last);
  const ofActivation = new Map(recordSummaries.map((mark) => [mark.activation, mark]));
  const inherited = inheritedCauses(entries);
  const originals = originalsOf(entries, keyOfTemplates(recordSummaries));
  const shared = sharedNumbers(entries);
  const itemOf = async (entry: RevisionEntry): Promise<Answer<typeof revisionItemSchema>> => ({
    id: entry.id,
    number: entry.number,
    name: entry.name,
    createdAt: entry.createdAt,
    ...membersOf(context, entry, shared, knownActivation(entry, ofActivation, owner), owner),
    ...(await changeOf(context, predecessors.last.get(entry.id), entry, bodies, recordSummaries, true)),
    causeInheritedFrom: inherited.get(entry.id) ?? null,
    duplicateOf: originals.get(entry.id) ?? null,
    activations: await Promise.all(
      entry.activations.map(async ({ index, ...activation }, at, { length }) => {
        const mark = index === null ? undefined : ofActivation.get(index);
        const before = predecessors.earlier(entry.id, at);
        return {
          ...activation,
          record: mark === undefined ? null : rolloutSummary(mark, context.keys.mask),
          ...(at < length - 1 && {
            change: await changeOf(context, before, entry, bodies, recordSummaries, false),
          }),
        };
      }),
    ),
  });
  return Promise.all(entries.filter(isShown).map(itemOf));
}

function membersOf(
  context: ReadContext,
  entry: RevisionEntry,
  shared: ReadonlySet<number>,
  known: KnownActivation,
  owner: RevisionOwner | undefined,
): Pick<Answer<typeof revisionItemSchema>, StateMember | TextMember> {
  switch (entry.kind) {
    case 'retained':
      return retainedMembers(context, entry, known, owner);
    case 'archived': {
      const sharesNumber = entry.number !== null && shared.has(entry.number);
      return { ...archivedMembers(context, entry, known), sharesNumber };
    }
    default:
      return entry satisfies never;
  }
}

/** By the record of its last activation; who made the current template the target may be known without one. */
function knownActivation(
  entry: RevisionEntry,
  ofActivation: ReadonlyMap<number, RecordSummary>,
  owner: RevisionOwner | undefined,
): KnownActivation {
  const last = entry.activations.at(-1);
  const actor = ofActivation.get(last?.index ?? NaN)?.actor ?? null;
  const isTarget = entry.kind === 'retained' && entry.revision.target;
  const write = actor === null && isTarget && owner !== undefined ? lastTemplateWrite(owner.workload) : actor;
  const manager = write?.manager ?? null;
  return { from: last?.from ?? null, by: manager !== null && isOwnerManager(manager) ? manager : null };
}

/** Only the archive knows the number of a deleted object. */
function retainedMembers(
  { keys, cluster: { cache } }: ReadContext,
  entry: Extract<RevisionEntry, { kind: 'retained' }>,
  known: KnownActivation,
  owner: RevisionOwner | undefined,
): Pick<Answer<typeof revisionItemSchema>, StateMember | TextMember> {
  const { revision } = entry;
  const { target, current, live, serving, pods, prunedNext, sharesNumber, source } = revision;
  const former = formerNumbers(revision, entry.known);
  const explanation = explanationOf(entry, former, known, owner);
  const notes = owner?.kind.revisions?.notes?.(source) ?? [];
  const unreadable = cache.templateProblem(source.bodyId);
  return {
    ...{ target, current, live, serving, prunedNext, explanation, sharesNumber },
    ...(notes.length > 0 && { notes: notes.map((note) => keys.mask.text(note)) }),
    ...(unreadable !== null && { unreadable: keys.mask.text(unreadable) }),
    pods: { ...pods },
    alsoNumbers: former,
    changeCause: keys.mask.text(revision.changeCause),
    images: keys.mask.images(source.images),
    writer: writerOf(source.writes, keys.mask),
    ...(source.fault !== undefined && { fault: keys.mask.text(source.fault) }),
    retained: true,
    archived: null,
  };
}

/** Of an adopted revision that, and who activated it again since, as far as it is recorded. */
function explanationOf(
  { revision, activations }: Extract<RevisionEntry, { kind: 'retained' }>,
  former: readonly number[],
  known: KnownActivation,
  owner: RevisionOwner | undefined,
): string | null {
  const { number, numbersBefore, reactivated } = revision;
  const ownText =
    revision.explain(known) ?? (number === null ? null : explainFormerNumbers([...former, number], known));
  if (numbersBefore.length === 0 || owner === undefined || owner.from === null) return ownText;
  const facts = { activation: activations.at(-1), ...known };
  let again = reactivated ? ownText : null;
  if (!reactivated && number !== null && isActivatedHere(revision, number, owner.activations))
    again = explainRenumbered(former, number, facts);
  return joinSentences(again, adoptionText(owner.from));
}

function formerNumbers({ alsoNumbers, number }: Revision, known: readonly number[]): number[] {
  const all = new Set([...alsoNumbers, ...known.filter((each) => number !== null && each < number)]);
  return [...all].sort((a, b) => a - b);
}

function archivedMembers(
  { keys }: ReadContext,
  {
    revision: { numbers, changeCause, images, prunedAt },
    hasTemplate,
  }: Extract<RevisionEntry, { kind: 'archived' }>,
  known: KnownActivation,
): Omit<Pick<Answer<typeof revisionItemSchema>, StateMember | TextMember>, 'sharesNumber'> {
  return {
    ...{ target: false, current: false, live: false, serving: false, prunedNext: false },
    pods: { total: 0, ready: 0 },
    alsoNumbers: numbers.slice(0, -1),
    explanation: explainFormerNumbers(numbers, known),
    changeCause: keys.mask.text(changeCause),
    images: keys.mask.images(images),
    writer: null,
    retained: false,
    archived: { prunedAt, hasTemplate },
  };
}

/** What a revision is compared with; `entry` is null where only a record still has it. */
interface Predecessor {
  entry: RevisionEntry | null;
  ref: NonNullable<Answer<typeof revisionItemSchema>['before']>;
}

interface Predecessors {
  /** Of the last activation, by id of the revision. */
  last: ReadonlyMap<string, Predecessor>;
  /** Of an earlier activation. */
  earlier: (id: string, at: number) => Predecessor | undefined;
}

/** Skips revisions without a template. */
function predecessorsOf(
  entries: readonly RevisionEntry[],
  recordSummaries: readonly RecordSummary[],
): Predecessors {
  const withTemplate = entries.filter((entry) => !hasFault(entry));
  const byId = new Map(withTemplate.map((entry) => [entry.id, entry]));
  const keyOf = keyOfTemplates(recordSummaries);
  const byTemplate = new Map(withTemplate.map((entry) => [entry.hash && keyOf(entry.hash), entry.id]));
  const named = recordSummaries.flatMap(({ activation, from }) => {
    const id = from?.id ?? (from && byTemplate.get(keyOf(from.hash)));
    return id == null ? [] : [{ activation, id, number: from?.number ?? null }];
  });
  const recordedFrom = new Map(named.map(({ activation, id }) => [activation, id]));
  const withEntry = ({ id: before, ran }: NamedPredecessor): Predecessor => {
    const entry = byId.get(before) ?? null;
    const number = entry === null ? named.find((each) => each.id === before)?.number : entry.number;
    return { entry, ref: { id: before, number: number ?? null, ran } };
  };
  const earlier = findEarlierPredecessors(withTemplate, recordedFrom);
  return {
    last: new Map(
      [...findPredecessors(withTemplate, recordedFrom)].map(([id, found]) => [id, withEntry(found)]),
    ),
    earlier: (id, at) => {
      const found = earlier.get(id)?.[at] ?? null;
      return found === null ? undefined : withEntry(found);
    },
  };
}

function keyOfTemplates(recordSummaries: readonly RecordSummary[]): (hash: string) => string {
  return templateKeys(recordSummaries.flatMap(({ from, to }) => [from, to]));
}

async function changeOf(
  { summaries, keys, cluster: { cache } }: ReadContext,
  against: Predecessor | undefined,
  entry: RevisionEntry,
  bodies: Bodies,
  recordSummaries: readonly RecordSummary[],
  isLast: boolean,
): Promise<Pick<Answer<typeof revisionItemSchema>, 'summary' | 'risks' | 'restart' | 'before'>> {
  // The cluster's own history knows this of the last activation alone.
  const proven = isLast && entry.kind === 'retained' && entry.revision.restart;
  if (against === undefined) return { summary: null, risks: 0, restart: proven };
  const { entry: before, ref: named } = against;
  const sideOf = (side: RevisionEntry): SummarySide => ({
    key: keyOf(side),
    template: () =>
      side.kind === 'retained'
        ? cache.template(side.revision.source.bodyId)
        : bodies.found.get(side.revision.hash),
  });
  const comparison =
    before === null
      ? null
      : (summaries.known(keyOf(before), keyOf(entry)) ??
        (await summaries.compare(sideOf(before), sideOf(entry))));
  if (comparison !== null) {
    const isNative = isLast && before?.kind === 'retained' && entry.kind === 'retained';
    const restart = isNative ? proven : comparison.restartOnly;
    return { summary: comparison.text, risks: comparison.risks, restart, before: named };
  }
  // A rollout between the two has a stored summary, even where a template has expired.
  const mark = recordSummaries.findLast(({ from, to }) => from?.id === named.id && to.id === entry.id);
  const unknown =
    before !== null && isUnreadable(before, cache) && !isUnreadable(entry, cache)
      ? 'Change unknown: the previous revision is unreadable'
      : bodies.isLate && before !== null
        ? 'Change unknown until the archive responds'
        : null;
  const summary = keys.mask.text(mark === undefined ? unknown : mark.summary);
  return { summary, risks: 0, restart: mark?.restart ?? proven, before: named };
}

/** Revisions without a template are not compared. */
function hasFault(entry: RevisionEntry): boolean {
  return entry.kind === 'retained' && entry.revision.source.fault !== undefined;
}

function isUnreadable(entry: RevisionEntry, cache: Pick<ClusterCache, 'templateProblem'>): boolean {
  return entry.kind === 'retained' && cache.templateProblem(entry.revision.source.bodyId) !== null;
}

function keyOf(entry: RevisionEntry): string {
  return entry.kind === 'retained' ? entry.revision.source.bodyId : entry.revision.hash;
}

/** The templates that are needed for summaries that are not cached yet. Without them the summaries are missing. */
async function archivedBodies(
  { archive, summaries }: ReadContext,
  entries: readonly RevisionEntry[],
  predecessorsById: ReadonlyMap<string, Predecessor>,
): Promise<Bodies> {
  const neededHashes = new Set<string>();
  entries.forEach((entry) => {
    const before = predecessorsById.get(entry.id)?.entry ?? null;
    if (before === null || summaries.known(keyOf(before), keyOf(entry)) !== undefined) return;
    for (const side of [entry, before]) {
      if (side.kind === 'archived' && side.hasTemplate) neededHashes.add(side.revision.hash);
    }
  });
  if (archive == null || neededHashes.size === 0) return { found: new Map(), isLate: false };
  const read = async (hash: string) => [hash, await archive.revisions.body(hash)] as const;
  const found = await withTimeout(Promise.all([...neededHashes].slice(0, BODIES_MAX).map(read))).catch(
    () => null,
  );
  const foundBodies = (found ?? []).flatMap(([hash, body]) => (body === null ? [] : [[hash, body] as const]));
  return { found: new Map(foundBodies), isLate: found === null };
}

/** A change cause that merely repeats that of the previous revision, with the number that it was first given for. */
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

function writerOf(writes: readonly FieldWrite[], mask: Mask): Answer<typeof revisionItemSchema>['writer'] {
  const write = writes.find((mark) => mark.revision) ?? writes.at(0);
  return maskedWriter(write ?? null, mask);
}
