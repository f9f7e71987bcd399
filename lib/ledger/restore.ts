import { type Memory } from '@/lib/ledger/observation';
import {
  type ArchivedActivation,
  type ArchivedRevision,
  type RolloutRecord,
  type WorkloadLife,
} from '@/lib/ledger/record';

/** The memory of a workload from what the archive has of it. `record` is that of the last activation. */
export function restoreMemory(
  life: WorkloadLife,
  revisions: readonly ArchivedRevision[],
  activations: readonly ArchivedActivation[],
  record: RolloutRecord | null,
): Memory {
  const last = activations.at(-1);
  const watchedUntil =
    record?.samples.at(-1)?.at ??
    record?.endedAt ??
    record?.startedAt ??
    last?.from ??
    last?.fromNotAfter ??
    life.createdAt;
  return {
    life,
    revisions: new Map(revisions.map((revision) => [revision.id, revision])),
    activations,
    record,
    isSeenOpen: false,
    heldGap: null,
    cause: null,
    pods: [],
    watchedUntil,
    keptAt: watchedUntil,
  };
}
