import { AppError } from '@/lib/errors';
import { isJsonObject, type JsonObject } from '@/lib/kube/json';
import { matchesSelector, parseLabelSelector } from '@/lib/kube/selector';
import { objectAt, textAt } from '@/lib/kube/read';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import { pathTo } from '@/server/cluster/request-guard';
import { type CustomKind } from '@/sandbox/controllers/engine/custom-kind';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import {
  followKruise,
  type KruiseKinds,
  workloadsOf,
} from '@/sandbox/controllers/kruise/shared/kruise-kinds';
import {
  BATCH_ID,
  inBeta,
  type KruiseResource,
  ROLLOUT_ID,
  type RoutingSpec,
} from '@/sandbox/controllers/kruise/shared/rollout-object';
import {
  EMPTY_SPEC,
  HISTORY_ROLLOUT,
  type RecordedPod,
  type RolloutHistoryObject,
  type RolloutHistorySpec,
} from '@/sandbox/controllers/kruise/rollout-history/rollout-history-object';
import { alphaSpec } from '@/sandbox/controllers/kruise/rollout-history/rollout-view';
import { isDeleting, type Pod } from '@/sandbox/controllers/objects/pod';
import { fnv1a, safeEncode } from '@/sandbox/controllers/revisions/hash';

const NAME_LENGTH = 6;

/**
 * Simulates the controller that records rollouts, with its bugs: leftovers of the previous rollout, records
 * that are never completed, pods as they are at the end, and one Rollout on which it crashes blocking all
 * others. Upstream that stops every Rollout of the cluster; here only the records of the same namespace, so
 * that scenarios stay independent.
 * https://github.com/openkruise/rollouts/blob/master/pkg/controller/rollouthistory/rollouthistory_controller.go
 */
export function runRolloutHistories(manager: ControllerManager): void {
  const kinds = followKruise(manager);
  const histories = manager.follow<RolloutHistoryObject>('rollouthistories.rollouts.kruise.io');
  const recorder = new Recorder(manager, kinds, histories);
  const work = manager.register((key) => recorder.sync(key));
  kinds.rollouts.onChange(({ object }) => {
    if (object !== undefined) work.add(keyOf(object));
  });
  histories.onChange(({ object, before }) => {
    const { namespace, labels = {} } = (object ?? before)?.metadata ?? {};
    const name = labels[HISTORY_ROLLOUT];
    if (name !== undefined && labels[ROLLOUT_ID] !== undefined) work.add(`${namespace ?? '-'}/${name}`);
    // A restart reconciles what was blocked meanwhile.
    if (object === undefined && recorder.revive(namespace))
      for (const rollout of kinds.rollouts.resource?.store.inNamespace(namespace) ?? [])
        work.add(keyOf(rollout));
  });
}

class Recorder {
  readonly #manager: ControllerManager;
  readonly #kinds: KruiseKinds;
  readonly #histories: CustomKind<RolloutHistoryObject>;
  /** By namespace the record on which the process crashes, again after each start, until it is deleted. */
  readonly #fatal = new Map<string | undefined, ObjectKey>();

  constructor(manager: ControllerManager, kinds: KruiseKinds, histories: CustomKind<RolloutHistoryObject>) {
    this.#manager = manager;
    this.#kinds = kinds;
    this.#histories = histories;
  }

