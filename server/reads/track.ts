import 'server-only';
import { type PodTrack } from '@/lib/api/workloads';
import { type RecordTrack } from '@/server/archive/archive';
import { type ReadContext } from '@/server/reads/context';
import { findLife, PAST_PATIENCE_MS } from '@/server/reads/find-life';
import { missingWorkload, requireKind, type WorkloadRef } from '@/server/reads/find';
import { inTime } from '@/server/reads/in-time';
import { requireArchive } from '@/server/reads/ledger';
import { assertCan } from '@/server/reads/rights';
import { parseMoment } from '@/server/reads/time-query';
import { type Viewer } from '@/server/viewer';

const RECORDS_MAX = 50;
const SAMPLES_MAX = 200;

/** Pods by revision over the latest recorded rollouts of the present life, or of that with this uid. */
export async function workloadTrack(
  context: ReadContext,
  viewer: Viewer,
  ref: WorkloadRef,
  query: { uid?: string | undefined; since?: string | undefined },
): Promise<PodTrack> {
  const kind = requireKind(context.cluster, ref.resource);
  await assertCan(context.cluster, viewer, 'get', kind.resource, ref.namespace, { name: ref.name });
  const archive = requireArchive(context);
  const { cluster, now } = context;
  const present = cluster.cache.workload(ref.resource, ref.namespace, ref.name);
  const uid = query.uid ?? present?.uid;
  if (uid === undefined) throw missingWorkload(context, kind, ref);
  if (uid !== present?.uid) await findLife(context, archive, ref, uid);
  const sinceMs = query.since === undefined ? null : parseMoment('since', query.since, now());
  const tracks = await inTime(archive.tracks(uid, RECORDS_MAX, sinceMs), PAST_PATIENCE_MS);
  return { rollouts: tracks.map(trackOf) };
}

function trackOf({ mark, samples }: RecordTrack): PodTrack['rollouts'][number] {
  const refs = [mark.to, ...(mark.from === null ? [] : [mark.from]), ...mark.others];
  const idOf = (hash: string) => refs.find((ref) => ref.hash === hash)?.id ?? null;
  return {
    record: mark.id,
    samples: samples.slice(-SAMPLES_MAX).map(({ at, byRevision }) => ({
      at,
      pods: byRevision.map(([hash, pods, ready]) => ({ revisionId: idOf(hash), pods, ready })),
    })),
  };
}
