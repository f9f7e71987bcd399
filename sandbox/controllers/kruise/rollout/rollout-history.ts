import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { objectAt, textAt } from '@/lib/kube/read';
import { matchesSelector, parseLabelSelector } from '@/lib/kube/selector';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import type { Resource } from '@/sandbox/controllers/runtime/resource';
import {
  BATCH_ID,
  type KruiseRollout,
  ROLLOUT_ID,
} from '@/sandbox/controllers/kruise/rollout/rollout-object';
import { followKruise, type KruiseKinds, workloadsOf } from '@/sandbox/controllers/kruise/rollout/workload';
import { isDeleting } from '@/sandbox/controllers/objects/pod';
import { fnv1a, safeEncode } from '@/sandbox/controllers/revisions/hash';

const ROLLOUT_NAME = 'rollouts.kruise.io/rollout-name';
const SUFFIX_LENGTH = 6;

/** The content of a new record, unchanged until its rollout ends. */
const EMPTY_SPEC = {
  rollout: { name: '', rolloutID: '' },
  service: { name: '' },
  trafficRouting: {},
  workload: { name: '' },
};

/**
 * Plays the controller that records rollouts, with the faults of upstream that Shiplog explains: leftovers of
 * the rollout before, records that are never completed, and pods as they are at the end.
 * https://github.com/openkruise/rollouts/blob/master/pkg/controller/rollouthistory/rollouthistory_controller.go
 */
export function runRolloutHistories(manager: ControllerManager): void {
  const kinds = followKruise(manager);
  const histories = manager.follow('rollouthistories.rollouts.kruise.io');
  const work = manager.register(async (key) => {
    const records = histories.resource?.as('kruise-manager');
    if (records !== undefined) await record(manager, kinds, records, key);
  });
  kinds.rollouts.onChange(({ object }) => {
    if (object !== undefined) work.add(keyOf(object));
  });
  histories.onChange(({ object, before }) => {
    const { namespace = '-', labels = {} } = (object ?? before)?.metadata ?? {};
    const name = labels[ROLLOUT_NAME];
    if (name !== undefined) work.add(`${namespace}/${name}`);
  });
}

async function record(
  manager: ControllerManager,
  kinds: KruiseKinds,
  records: Resource<KubeObject>,
  key: ObjectKey,
): Promise<void> {
  const rollout = kinds.rollouts.resource?.store.get(key);
  const id = textAt(rollout?.status, 'canaryStatus', 'observedRolloutID') ?? '';
  if (rollout === undefined || id === '') return;
  const { namespace, name } = rollout.metadata;
  const labels = { [ROLLOUT_ID]: id, [ROLLOUT_NAME]: name };
  const present = records.store.inNamespace(namespace).find((one) => hasLabels(one, labels));
  const { phase } = rollout.status;
  if (present === undefined) {
    const suffix = suffixOf(rollout, id, manager.now());
    const metadata = { name: `${name}-${suffix}`, labels };
    if (phase === 'Progressing') await records.create(namespace, { metadata, spec: EMPTY_SPEC });
    return;
  }
  if (phase !== 'Healthy' || textAt(present.status, 'phase') === 'completed') return;
  const workload = workloadsOf(kinds, rollout.spec.workloadRef)?.store.get(
    `${namespace ?? '-'}/${rollout.spec.workloadRef.name}`,
  );
  if (textAt(present.spec, 'rollout', 'rolloutID') === id) {
    const canarySteps = findPods(manager, rollout, workload, id);
    await records.replaceStatus({ ...present, status: { phase: 'completed', canarySteps } });
    return;
  }
  const spec = describe(rollout, workload, id);
  if (spec !== undefined) await records.replace({ ...present, spec });
}

/** Undefined for a rollout on which the controller fails: its record is never completed. */
function describe(
  { metadata: { name }, spec }: KruiseRollout,
  workload: KubeObject | undefined,
  rolloutID: string,
): JsonObject | undefined {
  const { service, ingress, gateway } = spec.strategy.canary?.trafficRoutings?.[0] ?? {};
  if (workload === undefined || workload.kind === 'DaemonSet' || service === undefined) return undefined;
  // Upstream reads it in a version that its manager does not know: every retry finds nothing.
  if (gateway?.httpRouteName !== undefined) return undefined;
  return {
    rollout: { name, rolloutID, data: spec },
    workload: { ...spec.workloadRef, data: workload.spec ?? {} },
    service: { name: service },
    trafficRouting: ingress === undefined ? {} : { ingress },
  };
}

/** Of each step those that are left at the end. */
function findPods(
  manager: ControllerManager,
  { metadata, spec }: KruiseRollout,
  workload: KubeObject | undefined,
  id: string,
): JsonObject[] {
  const selector = parseLabelSelector(objectAt(workload?.spec, 'selector') ?? {});
  const pods = manager.pods.store
    .inNamespace(metadata.namespace)
    .filter((pod) => !isDeleting(pod) && matchesSelector(selector, pod.metadata.labels ?? {}));
  return (spec.strategy.canary?.steps ?? []).map((_step, offset) => {
    const labels = { [ROLLOUT_ID]: id, [BATCH_ID]: String(offset + 1) };
    const own = pods.filter((pod) => hasLabels(pod, labels));
    const step: JsonObject = { canaryStepIndex: offset + 1 };
    if (own.length > 0)
      step.pods = own.map((pod) => ({
        name: pod.metadata.name,
        ip: pod.status.podIP ?? '',
        nodeName: pod.spec.nodeName ?? '',
      }));
    return step;
  });
}

function hasLabels({ metadata }: KubeObject, labels: Record<string, string>): boolean {
  return Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value);
}

/** As random as necessary, and the same for the same history. */
function suffixOf({ metadata }: KruiseRollout, id: string, now: number): string {
  const hash = fnv1a(Buffer.from(`${metadata.uid} ${id} ${now}`));
  return safeEncode(String(hash).padStart(SUFFIX_LENGTH, '0')).slice(0, SUFFIX_LENGTH);
}
