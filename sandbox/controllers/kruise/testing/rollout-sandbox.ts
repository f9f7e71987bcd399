import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { numberAt, textAt } from '@/lib/kube/read';
import type { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import type { SandboxApi } from '@/sandbox/api/sandbox-api';
import { TestSandbox } from '@/sandbox/controllers/testing/test-sandbox';
import { httpRouteCrd, kruiseCrds } from '@/sandbox/crds/crds';

const NAMESPACE = 'namespaces/default';
export const ROLLOUTS = `/apis/rollouts.kruise.io/v1beta1/${NAMESPACE}/rollouts`;
export const HISTORIES = `/apis/rollouts.kruise.io/v1alpha1/${NAMESPACE}/rollouthistories`;
export const DEPLOYMENTS = `/apis/apps/v1/${NAMESPACE}/deployments`;
const PODS = `/api/v1/${NAMESPACE}/pods`;
const BATCH_ID = 'rollouts.kruise.io/rollout-batch-id';

/** A sandbox with the kinds of OpenKruise that runs scenarios on a clock that jumps. */
export class RolloutSandbox {
  readonly clock: VirtualClock;
  readonly api: SandboxApi;
  readonly #sandbox: TestSandbox;
  /** Called after every change of one moment. */
  onMoment: () => Promise<void> = () => Promise.resolve();

  private constructor(sandbox: TestSandbox) {
    this.clock = sandbox.clock;
    this.api = sandbox.api;
    this.#sandbox = sandbox;
  }

  static async start(): Promise<RolloutSandbox> {
    const sandbox = new RolloutSandbox(await TestSandbox.start());
    await sandbox.#sandbox.define(...kruiseCrds, httpRouteCrd);
    return sandbox;
  }

  /** Stops the controllers at any point, and starts others. */
  async restart(): Promise<void> {
    await this.#sandbox.stopControllers();
    this.#sandbox.startControllers();
    await this.#sandbox.idle();
  }

  /** `path` of the collection, within the namespace `default`. */
  async create(group: string, plural: string, object: JsonObject): Promise<void> {
    await this.send('POST', `${group}/${NAMESPACE}/${plural}`, object);
  }

  async merge(path: string, patch: JsonObject): Promise<void> {
    await this.send('PATCH', path, patch);
    await this.#sandbox.idle();
  }

  async remove(path: string): Promise<void> {
    await this.#sandbox.transport.json({ method: 'DELETE', path });
    await this.#sandbox.idle();
  }

  async get(path: string): Promise<KubeObject> {
    return (await this.#sandbox.transport.json({ method: 'GET', path })) as unknown as KubeObject;
  }

  async list(path: string): Promise<KubeObject[]> {
    const answer = await this.#sandbox.transport.json({ method: 'GET', path });
    return (answer as unknown as { items: KubeObject[] }).items;
  }

  /** Of the pods image and batch, as `app:v2 1`; counted. */
  async countPods(): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { metadata, spec } of await this.list(PODS)) {
      const [container] = (spec?.containers ?? []) as { image: string }[];
      const key = `${container?.image ?? ''} ${metadata.labels?.[BATCH_ID] ?? '-'}`;
      counts[key] = (counts[key] ?? 0) + 1;
    }
    return counts;
  }

  /** Phase, step and its state of a Rollout: `Progressing 1 StepPaused`. */
  async stateOf(name: string): Promise<string> {
    const { status } = await this.get(`${ROLLOUTS}/${name}`);
    const index = numberAt(status, 'currentStepIndex');
    return `${textAt(status, 'phase')} ${index} ${textAt(status, 'currentStepState')}`;
  }

  /** Lets so much time pass. */
  async pass(seconds: number): Promise<void> {
    await this.#sandbox.passUntil(this.clock.now() + seconds * 1000, () => this.onMoment());
  }

  async close(): Promise<void> {
    await this.#sandbox.close();
  }

  async send(method: 'POST' | 'PATCH', path: string, body: JsonObject): Promise<void> {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    await this.#sandbox.transport.json({ method, path, body: JSON.stringify(body), contentType });
  }
}

export function workload(name: string, replicas: number, image: string): JsonObject & { spec: JsonObject } {
  const labels = { app: name };
  const template = {
    metadata: { labels },
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image }] },
  };
  return { metadata: { name }, spec: { replicas, selector: { matchLabels: labels }, template } };
}

export function newImage(image: string): JsonObject {
  return { spec: { template: { spec: { containers: [{ name: 'main', image }] } } } };
}

export function rollout(name: string, workloadRef: JsonObject, strategy: JsonObject): JsonObject {
  return { metadata: { name }, spec: { workloadRef, strategy } };
}
