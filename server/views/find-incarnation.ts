import 'server-only';
import { AppError } from '@/lib/errors';
import type { WorkloadIncarnation } from '@/lib/api/incarnation';
import type { Archive } from '@/server/archive/archive';
import type { WorkloadRepository } from '@/server/archive/workloads';
import { queryArchive, readIncarnations } from '@/server/views/query-archive';
import type { ReadContext } from '@/server/views/context';
import { findWorkload, type WorkloadName } from '@/server/views/find-workload';
import { withTimeout } from '@/server/archive/with-timeout';
import type { WorkloadView } from '@/server/views/workload-view';
import type { Viewer } from '@/server/shared/viewer';
import type { Incarnation } from '@/lib/api/earlier-incarnation';

/** Only the archive has an earlier incarnation. */
export const INCARNATION_TIMEOUT_MS = 5_000;

export interface FoundIncarnation {
  incarnation: WorkloadIncarnation;
  /** Of the name, the current one first, then the latest first. */
  incarnations: readonly WorkloadIncarnation[];
}

/** The incarnation of a workload's name with this uid; rejects with AppError `not_found` where the archive has none. */
export async function findIncarnation(
  context: ReadContext,
  workloads: WorkloadRepository,
  ref: WorkloadName,
  uid: string,
): Promise<FoundIncarnation> {
  const { resource, namespace, name } = ref;
  const present = context.cluster.cache.workload(resource, namespace, name);
  const incarnations = await withTimeout(
    readIncarnations(context, workloads, ref, present?.uid),
    INCARNATION_TIMEOUT_MS,
  );
  const incarnation = incarnations.find((known) => known.uid === uid);
  if (incarnation !== undefined) return { incarnation, incarnations };
  throw new AppError(
    'not_found',
    `The archive has no incarnation of ${namespace}/${name} with the uid ${JSON.stringify(uid)}.`,
    { resource, namespace, name, uid },
  );
}

/** A workload that exists, or was deleted and has archived incarnations; `missing` is the error for its absence. */
export type LocatedWorkload =
  | { kind: 'present'; view: WorkloadView }
  | { kind: 'past'; archive: Archive; incarnations: readonly WorkloadIncarnation[]; missing: AppError };

/** As `findWorkload`, but finds a deleted one in the archive. */
export async function locateWorkload(
  context: ReadContext,
  viewer: Viewer,
  ref: WorkloadName,
): Promise<LocatedWorkload> {
  try {
    return { kind: 'present', view: await findWorkload(context, viewer, ref) };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    const { answer: incarnations } = await queryArchive(context, [], (archive) =>
      readIncarnations(context, archive.workloads, ref),
    );
    const { archive } = context;
    if (archive == null || incarnations.length === 0) throw error;
    const details = { ...error.details, incarnations: incarnations.map(incarnationItem) };
    return {
      kind: 'past',
      archive,
      incarnations,
      missing: new AppError(error.code, error.sentence, details),
    };
  }
}

/** An incarnation as pages list it. */
export function incarnationItem({ uid, createdAt, deletedAt }: WorkloadIncarnation): Incarnation {
  return { uid, from: createdAt, to: deletedAt };
}
