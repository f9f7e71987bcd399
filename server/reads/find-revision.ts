import 'server-only';
import { AppError } from '@/lib/errors';
import { type Revision } from '@/lib/history/revision';
import { type JsonObject } from '@/lib/kube/json';
import { type ArchivedRevision, type WorkloadLife } from '@/lib/ledger/record';
import { type Archive } from '@/server/archive/archive';
import { type Cluster } from '@/server/cluster/cluster';
import { findRevision, renumbered } from '@/server/reads/find';
import { inTime } from '@/server/reads/in-time';
import { type WorkloadView } from '@/server/reads/view';

/** A page can show the rest without the archive; whoever asks for a revision by name has nothing else. */
const PATIENCE_MS = 3_000;

export interface RevisionPlace {
  cluster: Pick<Cluster, 'identity'>;
  /** Null or absent where nothing is recorded. */
  archive?: Archive | null;
}

export interface ArchivedFind {
  kind: 'archived';
  revision: ArchivedRevision;
  /** Its last one; null where its source carried none. */
  number: number | null;
  /** As the cluster had it, unmasked. Null where it has expired, or came by an import with its credentials masked. */
  template: JsonObject | null;
  /** Whose revision it was; `present` where that is the workload that exists now. */
  life: WorkloadLife & { present: boolean };
}

export type FoundRevision = { kind: 'retained'; revision: Revision } | ArchivedFind;

/**
 * A revision by id or number, the cluster's before the archive's. A number means the present life alone; an id any life
 * of the workload's name. Rejects with AppError: `not_found`; `ambiguous` with the candidates; `archive_unavailable`
 * where only the archive could tell.
 */
export async function findAnyRevision(
  { cluster, archive }: RevisionPlace,
  { workload, history }: Pick<WorkloadView, 'workload' | 'history'>,
  ref: string,
): Promise<FoundRevision> {
  const { retained, missing } = tryRetained({ workload, history }, ref);
  if (retained !== undefined) return { kind: 'retained', revision: retained };
  if (archive == null) throw missing;
  const known = new Map(history.revisions.map((revision) => [revision.id, revision]));
  return inTime(
    (async () => {
      const { resource, namespace, name, uid } = workload;
      const lives = await archive.lives(cluster.identity.id, resource, namespace, name);
      for (const life of lives.toSorted((a, b) => Number(b.uid === uid) - Number(a.uid === uid))) {
        const isPresent = life.uid === uid;
        const recorded = await archive.revisions(life.uid);
        const revisions = recorded.filter(({ id }) => !isPresent || !known.has(id));
        const revision = isPresent ? matchArchived(revisions, ref, name) : matchId(revisions, ref);
        if (revision !== undefined)
          return await archivedFind(archive, revision, { ...life, present: isPresent });
        // Some controllers leave no trace of a former number in the cluster.
        const moved = isPresent
          ? recorded.find(({ numbers }) => numbers.slice(0, -1).includes(Number(ref)))
          : undefined;
        if (moved !== undefined) throw renumbered(ref, known.get(moved.id) ?? numberedNow(moved));
      }
      throw missing;
    })(),
    PATIENCE_MS,
  );
}

/** The same by id alone, of a workload that is no more: all its lives are over. */
export async function findPastRevision(
  archive: Archive,
  lives: readonly WorkloadLife[],
  id: string,
): Promise<ArchivedFind> {
  return inTime(
    (async () => {
      for (const life of lives) {
        const revision = matchId(await archive.revisions(life.uid), id);
        if (revision !== undefined) return await archivedFind(archive, revision, { ...life, present: false });
      }
      throw new AppError('not_found', `No earlier life of the workload had a revision with the id ${id}.`, {
        revision: id,
      });
    })(),
    PATIENCE_MS,
  );
}

/** The number that people know it by: numbers only grow, so its last one. */
export function numberOfArchived({ numbers }: Pick<ArchivedRevision, 'numbers'>): number | null {
  return numbers.at(-1) ?? null;
}

/** The template, or a sentence about why there is none any more. */
export function requireTemplate({ revision, number, template }: ArchivedFind): JsonObject {
  if (template !== null) return template;
  throw new AppError(
    'not_found',
    `The template of revision ${number ?? revision.name} is gone: the cluster no longer has it, and from the archive it has expired or was imported without its credentials. What it changed is still told by its record.`,
    { revision: revision.id },
  );
}

function tryRetained(
  { workload, history }: Pick<WorkloadView, 'workload' | 'history'>,
  ref: string,
): { retained: Revision; missing?: undefined } | { retained?: undefined; missing: AppError } {
  try {
    return { retained: findRevision(history, workload, ref) };
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return { missing: error };
    throw error;
  }
}

function numberedNow(revision: ArchivedRevision) {
  return { id: revision.id, name: revision.name, number: numberOfArchived(revision) };
}

function matchId(revisions: readonly ArchivedRevision[], ref: string): ArchivedRevision | undefined {
  return revisions.find(({ id }) => id === ref);
}

function matchArchived(
  revisions: readonly ArchivedRevision[],
  ref: string,
  name: string,
): ArchivedRevision | undefined {
  const byId = matchId(revisions, ref);
  if (byId !== undefined || !/^\d{1,15}$/.test(ref)) return byId;
  const matches = revisions.filter((revision) => numberOfArchived(revision) === Number(ref));
  if (matches.length < 2) return matches[0];
  throw new AppError(
    'ambiguous',
    `${matches.length} revisions of ${name} in the archive carried the number ${ref}. Name one by its id.`,
    { candidates: matches.map(({ id, name: source }) => ({ id, name: source, number: Number(ref) })) },
  );
}

async function archivedFind(
  archive: Archive,
  revision: ArchivedRevision,
  life: ArchivedFind['life'],
): Promise<ArchivedFind> {
  const whole = await archive.wholeBodies([revision.hash]);
  const template = whole.has(revision.hash) ? await archive.body(revision.hash) : null;
  return { kind: 'archived', revision, number: numberOfArchived(revision), template, life };
}
