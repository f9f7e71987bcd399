import 'server-only';
import type { PodTrack } from '@/lib/api/earlier-incarnation';
import type { RecordTrack } from '@/server/archive/rollouts';
import type { ReadContext } from '@/server/views/context';
import { findIncarnation, INCARNATION_TIMEOUT_MS } from '@/server/views/find-incarnation';
import { missingWorkload, requireKind, type WorkloadName } from '@/server/views/find-workload';
import { withTimeout } from '@/server/archive/with-timeout';
import { requireArchive } from '@/server/views/archive-access';
import { assertCan } from '@/server/views/rights';
import { parseMoment } from '@/server/reads/time-query';
import type { Viewer } from '@/server/shared/viewer';

const RECORDS_MAX = 50;
const SAMPLES_MAX = 200;

/** Pods by revision over the latest recorded rollouts of the current incarnation, or of that with this uid. */
export async function workloadTrack(
  context: ReadContext,
  viewer: Viewer,
  ref: WorkloadName,
  query: { uid?: string | undefined; since?: string | undefined },
): Promise<PodTrack> {
  const kind = requireKind(context.cluster, ref.resource);
  await assertCan(context.cluster, viewer, 'get', kind.resource, ref.namespace, { name: ref.name });
  const archive = requireArchive(context);
  const { cluster, now } = context;
  const current = cluster.cache.workload(ref.resource, ref.namespace, ref.name);
  const uid = query.uid ?? current?.uid;
  if (uid === undefined) throw missingWorkload(context, kind, ref);
  if (uid !== current?.uid) await findIncarnation(context, archive.workloads, ref, uid);
  const sinceMs = query.since === undefined ? null : parseMoment('since', query.since, now());
  const tracks = await withTimeout(
    archive.rollouts.tracks({ cluster: cluster.identity.id, uid }, RECORDS_MAX, sinceMs),
    INCARNATION_TIMEOUT_MS,
  );
  return { rollouts: tracks.map(trackOf) };
}

function trackOf({ summary, samples }: RecordTrack): PodTrack['rollouts'][number] {
  const refs = [summary.to, ...(summary.from === null ? [] : [summary.from]), ...summary.others];
  const idOf = (hash: string) => refs.find((ref) => ref.hash === hash)?.id ?? null;
  return {
    record: summary.id,
    samples: samples.slice(-SAMPLES_MAX).map(({ at, byRevision }) => ({
      at,
      pods: byRevision.map(([hash, pods, ready]) => ({ revisionId: idOf(hash), pods, ready })),
    })),
  };
}
