import 'server-only';
import { emptyMemory, type Memory } from '@/lib/ledger/observation';
import { type WorkloadLife } from '@/lib/ledger/record';
import { restoreMemory } from '@/lib/ledger/restore';
import { type Archive } from '@/server/archive/archive';
import { recordId } from '@/server/recorder/tools';

export type MemorySource = Pick<Archive, 'lives' | 'revisions' | 'activations' | 'recordById'>;

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
  const listed = last === undefined ? null : await archive.recordById(recordId(cluster, uid, last.index));
  return restoreMemory(life, revisions, activations, listed?.record ?? null);
}
