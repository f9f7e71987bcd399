import { type KubeObject } from '@/lib/kube/object';
import { type RevisionHistory } from '@/lib/history/revision';
import { type Groups } from '@/lib/workloads/groups';
import { leaderWorkerSet } from '@/lib/workloads/kinds/leader-worker-set';
import { statefulSet } from '@/lib/workloads/kinds/stateful-set';
import { type WorkloadStatus } from '@/lib/workloads/status';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import { type Template, type Workload } from '@/lib/history/workload';
import { BodyStore } from '@/server/cluster/body-store';
import { IndexedCache } from '@/server/cluster/indexed-cache';
import { ingestPod } from '@/server/cluster/ingest-pod';
import { ingestSource, ingestWorkload, SemanticIds } from '@/server/cluster/ingest';

/** The objects of one namespace, as returned by lists. */
export interface Objects {
  sets: readonly KubeObject[];
  statefulSets: readonly KubeObject[];
  revisions: readonly KubeObject[];
  pods: readonly KubeObject[];
}

export interface ObservedState {
  workload: Workload;
  history: RevisionHistory;
  groups: Groups;
  status: WorkloadStatus;
  /** All that are listed separately. */
  workloads: Workload[];
  templateOf: (bodyId: string) => Template;
}

/** Shiplog's view of them, through its cache of a cluster, in an order in which watches may deliver them. */
export function deriveObservedState(
  { sets, statefulSets, revisions, pods }: Objects,
  now: number,
): ObservedState {
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
    cache.changePod({ type: 'added', value: ingestPod(pod) });
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
    children: cache.childrenOf(workload),
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
