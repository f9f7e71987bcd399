import 'server-only';
import { emptyMemory, type Memory } from '@/lib/ledger/observation';
import { type ArchivedActivation, type WorkloadLife } from '@/lib/ledger/record';
import { restoreMemory } from '@/lib/ledger/restore';
import { type Archive, type RecordPassage } from '@/server/archive/archive';
import { recordId } from '@/server/recorder/tools';

export type MemorySource = Pick<Archive, 'lives' | 'revisions' | 'activations' | 'recordById' | 'passages'>;

type Named = Pick<WorkloadLife, 'cluster' | 'resource' | 'namespace' | 'name' | 'uid'>;

/** What the archive has of one life; an empty memory where it has nothing. */
export async function loadMemory(archive: MemorySource, workload: Named): Promise<Memory> {
  const { cluster, resource, namespace, name, uid } = workload;
  const lives = await archive.lives(cluster, resource, namespace, name);
  const life = lives.find((known) => known.uid === uid);
  return life === undefined ? emptyMemory : loadLife(archive, life);
}

export async function loadLife(archive: MemorySource, life: WorkloadLife): Promise<Memory> {
  const { cluster, uid } = life;
  const [revisions, activations] = await Promise.all([archive.revisions(uid), archive.activations(uid)]);
  const last = activations.at(-1);
  if (last === undefined) return restoreMemory(life, revisions, activations, null);
  const listed = await archive.recordById(recordId(cluster, uid, last.index));
  const told = withMeanings(activations, await archive.passages(uid, last.index + 1, activations.length));
  return restoreMemory(life, revisions, told, listed?.record ?? null);
}

/** What a version before did not keep with the activations, and was told of their records once the archive was opened. */
function withMeanings(
  activations: readonly ArchivedActivation[],
  passages: readonly RecordPassage[],
): ArchivedActivation[] {
  const known = passages.flatMap(({ from, to }) => (from === null ? [to] : [from, to]));
  const refs = new Map(known.map((ref) => [ref.hash, ref]));
  return activations.map((activation) => ({
    ...activation,
    revision: { ...refs.get(activation.revision.hash), ...activation.revision },
  }));
}
