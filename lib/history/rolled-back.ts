import type { RevisionItem } from '@/lib/api/revisions';
import type { WorkloadItem } from '@/lib/api/workloads';
import type { RolloutSummary } from '@/lib/api/records';
import type { Writer } from '@/lib/api/common';

/** The last rollout of a workload, where it made an earlier template the target. */
export interface LastRollback {
  /** The number of the target before. */
  from: number | null;
  /** The first number of the template that is the target again, and its number now. */
  to: number;
  now: number;
  /** RFC 3339; null where it was not observed. */
  at: string | null;
  /** What an undo rolls back to; null where it is no longer known. */
  undo: RevisionItem | null;
  /** The tool that wrote it, for a rollout without a record. */
  writer: Writer | null;
  record: RolloutSummary | null;
}

type History = {
  workload: Pick<WorkloadItem, 'lastRollout'>;
  revisions: readonly RevisionItem[];
};

/**
 * The rollback that the workload is in until its next rollout, for every viewer: derived from its history. An undo,
 * which makes a later template the target again, is none.
 */
export function findLastRollback({ workload: { lastRollout }, revisions }: History): LastRollback | null {
  const target = revisions.find((revision) => revision.target);
  if (target === undefined || target.number === null || lastRollout === null) return null;
  const to = firstNumber(target, revisions);
  const left =
    revisions.find(({ id }) => target.before?.ran === true && id === target.before.id) ??
    revisions.find(({ number, id }) => number === lastRollout.from && id !== target.id);
  const leftSince = left === undefined ? lastRollout.from : firstNumber(left, revisions);
  if (to === null || leftSince === null || to >= leftSince) return null;
  return {
    from: lastRollout.from ?? left?.number ?? null,
    to: formerNumber(target) ?? to,
    now: target.number,
    at: lastRollout.startedAt ?? lastRollout.record?.startedAt ?? null,
    undo: left ?? null,
    writer: lastRollout.writer,
    record: lastRollout.record,
  };
}

/** The number under which its template was the target first. */
function firstNumber(revision: RevisionItem, revisions: readonly RevisionItem[]): number | null {
  const original = revisions.find(({ id }) => id === revision.duplicateOf);
  const numbers = [revision, ...(original ? [original] : [])].flatMap(
    ({ number, alsoNumbers, activations }) => [
      ...(number === null ? [] : [number]),
      ...alsoNumbers,
      ...activations.map((activation) => activation.number),
    ],
  );
  return numbers.length === 0 ? null : Math.min(...numbers);
}

/** The number before the rollback. */
function formerNumber({ number, activations, alsoNumbers }: RevisionItem): number | undefined {
  return activations.at(-2)?.number ?? alsoNumbers.findLast((other) => number !== null && other < number);
}
