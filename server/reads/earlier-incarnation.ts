import 'server-only';
import type { Answer } from '@/lib/api/common';
import type { workloadDetailSchema } from '@/lib/api/workloads';
import type { earlierIncarnationSchema } from '@/lib/api/earlier-incarnation';
import type { Archive } from '@/server/archive/archive';
import type { IncarnationKey } from '@/server/archive/workloads';
import { readArchivedIncarnation } from '@/server/views/query-archive';
import type { ReadContext } from '@/server/views/context';
import { workloadDetail } from '@/server/reads/workload-detail';
import {
  findIncarnation,
  INCARNATION_TIMEOUT_MS,
  locateWorkload,
  incarnationItem,
} from '@/server/views/find-incarnation';
import { requireKind, type WorkloadName } from '@/server/views/find-workload';
import { withTimeout } from '@/server/archive/with-timeout';
import { requireArchive } from '@/server/views/archive-access';
import { revisionEntries } from '@/server/reads/revision-entries';
import { revisionItems } from '@/server/reads/revision-items';
import { assertCan, can } from '@/server/views/rights';
import type { Viewer } from '@/server/shared/viewer';

/**
 * The current workload, or with the uid of an earlier incarnation what the archive has of that. For a deleted workload
 * throws `not_found` with its incarnations in `details.incarnations`.
 */
export async function workloadOrIncarnation(
  context: ReadContext,
  viewer: Viewer,
  ref: WorkloadName,
  uid: string | undefined,
): Promise<Answer<typeof workloadDetailSchema> | Answer<typeof earlierIncarnationSchema>> {
  const current = context.cluster.cache.workload(ref.resource, ref.namespace, ref.name);
  if (uid !== undefined && uid !== current?.uid) return earlierIncarnation(context, viewer, ref, uid);
  const located = await locateWorkload(context, viewer, ref);
  if (located.kind === 'past') throw located.missing;
  return workloadDetail(context, viewer, located.view);
}

/** An earlier incarnation, from the archive alone. */
async function earlierIncarnation(
  context: ReadContext,
  viewer: Viewer,
  ref: WorkloadName,
  uid: string,
): Promise<Answer<typeof earlierIncarnationSchema>> {
  const kind = requireKind(context.cluster, ref.resource);
  await assertCan(context.cluster, viewer, 'get', kind.resource, ref.namespace, { name: ref.name });
  const archive = requireArchive(context);
  const maySource = await can(context.cluster, viewer, 'list', kind.source.resource, ref.namespace);
  const { incarnation, incarnations } = await findIncarnation(context, archive.workloads, ref, uid);
  const { cluster, resource, kind: name, labels } = incarnation;
  await context.keys.mask.prepare(labels);
  return {
    workload: {
      ...{ cluster, resource, kind: name, namespace: ref.namespace, name: ref.name, uid },
      labels: context.keys.mask.annotations(labels),
    },
    incarnation: incarnationItem(incarnation),
    incarnations: incarnations.map(incarnationItem),
    revisions: maySource ? await revisionsOf(context, archive, incarnation) : [],
  };
}

async function revisionsOf(
  context: ReadContext,
  archive: Archive,
  key: IncarnationKey,
): Promise<Answer<typeof earlierIncarnationSchema>['revisions']> {
  const incarnation = await withTimeout(
    readArchivedIncarnation(archive, key, new Set()),
    INCARNATION_TIMEOUT_MS,
  );
  const entries = revisionEntries({ revisions: [], target: null }, incarnation, true);
  const items = await revisionItems(context, entries, incarnation.summaries);
  const last = incarnation.activations.at(-1)?.revision.id;
  return items.map((item) => ({ ...item, target: item.id === last }));
}
