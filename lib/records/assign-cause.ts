import { isSameTemplate } from '@/lib/records/template-meaning';
import { ms } from '@/lib/records/times';
import type {
  WorkloadCause,
  Gap,
  RecordingTools,
  RecorderMemory,
  Observation,
  ObservedRevision,
} from '@/lib/records/observation';
import type { RolloutRecord } from '@/lib/api/record';
import { isCopiedFromWorkload } from '@/lib/records/archived-revisions';

/** A cause written without a change belongs to the change that follows soon enough, else to the one before. */
const ASSIGNED_AFTER_MS = 30_000;

/**
 * Assigns the cause of the workload to one rollout: the one that it came with, else the one whose template is
 * nearest in time.
 */
export function assignCause(
  record: RolloutRecord | null,
  memory: RecorderMemory,
  observation: Observation,
  gap: Gap | null,
  tools: RecordingTools,
): { record: RolloutRecord | null; cause: WorkloadCause } {
  const cause = currentCause(memory, observation, gap);
  const { target, at, workloadCause, revisions } = observation;
  if (cause.isAssigned || record === null || target === null || !isSameTemplate(record.to, target, tools))
    return { record, cause };
  // It may have been observed for a while: a controller reports its target after it has created the revision.
  const hasFollowed = record.id !== cause.recordIdBefore;
  if (!hasFollowed && ms(at) - ms(cause.since) < nearnessOf(record, cause)) return { record, cause };
  const isOpen = hasFollowed || record.outcome === null;
  const assigned: WorkloadCause = { ...cause, isAssigned: true, recordId: record.id };
  // `kubectl rollout undo` writes the old cause of its target revision; a new cause may be observed before
  // its template.
  const isOld =
    wasUsedBefore(record, memory, revisions) &&
    memory.revisions.get(record.to.id ?? '')?.changeCause === cause.text;
  const keepsCause = isOld || (!isOpen && record.cause !== null);
  return { record: keepsCause ? record : { ...record, cause: workloadCause }, cause: assigned };
}

/** How soon after a cause written after this one a change has to follow to be the nearer of the two. */
function nearnessOf({ startedAt }: RolloutRecord, { since }: WorkloadCause): number {
  return startedAt === null ? ASSIGNED_AFTER_MS : Math.min(ASSIGNED_AFTER_MS, ms(since) - ms(startedAt));
}

function currentCause(
  { incarnation, cause, record }: RecorderMemory,
  { workloadCause, at }: Observation,
  gap: Gap | null,
): WorkloadCause {
  if (cause?.text === workloadCause && gap === null) return cause;
  // What a workload had before the first observation may belong to any rollout.
  const isObserved = gap === null && (cause !== null || incarnation === null);
  return {
    text: workloadCause,
    since: at,
    recordIdBefore: record?.id ?? null,
    isAssigned: workloadCause === null || !isObserved,
    recordId: null,
  };
}

/**
 * Whether a revision carries the cause of another one: its controller copies the workload's cause to the
 * revision that is newest at that time.
 */
export function isCauseOfAnother(
  { id, changeCause }: ObservedRevision,
  { text, isAssigned, recordId }: WorkloadCause,
  record: RolloutRecord | null,
): boolean {
  if (changeCause === null) return false;
  // The copy may be observed before the workload.
  if (changeCause !== text) return record?.to.id === id;
  if (!isAssigned) return true;
  return recordId !== null && !(record?.id === recordId && record.to.id === id);
}

/**
 * The cause given for this rollout and no other: that of a new revision, or one that has changed since. A
 * revision that was used before still carries its old cause, or a copy of the cause of the revision before
 * it, since a Deployment's annotations pass to its newest ReplicaSet.
 */
export function withCause(
  record: RolloutRecord,
  memory: RecorderMemory,
  { revisions, workloadCause }: Observation,
  gap: Gap | null,
): RolloutRecord {
  const revision = revisions.find(({ id }) => id === record.to.id);
  if (revision?.cause == null || revision.number !== record.to.number) return record;
  // For a cause on the workload itself, the recorder observed when it was given.
  if (gap === null && revision.changeCause === workloadCause) return record;
  const known = memory.revisions.get(revision.id);
  const previous = memory.revisions.get(record.from?.id ?? '');
  const wasUsed = wasUsedBefore(record, memory, revisions);
  const isOld = known === undefined || known.changeCause === revision.changeCause;
  // A controller copies the annotation of its workload, which may be unchanged since an earlier rollout.
  const isCopied =
    previous?.changeCause === revision.changeCause || isCopiedFromWorkload(memory.revisions, revision);
  // Only an earlier revision can show that a cause on the workload was given for this one.
  const isDoubtful = revision.isCauseLent === true && previous === undefined && revision.number !== 1;
  return isCopied || isDoubtful || (wasUsed && isOld) || record.cause === revision.cause
    ? record
    : { ...record, cause: revision.cause };
}

function wasUsedBefore(
  { to, activation }: RolloutRecord,
  { activations }: RecorderMemory,
  revisions: readonly ObservedRevision[],
): boolean {
  return (
    revisions.some(({ id, usedBefore }) => id === to.id && usedBefore) ||
    activations.some(({ index, revision: { id } }) => id === to.id && index < activation)
  );
}

/**
 * `kubectl annotate` comes after the change that it explains, and a quick rollout is over by then. Without a
 * gap, the workload's own cause decides: a revision may be observed with its copy of the next rollout's cause
 * before the workload is.
 */
export function withLateCause(
  record: RolloutRecord | null,
  memory: RecorderMemory,
  observation: Observation,
  gap: Gap | null,
): RolloutRecord | null {
  const isCurrentTarget = record !== null && record.to.id === observation.target?.id;
  return isCurrentTarget && gap !== null && record.cause === null
    ? withCause(record, memory, observation, gap)
    : record;
}
