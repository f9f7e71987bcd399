import 'server-only';
import { AppError } from '@/lib/errors';
import { type WorkloadLife } from '@/lib/ledger/record';
import { type Archive } from '@/server/archive/archive';
import { archivePart, readLives } from '@/server/reads/archive-part';
import { type ReadContext } from '@/server/reads/context';
import { findWorkload, type WorkloadRef } from '@/server/reads/find';
import { inTime } from '@/server/reads/in-time';
import { lifeItem } from '@/server/reads/life-item';
import { type WorkloadView } from '@/server/reads/view';
import { type Viewer } from '@/server/viewer';

/** There is nothing but the archive to tell of a life that is over. */
export const PAST_PATIENCE_MS = 5_000;

export interface FoundLife {
  life: WorkloadLife;
  /** Of the name, the present one first, then the latest first. */
  lives: readonly WorkloadLife[];
}

/** The life of a workload's name with this uid; rejects with AppError `not_found` where the archive has none. */
export async function findLife(
  context: ReadContext,
  archive: Archive,
  ref: WorkloadRef,
  uid: string,
): Promise<FoundLife> {
  const { resource, namespace, name } = ref;
  const present = context.cluster.cache.workload(resource, namespace, name);
  const lives = await inTime(readLives(context, archive, ref, present?.uid), PAST_PATIENCE_MS);
  const life = lives.find((known) => known.uid === uid);
  if (life !== undefined) return { life, lives };
  throw new AppError(
    'not_found',
    `The archive knows no life of ${name} in namespace ${namespace} with the uid ${JSON.stringify(uid)}.`,
    { resource, namespace, name, uid },
  );
}

/** A workload that exists, or is no more and has left lives; `missing` says that it is not there. */
export type Traced =
  | { kind: 'present'; view: WorkloadView }
  | { kind: 'past'; archive: Archive; lives: readonly WorkloadLife[]; missing: AppError };

/** As `findWorkload`; one that is no more is found by what the archive has of it. */
export async function traceWorkload(context: ReadContext, viewer: Viewer, ref: WorkloadRef): Promise<Traced> {
  try {
    return { kind: 'present', view: await findWorkload(context, viewer, ref) };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    const { answer: lives } = await archivePart(context, [], (archive) => readLives(context, archive, ref));
    const { archive } = context;
    if (archive == null || lives.length === 0) throw error;
    const details = { ...error.details, lives: lives.map(lifeItem) };
    return { kind: 'past', archive, lives, missing: new AppError(error.code, error.message, details) };
  }
}
