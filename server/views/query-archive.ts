import 'server-only';
import type { RecordSummary } from '@/lib/api/record-summary';
import type { ArchivedActivation, ArchivedRevision, WorkloadIncarnation } from '@/lib/api/incarnation';
import type { Archive } from '@/server/archive/archive';
import type { IncarnationKey, WorkloadRepository } from '@/server/archive/workloads';
import type { ReadContext } from '@/server/views/context';
import type { WorkloadName } from '@/server/views/find-workload';
import type { MaskedPartial } from '@/server/views/partial';
import { withTimeout } from '@/server/archive/with-timeout';
import type { Mask } from '@/server/shared/mask';
import { messageOf } from '@/lib/errors';

/** Records of one incarnation on a page; older ones are found by the search. */
const SUMMARIES_MAX = 500;

/** For this long after a failure the next read fails at once. */
const RETRY_AFTER_MS = 2_000;

/** What the archive has of one incarnation of a workload. */
export interface ArchivedIncarnation {
  /** First observed first. */
  revisions: readonly ArchivedRevision[];
  /** In order. */
  activations: readonly ArchivedActivation[];
  /** The latest, in order. */
  summaries: readonly RecordSummary[];
  /** Hashes of the templates that are archived unmasked, of revisions that the cluster does not have. */
  unmaskedHashes: ReadonlySet<string>;
}

export const nothingArchived: ArchivedIncarnation = {
  revisions: [],
  activations: [],
  summaries: [],
  unmaskedHashes: new Set(),
};

/** An answer of the archive, or its substitute and a partial that states so. */
export interface ArchiveResult<Answer> {
  answer: Answer;
  partial: MaskedPartial[];
}

interface Outage {
  sinceMs: number;
  /** The archive is not read again before. */
  untilMs: number;
  reason: string;
}

/** For each archive that can't be read at present. */
const outages = new WeakMap<Archive, Outage>();

/** What the archive answers within the timeout: pages that live from the cluster never wait longer for it. */
export async function queryArchive<Answer>(
  { archive, keys, now }: Pick<ReadContext, 'archive' | 'keys' | 'now'>,
  fallback: Answer,
  query: (archive: Archive) => Promise<Answer>,
): Promise<ArchiveResult<Answer>> {
  if (archive === undefined) return { answer: fallback, partial: [] };
  if (archive === null)
    return { answer: fallback, partial: [archiveMissing(keys.mask, 'Its log says why it is not open')] };
  const outage = outages.get(archive);
  if (outage !== undefined && now() < outage.untilMs) {
    return { answer: fallback, partial: [archiveMissing(keys.mask, outage.reason, outage.sinceMs)] };
  }
  try {
    const answer = await withTimeout(query(archive));
    outages.delete(archive);
    return { answer, partial: [] };
  } catch (error) {
    const reason = messageOf(error);
    const sinceMs = outage?.sinceMs ?? now();
    outages.set(archive, { sinceMs, untilMs: now() + RETRY_AFTER_MS, reason });
    return { answer: fallback, partial: [archiveMissing(keys.mask, reason, sinceMs)] };
  }
}

/** Everything of one incarnation that its page shows; `retained` are the ids of the revisions that the cluster has. */
export async function readArchivedIncarnation(
  archive: Archive,
  incarnation: IncarnationKey,
  retained: Pick<ReadonlySet<string>, 'has'>,
): Promise<ArchivedIncarnation> {
  const [revisions, activations, summaries] = await Promise.all([
    archive.revisions.of(incarnation),
    archive.workloads.activations(incarnation),
    archive.rollouts.summaries(incarnation, SUMMARIES_MAX),
  ]);
  const pruned = revisions.filter(({ id }) => !retained.has(id));
  const unmaskedHashes = await archive.revisions.unmaskedBodies(pruned.map(({ hash }) => hash));
  return { revisions, activations, summaries, unmaskedHashes };
}

/** Of a name: the current one first, then the earlier ones, the latest first. */
export async function readIncarnations(
  { cluster }: Pick<ReadContext, 'cluster'>,
  workloads: WorkloadRepository,
  { resource, namespace, name }: WorkloadName,
  currentUid?: string,
): Promise<WorkloadIncarnation[]> {
  const incarnations = await workloads.incarnations(cluster.identity.id, resource, namespace, name);
  return incarnations
    .toReversed()
    .sort((a, b) => Number(b.uid === currentUid) - Number(a.uid === currentUid));
}

function archiveMissing(mask: Mask, reason: string, sinceMs?: number): MaskedPartial {
  const since = sinceMs === undefined ? '' : ` since ${new Date(sinceMs).toISOString().slice(11, 16)} UTC`;
  const end = /[.!?]$/.test(reason) ? '' : '.';
  return {
    resource: 'archive',
    reason: mask.text(
      `The archive cannot be read${since}. Pruned revisions, exact times and outcomes are missing. ${reason}${end}`,
    ),
  };
}
