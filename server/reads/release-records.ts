import 'server-only';
import { type RecordAnswer } from '@/lib/api/records';
import { type RolloutMark } from '@/lib/api/workloads';
import { isSameRelease } from '@/lib/ledger/release-match';
import { markOfRecord, type RecordMark } from '@/lib/ledger/mark';
import { type RolloutRecord } from '@/lib/ledger/record';
import { type RolloutObject } from '@/lib/rollout/system';
import { rolloutSystems } from '@/lib/rollout/systems';
import { kindOf } from '@/lib/workloads/table';
import { archivePart } from '@/server/reads/archive-part';
import { type ReadContext } from '@/server/reads/context';
import { may } from '@/server/reads/rights';
import { rolloutMark } from '@/server/reads/rollout-mark';
import { type Viewer } from '@/server/viewer';

/** A release is among the last few records of its workload. */
const MARKS_MAX = 20;

/** Our record of what a rollout releases, or released last; null where there is none, or none that the viewer may see. */
export async function recordOfRollout(
  context: ReadContext,
  viewer: Viewer,
  { uid, namespace, workload: { resource, name } }: RolloutObject,
): Promise<RolloutMark | null> {
  const { cluster, keys } = context;
  const type = resource === null ? undefined : kindOf(resource)?.resource;
  if (
    resource === null ||
    type === undefined ||
    !(await may(cluster, viewer, 'get', type, namespace, { name }))
  )
    return null;
  const workload = cluster.cache.workload(resource, namespace, name);
  if (workload === undefined) return null;
  const { answer } = await archivePart(context, [], (archive) => archive.marks(workload.uid, MARKS_MAX));
  const mark = answer.findLast(({ release }) => release?.uid === uid);
  return mark === undefined ? null : rolloutMark(mark, keys);
}

/** The record of the release that goes on under the rollout of this name. */
export function openRecordOf(
  marks: readonly RecordMark[],
  rollout: { resource: string; name: string },
): { id: string } | null {
  const last = marks.at(-1);
  if (last?.release == null || last.outcome !== null) return null;
  const { resource, name } = last.release;
  return resource === rollout.resource && name === rollout.name ? { id: last.id } : null;
}

/** Objects that a system, or Shiplog, has written into the cluster about the same release, as the viewer may see them. */
export async function historiesOf(
  { cluster }: ReadContext,
  viewer: Viewer,
  record: RolloutRecord,
): Promise<RecordAnswer['rolloutHistories']> {
  const { namespace } = record.workload;
  if (record.workload.cluster !== cluster.identity.id) return [];
  const mark = markOfRecord(record);
  // What Shiplog writes is labelled with no rollout.
  const labels = new Set([record.release?.name ?? '', '']);
  const found: string[] = [];
  for (const { records } of rolloutSystems) {
    if (records === null) continue;
    const type = records.resource;
    const same = [...labels]
      .flatMap((label) => cluster.rollouts.recordsOf(type.id, namespace, label))
      .filter((history) => isSameRelease(mark, history));
    if (same.length === 0 || !(await may(cluster, viewer, 'list', type, namespace))) continue;
    found.push(...same.map(({ name }) => name));
  }
  return found.sort().map((name) => ({ namespace, name }));
}
