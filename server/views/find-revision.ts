import 'server-only';
import { AppError } from '@/lib/errors';
import type { Revision } from '@/lib/history/revision';
import type { JsonObject } from '@/lib/kube/json';
import type { ArchivedRevision, WorkloadIncarnation } from '@/lib/api/incarnation';
import type { Archive } from '@/server/archive/archive';
import type { RevisionRepository } from '@/server/archive/revisions';
import type { Cluster } from '@/server/cluster/cluster';
import { findRevision, renumbered } from '@/server/views/find-workload';
import { withTimeout } from '@/server/archive/with-timeout';
import type { WorkloadView } from '@/server/views/workload-view';

/** A page can show the rest without the archive; a request for one revision can't. */
const TIMEOUT_MS = 3_000;

export interface RevisionLookup {
  cluster: Pick<Cluster, 'identity'>;
  /** Null or absent where nothing is recorded. */
  archive?: Archive | null;
}

export interface ArchivedRevisionMatch {
  kind: 'archived';
  revision: ArchivedRevision;
  /** Its last one; null where its source carried none. */
  number: number | null;
  /** As the cluster had it, unmasked. Null where it has expired, or came by an import with its credentials masked. */
  template: JsonObject | null;
  /** Whose revision it was; `present` where that workload still exists. */
  incarnation: WorkloadIncarnation & { present: boolean };
}

export type FoundRevision = { kind: 'retained'; revision: Revision } | ArchivedRevisionMatch;

/**
 * A revision by id or number, the cluster's before the archive's. A number refers to the current incarnation alone; an
 * id to any incarnation of the workload's name. Rejects with AppError: `not_found`; `ambiguous` with the candidates;
 * `archive_unavailable` where only the archive could answer.
 */
export async function findAnyRevision(
  { cluster, archive }: RevisionLookup,
  { workload, history }: Pick<WorkloadView, 'workload' | 'history'>,
  ref: string,
): Promise<FoundRevision> {
  const { retained, missing } = tryRetained({ workload, history }, ref);
  if (retained !== undefined) return { kind: 'retained', revision: retained };
  if (archive == null) throw missing;
  const known = new Map(history.revisions.map((revision) => [revision.id, revision]));
  return withTimeout(
    (async () => {
      const { resource, namespace, name, uid } = workload;
      const incarnations = await archive.workloads.incarnations(
        cluster.identity.id,
        resource,
        namespace,
        name,
      );
      for (const incarnation of incarnations.toSorted(
        (a, b) => Number(b.uid === uid) - Number(a.uid === uid),
      )) {
        const isCurrent = incarnation.uid === uid;
        const recorded = await archive.revisions.of(incarnation);
        const revisions = recorded.filter(({ id }) => !isCurrent || !known.has(id));
        const revision = isCurrent ? matchArchived(revisions, ref, name) : matchId(revisions, ref);
        if (revision !== undefined)
          return await archivedMatch(archive.revisions, revision, { ...incarnation, present: isCurrent });
        // Some controllers leave no former number in the cluster.
        const renumberedRevision = isCurrent
          ? recorded.find(({ numbers }) => numbers.slice(0, -1).includes(Number(ref)))
          : undefined;
        if (renumberedRevision !== undefined)
          throw renumbered(ref, known.get(renumberedRevision.id) ?? currentNumberOf(renumberedRevision));
      }
      throw missing;
    })(),
    TIMEOUT_MS,
  );
}

/** The same by id alone, for a deleted workload: only earlier incarnations are left. */
export async function findRevisionOfDeleted(
  revisions: RevisionRepository,
  incarnations: readonly WorkloadIncarnation[],
  id: string,
): Promise<ArchivedRevisionMatch> {
  return withTimeout(
    (async () => {
      for (const incarnation of incarnations) {
        const revision = matchId(await revisions.of(incarnation), id);
        if (revision !== undefined)
          return await archivedMatch(revisions, revision, { ...incarnation, present: false });
      }
      throw new AppError(
        'not_found',
        `No earlier incarnation of the workload has a revision with the id ${id}.`,
        {
          revision: id,
        },
      );
    })(),
    TIMEOUT_MS,
  );
}

/** The number that people know: numbers only grow, so its last one. */
export function numberOfArchived({ numbers }: Pick<ArchivedRevision, 'numbers'>): number | null {
  return numbers.at(-1) ?? null;
}

/** The template, or a sentence about why it is not available. */
export function requireTemplate({ revision, number, template }: ArchivedRevisionMatch): JsonObject {
  if (template !== null) return template;
  throw new AppError(
    'not_found',
    `The template of revision ${number ?? revision.name} is not available: it was pruned from the cluster, and in the archive it has expired or was imported without its credentials. Its record still shows what changed.`,
    { revision: revision.id },
  );
}

/** One that the cluster has, or why there is none. */
export function tryRetained(
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

function currentNumberOf(revision: ArchivedRevision) {
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
    `${matches.length} revisions of ${name} in the archive have the number ${ref}. Use an id instead.`,
    { candidates: matches.map(({ id, name: source }) => ({ id, name: source, number: Number(ref) })) },
  );
}

async function archivedMatch(
  revisions: RevisionRepository,
  revision: ArchivedRevision,
  incarnation: ArchivedRevisionMatch['incarnation'],
): Promise<ArchivedRevisionMatch> {
  const unmasked = await revisions.unmaskedBodies([revision.hash]);
  const template = unmasked.has(revision.hash) ? await revisions.body(revision.hash) : null;
  return { kind: 'archived', revision, number: numberOfArchived(revision), template, incarnation };
}