  /** Returns whether that namespace can be recorded again. */
  revive(namespace: string | undefined): boolean {
    const fatal = this.#fatal.get(namespace);
    if (fatal === undefined || this.#histories.resource?.store.get(fatal) !== undefined) return false;
    return this.#fatal.delete(namespace);
  }

  async sync(key: ObjectKey): Promise<void> {
    const stored = this.#kinds.rollouts.resource?.store.get(key);
    const rollout = stored && inBeta(stored);
    const histories = this.#histories.resource?.as('kruise-manager');
    const id = textAt(rollout?.status, 'canaryStatus', 'observedRolloutID') ?? '';
    if (rollout === undefined || histories === undefined || id === '') return;
    const { namespace, name } = rollout.metadata;
    if (this.#fatal.has(namespace)) return;
    const history = histories.store
      .inNamespace(namespace)
      .find(({ metadata: { labels = {} } }) => labels[ROLLOUT_ID] === id && labels[HISTORY_ROLLOUT] === name);
    if (history === undefined) {
      if (rollout.status.phase !== 'Progressing') return;
      const labels = { [ROLLOUT_ID]: id, [HISTORY_ROLLOUT]: name };
      const metadata = { name: `${name}-${suffix(rollout, id, this.#manager.now())}`, labels };
      await histories.create(namespace, { metadata, spec: { ...EMPTY_SPEC } });
      return;
    }
    if (history.status.phase === 'completed' || rollout.status.phase !== 'Healthy') return;
    if (history.spec.rollout.rolloutID !== id) return this.#fill(rollout, history, id);
    const canarySteps = this.#stepsOf(rollout, id);
    await histories.replaceStatus({ ...history, status: { phase: 'completed', canarySteps } });
  }

  async #fill(rollout: KruiseResource, history: RolloutHistoryObject, id: string): Promise<void> {
    const { workloadRef, strategy } = rollout.spec;
    const { namespace, name } = rollout.metadata;
    const workload = this.#workloadOf(rollout);
    const routing = strategy.canary?.trafficRoutings?.[0];
    if (workload === undefined || workload.kind === 'DaemonSet' || routing === undefined) {
      this.#fatal.set(namespace, keyOf(history));
      this.#manager.log.warn('The controller of RolloutHistories stops: this record cannot be completed.', {
        namespace,
        history: history.metadata.name,
      });
      return;
    }
    // The controller reads it in a version that its manager does not know: every retry finds nothing.
    if (routing.gateway?.httpRouteName !== undefined) return;
    const service = await this.#specOf(['api', 'v1'], rollout, 'services', routing.service);
    if (service === undefined) throw new AppError('not_found', 'service not find');
    const spec: RolloutHistorySpec = {
      rollout: { name, rolloutID: id, data: alphaSpec(rollout) },
      workload: { ...workloadRef, data: workload.spec ?? {} },
      service: { name: routing.service, data: service },
      trafficRouting: await this.#routesOf(rollout, routing),
    };
    await this.#histories.resource?.as('kruise-manager').replace({ ...history, spec });
  }

  async #routesOf(
    rollout: KruiseResource,
    { ingress }: RoutingSpec,
  ): Promise<RolloutHistorySpec['trafficRouting']> {
    if (ingress === undefined) return {};
    const data = await this.#specOf(['apis', 'networking.k8s.io', 'v1'], rollout, 'ingresses', ingress.name);
    if (data === undefined)
      throw new AppError('not_found', `initIngressInfo error: Ingress ${ingress.name} not find`);
    return { ingress: { name: ingress.name, data } };
  }

  #workloadOf({ spec, metadata }: KruiseResource) {
    const resource = workloadsOf(this.#manager, this.#kinds, spec.workloadRef);
    return resource?.store.get(`${metadata.namespace ?? '-'}/${spec.workloadRef.name}`);
  }

  #stepsOf(rollout: KruiseResource, id: string) {
    const steps = rollout.spec.strategy.canary?.steps ?? [];
    const selector = parseLabelSelector(objectAt(this.#workloadOf(rollout)?.spec, 'selector') ?? {});
    const pods = this.#manager.pods.store
      .inNamespace(rollout.metadata.namespace)
      .filter((pod) => !isDeleting(pod) && matchesSelector(selector, pod.metadata.labels ?? {}));
    return steps.map((_step, index) => {
      const labels = { [ROLLOUT_ID]: id, [BATCH_ID]: String(index + 1) };
      const found = pods.filter((pod) => hasLabels(pod, labels)).map(recorded);
      return { canaryStepIndex: index + 1, ...(found.length > 0 && { pods: found }) };
    });
  }

  /** Undefined when there is no such object. */
  async #specOf(
    group: string[],
    { metadata: { namespace = 'default' } }: KruiseResource,
    plural: string,
    name: string,
  ): Promise<JsonObject | undefined> {
    try {
      const path = pathTo(...group, 'namespaces', namespace, plural, name);
      const answer = await this.#manager.transport.json({ method: 'GET', path });
      return isJsonObject(answer) ? (objectAt(answer, 'spec') ?? {}) : undefined;
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return undefined;
      throw error;
    }
  }
}

function hasLabels({ metadata }: Pod, labels: Record<string, string>): boolean {
  return Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value);
}

function recorded({ metadata, spec, status }: Pod): RecordedPod {
  return {
    name: metadata.name,
    ...(status.podIP !== undefined && { ip: status.podIP }),
    ...(spec.nodeName !== undefined && { nodeName: spec.nodeName }),
  };
}

/** As random as necessary, and the same for the same history. */
function suffix({ metadata }: KruiseResource, id: string, now: number): string {
  const text = `${metadata.uid} ${id} ${now}`;
  return safeEncode(String(fnv1a(Buffer.from(text))).padStart(NAME_LENGTH, '0')).slice(0, NAME_LENGTH);
}
