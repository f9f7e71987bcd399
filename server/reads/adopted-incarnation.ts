import 'server-only';
import type { Revision } from '@/lib/history/revision';
import { earlierIncarnations } from '@/lib/records/inherited-target';
import type { ArchivedActivation, ArchivedRevision, WorkloadIncarnation } from '@/lib/api/incarnation';
import { formatUtc } from '@/lib/format/text';
import type { Archive } from '@/server/archive/archive';
import { type ArchivedIncarnation, readArchivedIncarnation } from '@/server/views/query-archive';
import type { WorkloadView } from '@/server/views/workload-view';

/** What the archive has of an incarnation and of those whose revisions it adopted. */
export interface AdoptedHistory {
  archived: ArchivedIncarnation;
  /** The incarnation that left the revisions; null where none did, or none is recorded. */
  from: WorkloadIncarnation | null;
}

/**
 * Adds the activations and records of the earlier incarnations that ran the adopted revisions: what they prove still
 * holds. `incarnations` are all of the name, the latest first. One that ended within seconds has revisions that only
 * its records prove to be adopted.
 */
export async function withEarlier(
  archive: Archive,
  own: ArchivedIncarnation,
  incarnations: readonly WorkloadIncarnation[],
  { workload, history }: Pick<WorkloadView, 'workload' | 'history'>,
): Promise<AdoptedHistory> {
  const adopted = new Set(
    history.revisions.flatMap(({ id, numbersBefore }) => (numbersBefore.length > 0 ? [id] : [])),
  );
  if (adopted.size === 0 && own.activations[0]?.adopted !== true) return { archived: own, from: null };
  let known = own.revisions.filter(({ id }) => adopted.size === 0 || adopted.has(id));
  let archived = own;
  let from: WorkloadIncarnation | null = null;
  for (const incarnation of earlierIncarnations(incarnations, workload.uid)) {
    const past = await readArchivedIncarnation(archive, incarnation, new Set());
    const shared = past.revisions.filter((revision) => known.some((each) => isSame(each, revision)));
    if (shared.length === 0) break;
    archived = joined(past, archived);
    from ??= incarnation;
    known = shared;
  }
  return { archived, from };
}

/** The same object, or one restored from a backup. */
function isSame(a: ArchivedRevision, b: ArchivedRevision): boolean {
  return a.id === b.id || (a.hash === b.hash && a.numbers.some((number) => b.numbers.includes(number)));
}

/** Activations of both are counted through; the last one of the past goes on as the one that was adopted. */
function joined(past: ArchivedIncarnation, next: ArchivedIncarnation): ArchivedIncarnation {
  const [first] = next.activations;
  const last = past.activations.at(-1);
  const taken = first?.adopted === true ? first : undefined;
  const offset = (last?.index ?? 0) - (taken === undefined ? 0 : 1);
  const before =
    last === undefined ? [] : [...past.activations.slice(0, -1), { ...last, to: taken?.to ?? null }];
  const after = next.activations.filter((activation) => activation !== taken);
  const numbersOf = (revision: ArchivedRevision) => {
    const former = past.revisions.find((each) => isSame(revision, each))?.numbers ?? [];
    return [...new Set([...former, ...revision.numbers])].sort((a, b) => a - b);
  };
  return {
    ...next,
    revisions: next.revisions.map((revision) => ({ ...revision, numbers: numbersOf(revision) })),
    activations: [...before, ...after.map((each) => ({ ...each, index: each.index + offset }))],
    summaries: [
      ...past.summaries,
      ...next.summaries.map((each) => ({ ...each, activation: each.activation + offset })),
    ],
  };
}

/**
 * Whether the workload made its revision the target under that number, as records prove. Until it creates a revision of
 * its own, the cluster alone does not tell such numbers from those before the adoption.
 */
export function isActivatedHere(
  { id, source: { controllerUid } }: Revision,
  number: number | null,
  activations: readonly ArchivedActivation[],
): boolean {
  return activations.some(
    ({ workloadUid, revision, adopted }) =>
      workloadUid === controllerUid && revision.id === id && revision.number === number && adopted !== true,
  );
}

/** "Adopted from an earlier Deployment of this name (deleted 2026-11-22 08:15:41 UTC)." */
export function adoptionText({ kind, deletedAt }: WorkloadIncarnation): string {
  const deleted = deletedAt === null ? '' : ` (deleted ${formatUtc(deletedAt)})`;
  return `Adopted from an earlier ${kind} of this name${deleted}.`;
}
