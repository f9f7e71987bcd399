import { type KubeObject } from '@/lib/kube/object';
import { type History } from '@/lib/history/revision';
import { type Groups } from '@/lib/workloads/groups';
import { leaderWorkerSet } from '@/lib/workloads/kinds/leader-worker-set';
import { statefulSet } from '@/lib/workloads/kinds/stateful-set';
import { type WorkloadStatus } from '@/lib/workloads/status';
import { workloadKinds } from '@/lib/workloads/table';
import { type Template, type Workload } from '@/lib/workloads/workload';
import { BodyStore } from '@/server/cluster/body-store';
import { IndexedCache } from '@/server/cluster/cluster-cache';
import { markedPod } from '@/server/cluster/marked-pod';
import { ingestSource, ingestWorkload, SemanticIds } from '@/server/cluster/ingest';

/** The objects of one namespace, as lists give them. */
export interface Objects {
  sets: readonly KubeObject[];
  statefulSets: readonly KubeObject[];
  revisions: readonly KubeObject[];
  pods: readonly KubeObject[];
}

export interface Sight {
  workload: Workload;
  history: History;
  groups: Groups;
  status: WorkloadStatus;
  /** All that are listed by themselves. */
  workloads: Workload[];
  templateOf: (bodyId: string) => Template;
}

/** What Shiplog makes of them, through the cache that it keeps of a cluster, in an order in which it may hear of them. */
export function look({ sets, statefulSets, revisions, pods }: Objects, now: number): Sight {
  const bodies = new BodyStore();
  const context = { bodies, semantic: new SemanticIds(bodies) };
  const cache = new IndexedCache({
    kinds: workloadKinds,
    ...context,
    states: () => [],
    onChange: () => undefined,
  });
  for (const set of statefulSets)
    cache.changeWorkload({
      type: 'added',
      value: ingestWorkload(statefulSet, listed(set, 'apps/v1'), context),
    });
  for (const pod of pods) {
    cache.changePod({ type: 'added', value: markedPod(pod) });
  }
  for (const revision of revisions)
    cache.changeSource({
      type: 'added',
      value: ingestSource(leaderWorkerSet.source, revision, context),
    });
  for (const set of sets)
    cache.changeWorkload({
      type: 'added',
      value: ingestWorkload(leaderWorkerSet, listed(set, 'leaderworkerset.x-k8s.io/v1'), context),
    });
  const workloads = [...cache.workloads()];
  const workload = workloads.find(({ resource }) => resource === leaderWorkerSet.resource.id);
  if (workload === undefined) throw new Error('no LeaderWorkerSet is seen');
  const input = {
    workload,
    sources: cache.sourcesOf(workload),
    orphans: cache.orphansOf(workload),
    pods: cache.podsOf(workload),
    parts: cache.partsOf(workload),
  };
  const history = leaderWorkerSet.history(input);
  const groups = leaderWorkerSet.groups?.({ ...input, history });
  if (groups === undefined) throw new Error('it has no groups');
  return {
    workload,
    history,
    groups,
    status: leaderWorkerSet.status({ ...input, history, now: new Date(now).toISOString() }),
    workloads,
    templateOf: (bodyId) => cache.template(bodyId) ?? {},
  };
}

/** Items of lists come without their version. */
function listed(object: KubeObject, apiVersion: string): KubeObject {
  return { ...object, apiVersion };
}
