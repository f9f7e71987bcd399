import 'server-only';
import { type Partial } from '@/lib/api/common';
import { type RecordMark } from '@/lib/ledger/mark';
import { type ArchivedActivation, type ArchivedRevision, type WorkloadLife } from '@/lib/ledger/record';
import { type Archive } from '@/server/archive/archive';
import { type ReadContext } from '@/server/reads/context';
import { type WorkloadRef } from '@/server/reads/find';
import { inTime } from '@/server/reads/in-time';

/** Records of one life that a page tells of; who wants to go further back searches the records. */
const MARKS_MAX = 500;

/** For so long after a failure nobody has to wait for the next one. */
const REST_MS = 2_000;

/** What the archive has of one life of a workload. */
export interface ArchivedLife {
  /** First seen first. */
  revisions: readonly ArchivedRevision[];
  /** In order. */
  activations: readonly ArchivedActivation[];
  /** The latest, in order. */
  marks: readonly RecordMark[];
  /** Hashes of the templates that are there as the cluster had them. */
  whole: ReadonlySet<string>;
}

export const nothingArchived: ArchivedLife = { revisions: [], activations: [], marks: [], whole: new Set() };

/** An answer of the archive, or what stands in for it and a part of the answer that says so. */
export interface ArchivePart<Answer> {
  answer: Answer;
  partial: Partial[];
}

interface Trouble {
  sinceMs: number;
  /** Until then it is not asked again. */
  untilMs: number;
  reason: string;
}

/** Of each archive that can't be read at present. */
const troubles = new WeakMap<Archive, Trouble>();

/** What the archive answers, if it does so at once: pages that live from the cluster never wait for it. */
export async function archivePart<Answer>(
  { archive, now }: Pick<ReadContext, 'archive' | 'now'>,
  otherwise: Answer,
  ask: (archive: Archive) => Promise<Answer>,
): Promise<ArchivePart<Answer>> {
  if (archive === undefined) return { answer: otherwise, partial: [] };
  if (archive === null) return { answer: otherwise, partial: [missing('Its log says why it is not open')] };
  const trouble = troubles.get(archive);
  if (trouble !== undefined && now() < trouble.untilMs) {
    return { answer: otherwise, partial: [missing(trouble.reason, trouble.sinceMs)] };
  }
  try {
    const answer = await inTime(ask(archive));
    troubles.delete(archive);
    return { answer, partial: [] };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const sinceMs = trouble?.sinceMs ?? now();
    troubles.set(archive, { sinceMs, untilMs: now() + REST_MS, reason });
    return { answer: otherwise, partial: [missing(reason, sinceMs)] };
  }
}

/** Everything of one life that its page tells of. */
export async function readArchivedLife(archive: Archive, uid: string): Promise<ArchivedLife> {
  const [revisions, activations, marks] = await Promise.all([
    archive.revisions(uid),
    archive.activations(uid),
    archive.marks(uid, MARKS_MAX),
  ]);
  const whole = await archive.wholeBodies(revisions.map(({ hash }) => hash));
  return { revisions, activations, marks, whole };
}

/** Of a name: the present one first, then those that are over, the latest first. */
export async function readLives(
  { cluster }: Pick<ReadContext, 'cluster'>,
  archive: Archive,
  { resource, namespace, name }: WorkloadRef,
  presentUid?: string,
): Promise<WorkloadLife[]> {
  const lives = await archive.lives(cluster.identity.id, resource, namespace, name);
  return lives.toReversed().sort((a, b) => Number(b.uid === presentUid) - Number(a.uid === presentUid));
}

function missing(reason: string, sinceMs?: number): Partial {
  const since = sinceMs === undefined ? '' : ` since ${new Date(sinceMs).toISOString().slice(11, 16)} UTC`;
  const end = /[.!?]$/.test(reason) ? '' : '.';
  return {
    resource: 'archive',
    reason: `The archive can't be read${since}, so what only it knows is missing: pruned revisions, exact times, outcomes. ${reason}${end}`,
  };
}
