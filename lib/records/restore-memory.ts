import { emptyMemory, type RecorderMemory } from '@/lib/records/observation';
import type { ArchivedActivation, ArchivedRevision, WorkloadIncarnation } from '@/lib/api/incarnation';
import type { RolloutRecord } from '@/lib/api/record';

/** The recorder's memory of a workload, from the archive. `record` is that of the last activation. */
export function restoreMemory(
  incarnation: WorkloadIncarnation,
  revisions: readonly ArchivedRevision[],
  activations: readonly ArchivedActivation[],
  record: RolloutRecord | null,
): RecorderMemory {
  const last = activations.at(-1);
  const watchedUntil =
    record?.samples.at(-1)?.at ??
    record?.endedAt ??
    record?.startedAt ??
    last?.from ??
    last?.fromNotAfter ??
    incarnation.createdAt;
  const known = new Map(revisions.map((revision) => [revision.id, revision]));
  return {
    ...emptyMemory,
    incarnation,
    revisions: known,
    activations,
    record,
    watchedUntil,
    savedAt: watchedUntil,
  };
}
