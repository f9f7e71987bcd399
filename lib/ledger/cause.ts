import { isSameTemplate } from '@/lib/ledger/meaning';
import { ms } from '@/lib/ledger/moments';
import {
  type BorneCause,
  type Gap,
  type LedgerTools,
  type Memory,
  type Observation,
  type ObservedRevision,
} from '@/lib/ledger/observation';
import { type RolloutRecord } from '@/lib/ledger/record';
import { isLentCopy } from '@/lib/ledger/revisions';

/** A cause that is written without a change is of the one that follows so soon, else of the one before. */
const BEFORE_MS = 30_000;

/**
 * What the workload bears as its cause goes to one rollout: the one that it came with, else the one whose template is
 * nearest to it in time.
 */
export function giveCause(
  record: RolloutRecord | null,
  memory: Memory,
  observation: Observation,
  gap: Gap | null,
  tools: LedgerTools,
): { record: RolloutRecord | null; cause: BorneCause } {
  const cause = borneNow(memory, observation, gap);
  const { target, at, borneCause, revisions } = observation;
  if (cause.isGiven || record === null || target === null || !isSameTemplate(record.to, target, tools))
    return { record, cause };
  const isNew = record.id !== memory.record?.id;
  if (!isNew && ms(at) - ms(cause.since) < nearnessOf(record, cause)) return { record, cause };
  const isOpen = isNew || record.outcome === null;
  const given: BorneCause = { ...cause, isGiven: true, recordId: record.id };
  // `kubectl rollout undo` writes the old cause of the revision that it returns to; a new one may be seen before its template.
  const isOld =
    wasUsedBefore(record, memory, revisions) &&
    memory.revisions.get(record.to.id ?? '')?.changeCause === cause.raw;
  const isKept = isOld || (!isOpen && record.cause !== null);
  return { record: isKept ? record : { ...record, cause: borneCause.text }, cause: given };
}

/** How soon a change has to follow a cause that is written after this one, to be the nearer of the two. */
function nearnessOf({ startedAt }: RolloutRecord, { since }: BorneCause): number {
  return startedAt === null ? BEFORE_MS : Math.min(BEFORE_MS, ms(since) - ms(startedAt));
}

function borneNow({ life, cause }: Memory, { borneCause, at }: Observation, gap: Gap | null): BorneCause {
  const { raw } = borneCause;
  if (cause?.raw === raw && gap === null) return cause;
  // What a workload had before anybody watched it may be of any rollout.
  const isSeen = gap === null && (cause !== null || life === null);
  return { raw, since: at, isGiven: raw === null || !isSeen, recordId: null };
}

/**
 * Whether a revision bears the cause of another one: its controller copies what the workload bears to whatever revision is
 * its newest at that moment.
 */
export function isOfAnother(
  { id, changeCause }: ObservedRevision,
  { raw, isGiven, recordId }: BorneCause,
  record: RolloutRecord | null,
): boolean {
  if (changeCause === null || changeCause !== raw) return false;
  if (!isGiven) return true;
  return recordId !== null && !(record?.id === recordId && record.to.id === id);
}

/**
 * The cause that is given for this rollout and no other: that of a new revision, or one that has changed since. A
 * revision that was used before still carries the old one, or a copy of that of the revision before it, since a
 * Deployment's annotations pass to whatever is its newest ReplicaSet.
 */
export function withCause(
  record: RolloutRecord,
  memory: Memory,
  { revisions, borneCause }: Observation,
  gap: Gap | null,
): RolloutRecord {
  const revision = revisions.find(({ id }) => id === record.to.id);
  if (revision?.cause == null || revision.number !== record.to.number) return record;
  // Of what the workload itself bears it was seen when that was given.
  if (gap === null && revision.changeCause === borneCause.raw) return record;
  const known = memory.revisions.get(revision.id);
  const previous = memory.revisions.get(record.from?.id ?? '');
  const wasUsed = wasUsedBefore(record, memory, revisions);
  const isOld = known === undefined || known.changeCause === revision.changeCause;
  // A controller copies the annotation of its workload, which nobody may have touched for this rollout.
  const isCopied = previous?.changeCause === revision.changeCause || isLentCopy(memory.revisions, revision);
  // Of what the workload bears, only a revision before can tell that it was given for this one.
  const isDoubtful = revision.isCauseLent === true && previous === undefined && revision.number !== 1;
  return isCopied || isDoubtful || (wasUsed && isOld) || record.cause === revision.cause
    ? record
    : { ...record, cause: revision.cause };
}

function wasUsedBefore(
  { to, activation }: RolloutRecord,
  { activations }: Memory,
  revisions: readonly ObservedRevision[],
): boolean {
  return (
    revisions.some(({ id, usedBefore }) => id === to.id && usedBefore) ||
    activations.some(({ index, revision: { id } }) => id === to.id && index < activation)
  );
}

/**
 * `kubectl annotate` comes after the change that it explains, and a quick rollout is over by then. Where nothing was missed,
 * what the workload bears tells it: a revision may be seen with its copy of the next rollout's cause before the workload is.
 */
export function withLateCause(
  record: RolloutRecord | null,
  memory: Memory,
  observation: Observation,
  gap: Gap | null,
): RolloutRecord | null {
  const isPresent = record !== null && record.to.id === observation.target?.id;
  return isPresent && gap !== null && record.cause === null
    ? withCause(record, memory, observation, gap)
    : record;
}
