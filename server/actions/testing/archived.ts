import { type JsonObject, canonicalJson } from '@/lib/kube/json';
import type { ArchivedRevision, WorkloadIncarnation } from '@/lib/api/incarnation';
import { at, NAMESPACE, WORKLOAD_UID } from '@/lib/workloads/testing/objects';
import { NOON, ref } from '@/server/actions/testing/shop';
import type { Archive } from '@/server/archive/archive';
import { hashOfText } from '@/server/archive/revisions';

export const currentIncarnation: WorkloadIncarnation = {
  cluster: 'cluster',
  ...ref,
  namespace: NAMESPACE,
  kind: 'Deployment',
  uid: WORKLOAD_UID,
  createdAt: at(0),
  deletedAt: null,
  labels: {},
};

/** An object of the same name that was deleted before the current one was created. */
export const earlierIncarnation: WorkloadIncarnation = {
  ...currentIncarnation,
  uid: 'uid-past',
  createdAt: '2026-07-01T00:00:00Z',
  deletedAt: '2026-07-20T08:00:00Z',
};

export function archived(
  body: JsonObject,
  number: number,
  members: Partial<ArchivedRevision> = {},
): ArchivedRevision {
  return {
    workloadUid: WORKLOAD_UID,
    id: `uid-checkout-${number}`,
    hash: hashOfText(canonicalJson(body)),
    numbers: [number],
    name: `checkout-${number}`,
    changeCause: null,
    images: [],
    createdAt: at(number),
    firstSeenAt: '2026-07-02T10:00:00Z',
    prunedAt: '2026-07-03T10:00:00Z',
    ...members,
  };
}

/** Records a revision, with its body unless that is null, as the recorder does. */
export async function saveRevision(
  archive: Archive,
  incarnation: WorkloadIncarnation,
  revision: ArchivedRevision,
  body: JsonObject | null,
): Promise<void> {
  const lease = await archive.leases.acquire('test', NOON, incarnation.cluster);
  if (lease === null) throw new Error('somebody else records');
  const revisions = [{ revision, body }];
  await archive.record(lease, [{ incarnation, revisions, activations: [], records: [] }], NOON);
}
