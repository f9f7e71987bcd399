import 'server-only';
import { type PastLife, type WorkloadDetail } from '@/lib/api/workloads';
import { type Archive } from '@/server/archive/archive';
import { maskAnnotations } from '@/server/mask';
import { readArchivedLife } from '@/server/reads/archive-part';
import { type ReadContext } from '@/server/reads/context';
import { workloadDetail } from '@/server/reads/detail';
import { findLife, PAST_PATIENCE_MS, traceWorkload } from '@/server/reads/find-life';
import { requireKind, type WorkloadRef } from '@/server/reads/find';
import { inTime } from '@/server/reads/in-time';
import { requireArchive } from '@/server/reads/ledger';
import { lifeItem } from '@/server/reads/life-item';
import { revisionEntries } from '@/server/reads/revision-entries';
import { revisionItems } from '@/server/reads/revision-items';
import { assertCan, may } from '@/server/reads/rights';
import { type Viewer } from '@/server/viewer';

/**
 * The workload as it is, or with the uid of an earlier life what the archive has of that. A workload that is no more is
 * `not_found` with the lives that it had in `details.lives`.
 */
export async function workloadOrLife(
  context: ReadContext,
  viewer: Viewer,
  ref: WorkloadRef,
  uid: string | undefined,
): Promise<WorkloadDetail | PastLife> {
  const present = context.cluster.cache.workload(ref.resource, ref.namespace, ref.name);
  if (uid !== undefined && uid !== present?.uid) return pastLife(context, viewer, ref, uid);
  const traced = await traceWorkload(context, viewer, ref);
  if (traced.kind === 'past') throw traced.missing;
  return workloadDetail(context, viewer, traced.view);
}

/** A life that is over, from the archive alone. */
async function pastLife(
  context: ReadContext,
  viewer: Viewer,
  ref: WorkloadRef,
  uid: string,
): Promise<PastLife> {
  const kind = requireKind(context.cluster, ref.resource);
  await assertCan(context.cluster, viewer, 'get', kind.resource, ref.namespace, { name: ref.name });
  const archive = requireArchive(context);
  const maySource = await may(context.cluster, viewer, 'list', kind.source.resource, ref.namespace);
  const { life, lives } = await findLife(context, archive, ref, uid);
  const { cluster, resource, kind: name, labels } = life;
  return {
    workload: {
      ...{ cluster, resource, kind: name, namespace: ref.namespace, name: ref.name, uid },
      labels: maskAnnotations(labels, context.keys),
    },
    life: lifeItem(life),
    lives: lives.map(lifeItem),
    revisions: maySource ? await revisionsOf(context, archive, uid) : [],
  };
}

async function revisionsOf(
  context: ReadContext,
  archive: Archive,
  uid: string,
): Promise<PastLife['revisions']> {
  const life = await inTime(readArchivedLife(archive, uid), PAST_PATIENCE_MS);
  const entries = revisionEntries({ revisions: [], target: null }, life, true);
  const items = await revisionItems(context, entries, life.marks);
  const last = life.activations.at(-1)?.revision.id;
  return items.map((item) => ({ ...item, target: item.id === last }));
}
