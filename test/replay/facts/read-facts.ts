import { deriveStatus } from '@/lib/messages/workload-status';
import type { Workload } from '@/lib/history/workload';
import type { RolloutObject } from '@/lib/rollout/rollout-facts';
import { deriveRolloutView, type RolloutView } from '@/server/views/rollout-view';
import { deriveOwnView, deriveView, historyInputOf, type WorkloadView } from '@/server/views/workload-view';
import type { Facts } from '@/test/replay/facts/facts';
import { readProgressiveFacts } from '@/test/replay/facts/progressive-facts';
import { type Moment, readWorkloadFacts } from '@/test/replay/facts/workload-facts';

/** An object of which there are facts, by the name that the judge gives it: `deployments.apps shop/cart`. */
export interface Subject {
  name: string;
  namespace: string;
  readFacts: () => Facts;
}

/** Every workload and progressive rollout of a moment. Each is derived once. */
export function subjectsAt(moment: Moment): Subject[] {
  const { cluster, nowMs, startMs } = moment;
  const known = new Map<string, WorkloadView>();
  const drivers = new Map<RolloutObject, RolloutView>();
  const view = (workload: Workload) => {
    const one = known.get(workload.uid) ?? deriveView(cluster, workload, nowMs);
    known.set(workload.uid, one);
    if (one.rollout !== undefined) drivers.set(one.rollout.input.object, one.rollout);
    return one;
  };
  const nameOf = ({ resource, namespace, name }: { resource: string; namespace: string; name: string }) =>
    `${resource} ${namespace}/${name}`;
  const workloads = [...cluster.cache.workloads()].map((workload) => ({
    name: nameOf(workload),
    namespace: workload.namespace,
    readFacts: () =>
      readWorkloadFacts(moment, moment.isBlind === true ? withoutPods(moment, workload) : view(workload)),
  }));
  const rollouts = [...cluster.rollouts.rollouts()].map((object) => ({
    name: `progressive ${nameOf(object)}`,
    namespace: object.namespace,
    readFacts: () =>
      readProgressiveFacts(
        drivers.get(object) ?? deriveRolloutView(cluster, { view }, object, nowMs),
        startMs,
      ),
  }));
  return [...workloads, ...rollouts];
}

/** As a viewer who may list neither pods nor events gets it, but for the rollout that drives it. */
function withoutPods({ cluster, nowMs }: Moment, workload: Workload): WorkloadView {
  const view = deriveOwnView(cluster, workload, nowMs);
  const input = { ...historyInputOf(cluster, workload), pods: [] };
  const history = view.kind.history(input);
  const status = deriveStatus(view.kind.facts({ ...input, history, now: new Date(nowMs).toISOString() }));
  return { ...view, pods: [], history, status };
}
