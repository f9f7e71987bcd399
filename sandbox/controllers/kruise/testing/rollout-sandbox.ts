import { type Json, type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { type VirtualClock } from '@/server/cluster/testing/virtual-clock';
import { type SandboxApi } from '@/sandbox/api/sandbox-api';
import { TestSandbox } from '@/sandbox/controllers/testing/test-sandbox';
import { httpRouteCrd } from '@/sandbox/crds/single-kinds';
import { kruiseCrds } from '@/sandbox/crds/kruise';

/** A recorded state of an object. */
export interface ObjectState {
  readonly collection: string;
  readonly type: string;
  readonly object: KubeObject;
}

/** A sandbox with the kinds of OpenKruise that runs scenarios on a clock that jumps, and records every state. */
export class RolloutSandbox {
  readonly changes: ObjectState[] = [];
  readonly clock: VirtualClock;
  readonly api: SandboxApi;
  readonly #sandbox: TestSandbox;
  /** Called after every change of one moment. */
  onMoment: () => Promise<void> = () => Promise.resolve();

  private constructor(sandbox: TestSandbox) {
    this.clock = sandbox.clock;
    this.api = sandbox.api;
    this.#sandbox = sandbox;
    sandbox.api.store.subscribe(({ collection, type, object }) => {
      this.changes.push({ collection, type, object: object as unknown as KubeObject });
    });
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
    await this.send('POST', `${group}/namespaces/default/${plural}`, object);
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
    return ((await this.#sandbox.transport.json({ method: 'GET', path })) as { items: unknown })
      .items as KubeObject[];
  }

  /** Lets so much time pass. */
  async pass(seconds: number): Promise<void> {
    await this.#sandbox.passUntil(this.clock.now() + seconds * 1000, () => this.onMoment());
  }

  /** The states of objects of a kind since the start position, in short form, without repetitions. */
  statesOf(collection: string, tell: (object: KubeObject) => Json, since = 0): Json[] {
    const told: Json[] = [];
    let last = '';
    for (const change of this.changes.slice(since)) {
      if (change.collection !== collection || change.type === 'DELETED') continue;
      const words = tell(change.object);
      const text = JSON.stringify(words);
      if (text !== last) told.push(words);
      last = text;
    }
    return told;
  }

  async close(): Promise<void> {
    await this.#sandbox.close();
  }

  async send(method: 'POST' | 'PATCH', path: string, body: JsonObject): Promise<void> {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    await this.#sandbox.transport.json({ method, path, body: JSON.stringify(body), contentType });
  }
}
