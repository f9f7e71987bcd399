import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Json, type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { loadCredentials } from '@/server/cluster/credentials';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import { createTransport, type Transport } from '@/server/cluster/transport';
import { silentLogger } from '@/server/shared/log';
import { type SandboxApi, startSandboxApi } from '@/sandbox/api/sandbox-api';
import { type Controllers, startControllers } from '@/sandbox/controllers/controllers';
import { barrierOf } from '@/sandbox/controllers/engine/in-process-barrier';
import { T0 } from '@/sandbox/controllers/testing/objects';
import { httpRouteCrd } from '@/sandbox/crds/http-route';
import { kruiseCrds } from '@/sandbox/crds/kruise';

const USER = 'seeder';
const NODES = ['node-1', 'node-2', 'node-3'].map((name) => ({ name }));

/** A recorded state of an object. */
export interface ObjectState {
  readonly collection: string;
  readonly type: string;
  readonly object: KubeObject;
}

/** A sandbox that runs scenarios on a clock that jumps, and records every state. */
export class RolloutSandbox {
  readonly changes: ObjectState[] = [];
  readonly clock: VirtualClock;
  readonly api: SandboxApi;
  readonly #transport: Transport;
  /** Called after every change of one moment. */
  onMoment: () => Promise<void> = () => Promise.resolve();
  #controllers: Controllers;
  readonly #directory: string;

  private constructor(
    clock: VirtualClock,
    api: SandboxApi,
    transport: Transport,
    controllers: Controllers,
    directory: string,
  ) {
    this.clock = clock;
    this.api = api;
    this.#transport = transport;
    this.#controllers = controllers;
    this.#directory = directory;
    api.store.subscribe(({ collection, type, object }) => {
      this.changes.push({ collection, type, object: object as unknown as KubeObject });
    });
  }

  static async start(): Promise<RolloutSandbox> {
    const clock = new VirtualClock();
    await clock.advance(T0 - clock.now());
    const api = await startSandboxApi({ clock, seed: 1 });
    const directory = mkdtempSync(join(tmpdir(), 'shiplog-rollouts-'));
    const file = join(directory, 'kubeconfig');
    writeFileSync(file, api.kubeconfig(USER));
    const credentials = loadCredentials({ kind: 'kubeconfig', files: [file] });
    const transport = createTransport({ credentials, readOnly: false });
    const controllers = controllersOf(transport, clock, api);
    const sandbox = new RolloutSandbox(clock, api, transport, controllers, directory);
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    for (const crd of [...kruiseCrds, httpRouteCrd]) await sandbox.send('POST', definitions, crd);
    await controllers.idle();
    return sandbox;
  }

  /** Stops the controllers at any point, and starts others. */
  async restart(): Promise<void> {
    await this.#controllers.stop();
    this.#controllers = controllersOf(this.#transport, this.clock, this.api);
    await this.#controllers.idle();
  }

  /** `path` of the collection, within the namespace `default`. */
  async create(group: string, plural: string, object: JsonObject): Promise<void> {
    await this.send('POST', `${group}/namespaces/default/${plural}`, object);
  }

  async merge(path: string, patch: JsonObject): Promise<void> {
    await this.send('PATCH', path, patch);
    await this.#controllers.idle();
  }

  async remove(path: string): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path });
    await this.#controllers.idle();
  }

  async get(path: string): Promise<KubeObject> {
    return (await this.#transport.json({ method: 'GET', path })) as unknown as KubeObject;
  }

  async list(path: string): Promise<KubeObject[]> {
    return ((await this.#transport.json({ method: 'GET', path })) as { items: unknown })
      .items as KubeObject[];
  }

  /** Lets so much time pass. */
  async pass(seconds: number): Promise<void> {
    const end = this.clock.now() + seconds * 1000;
    for (;;) {
      await this.#controllers.idle();
      await this.onMoment();
      const next = this.#controllers.nextTimer() ?? Infinity;
      if (next > end) break;
      await this.clock.advance(Math.max(0, next - this.clock.now()));
    }
    await this.clock.advance(Math.max(0, end - this.clock.now()));
    await this.#controllers.idle();
    await this.onMoment();
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
    await this.#controllers.stop();
    await this.#transport.close();
    await this.api.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async send(method: 'POST' | 'PATCH', path: string, body: JsonObject): Promise<void> {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : undefined;
    await this.#transport.json({
      method,
      path,
      body: JSON.stringify(body),
      ...(contentType !== undefined && { contentType }),
    });
  }
}

function controllersOf(transport: Transport, clock: VirtualClock, api: SandboxApi): Controllers {
  const barrier = barrierOf(api, USER);
  return startControllers({ transport, clock, log: silentLogger, nodes: NODES, barrier });
}
