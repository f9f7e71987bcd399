import 'server-only';
import { emptyMemory, type RecorderMemory } from '@/lib/records/observation';
import type { ArchivedActivation, WorkloadIncarnation } from '@/lib/api/incarnation';
import { earlierIncarnations, earlierTargetOf } from '@/lib/records/inherited-target';
import { restoreMemory } from '@/lib/records/restore-memory';
import type { Archive } from '@/server/archive/archive';
import type { RecordTransition } from '@/server/archive/rollouts';
import { recordId } from '@/server/recorder/tools';

export interface MemorySource {
  workloads: Pick<Archive['workloads'], 'incarnations' | 'activations'>;
  revisions: Pick<Archive['revisions'], 'of'>;
  rollouts: Pick<Archive['rollouts'], 'byId' | 'transitions'>;
}

type WorkloadIdentity = Pick<WorkloadIncarnation, 'cluster' | 'resource' | 'namespace' | 'name' | 'uid'>;

/**
 * What the archive has of one incarnation; a memory without activations where it has none. `memoryOf` knows what of the
 * others is not in the archive yet.
 */
export async function loadMemory(
  archive: MemorySource,
  workload: WorkloadIdentity,
  memoryOf: (uid: string) => RecorderMemory | undefined,
): Promise<RecorderMemory> {
  const { cluster, resource, namespace, name, uid } = workload;
  const incarnations = await archive.workloads.incarnations(cluster, resource, namespace, name);
  const incarnation = incarnations.find((known) => known.uid === uid);
  const memory = incarnation === undefined ? emptyMemory : await loadIncarnation(archive, incarnation);
  if (memory.activations.length > 0) return memory;
  for (const other of earlierIncarnations(incarnations.toReversed(), uid)) {
    const earlier = earlierTargetOf(memoryOf(other.uid) ?? (await loadIncarnation(archive, other)));
    if (earlier !== null) return { ...memory, earlier };
  }
  return memory;
}

export async function loadIncarnation(
  archive: MemorySource,
  incarnation: WorkloadIncarnation,
): Promise<RecorderMemory> {
  const { cluster, uid } = incarnation;
  const [revisions, activations] = await Promise.all([
    archive.revisions.of(incarnation),
    archive.workloads.activations(incarnation),
  ]);
  const last = activations.at(-1);
  const listed = last && (await archive.rollouts.byId(recordId(cluster, uid, last.index)));
  shareTexts([incarnation, revisions, activations, listed?.record]);
  if (last === undefined) return restoreMemory(incarnation, revisions, activations, null);
  const completed = withMeanings(
    activations,
    await archive.rollouts.transitions(incarnation, last.index + 1, activations.length),
  );
  return restoreMemory(incarnation, revisions, completed, listed?.record ?? null);
}

/**
 * Replaces equal texts in documents that were just parsed by one of them: the revisions and activations of a workload
 * repeat its uid, their hashes, and their times, and those of a fleet stay in memory.
 */
function shareTexts(document: unknown, known = new Map<string, string>()): void {
  if (typeof document !== 'object' || document === null) return;
  const members = document as Record<string, unknown>;
  for (const key in members) {
    const value = members[key];
    if (typeof value !== 'string') {
      shareTexts(value, known);
      continue;
    }
    const shared = known.get(value);
    if (shared === undefined) known.set(value, value);
    else members[key] = shared;
  }
}

/** Adds what an earlier version did not store with the activations, from their records. */
function withMeanings(
  activations: readonly ArchivedActivation[],
  transitions: readonly RecordTransition[],
): ArchivedActivation[] {
  const known = transitions.flatMap(({ from, to }) => (from === null ? [to] : [from, to]));
  const refs = new Map(known.map((ref) => [ref.hash, ref]));
  return activations.map((activation) => ({
    ...activation,
    revision: { ...refs.get(activation.revision.hash), ...activation.revision },
  }));
}
