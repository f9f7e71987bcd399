import 'server-only';
import type { Answer } from '@/lib/api/common';
import type { recordSchema, rolloutSummarySchema } from '@/lib/api/records';
import { isSameRollout } from '@/lib/records/match-controller-record';
import type { RecordSummary } from '@/lib/api/record-summary';
import { summarizeRecord } from '@/lib/records/testing/summarize-record';
import type { RolloutRecord } from '@/lib/api/record';
import type { RolloutObject } from '@/lib/rollout/rollout-facts';
import { rolloutSystems } from '@/lib/rollout/systems/table';
import { kindOf } from '@/lib/workloads/kinds/table';
import { queryArchive } from '@/server/views/query-archive';
import type { ReadContext } from '@/server/views/context';
import type { ViewedCluster } from '@/server/views/fleet';
import { can } from '@/server/views/rights';
import { rolloutSummary } from '@/server/views/last-rollout';
import type { Viewer } from '@/server/shared/viewer';

/** The rollout is among the last few records of its workload. */
const SUMMARIES_MAX = 20;

/**
 * Shiplog's record of what a rollout rolls out, or rolled out last; null where there is none, or none that the viewer
 * can see.
 */
export async function recordOfRollout(
  context: ReadContext,
  viewer: Viewer,
  { uid, namespace, workload: { resource, name } }: RolloutObject,
): Promise<Answer<typeof rolloutSummarySchema> | null> {
  const { cluster, keys } = context;
  const type = resource === null ? undefined : kindOf(resource)?.resource;
  if (
    resource === null ||
    type === undefined ||
    !(await can(cluster, viewer, 'get', type, namespace, { name }))
  )
    return null;
  const workload = cluster.cache.workload(resource, namespace, name);
  if (workload === undefined) return null;
  const { answer } = await queryArchive(context, [], (archive) =>
    archive.rollouts.summaries({ cluster: cluster.identity.id, uid: workload.uid }, SUMMARIES_MAX),
  );
  const summary = answer.findLast(({ progressiveRollout }) => progressiveRollout?.uid === uid);
  return summary === undefined ? null : rolloutSummary(summary, keys.mask);
}

/** The open record of the Rollout with this name. */
export function openRecordOf(
  summaries: readonly RecordSummary[],
  rollout: { resource: string; name: string },
): { id: string } | null {
  const last = summaries.at(-1);
  if (last?.progressiveRollout == null || last.outcome !== null) return null;
  const { resource, name } = last.progressiveRollout;
  return resource === rollout.resource && name === rollout.name ? { id: last.id } : null;
}

/**
 * Objects that a system, or Shiplog, has written into the cluster about the same rollout, as the viewer can see them.
 */
export async function historiesOf(
  { context: { cluster }, viewer }: ViewedCluster,
  record: RolloutRecord,
): Promise<Answer<typeof recordSchema>['rolloutHistories']> {
  const { namespace } = record.workload;
  if (record.workload.cluster !== cluster.identity.id) return [];
  const summary = summarizeRecord(record);
  // What Shiplog writes has no label of a rollout.
  const labels = new Set([record.progressiveRollout?.name ?? '', '']);
  const found: string[] = [];
  for (const { records } of rolloutSystems) {
    if (records === null) continue;
    const type = records.resource;
    const same = [...labels]
      .flatMap((label) => cluster.rollouts.recordsOf(type.id, namespace, label))
      .filter((history) => isSameRollout(summary, history));
    if (same.length === 0 || !(await can(cluster, viewer, 'list', type, namespace))) continue;
    found.push(...same.map(({ name }) => name));
  }
  return found.sort().map((name) => ({ namespace, name }));
}
