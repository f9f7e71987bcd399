import type { Json, JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import type { ClusterTransport, Transport } from '@/server/cluster/transport';
import { silentLogger } from '@/server/shared/log';
import { createUserTransport } from '@/sandbox/actors';
import { type SandboxApi, startSandboxApi } from '@/sandbox/api/sandbox-api';
import {
  type ControllersOptions,
  type Controllers,
  startControllers,
} from '@/sandbox/controllers/controllers';
import { barrierOf } from '@/sandbox/controllers/runtime/controller-manager';
import { T0 } from '@/sandbox/controllers/testing/objects';

const USER = 'seeder';
const NODES = ['worker-1', 'worker-2', 'worker-3'].map((name) => ({ name }));
const DEATHS = 8;
/** What has not become idle after a day never will. */
const IDLE_TIMEOUT_MS = 24 * 3_600_000;

/** The nodes and what their kubelets do. */
type Kubelets = Pick<ControllersOptions, 'nodes' | 'podBehaviour'>;

/** An API server in this process and controllers on a clock that jumps from one timer to the next. */
export class TestSandbox {
  readonly transport: ClusterTransport;
  #controllers: Controllers | undefined;
  #isDead = false;

  readonly clock: VirtualClock;
  readonly api: SandboxApi;
  readonly kubelets: Kubelets;

  private constructor(clock: VirtualClock, api: SandboxApi, kubelets: Kubelets) {
    this.clock = clock;
    this.api = api;
    this.kubelets = kubelets;

    this.transport = createUserTransport(api, USER);
  }

  static async start(startMs = T0, kubelets: Kubelets = { nodes: NODES }): Promise<TestSandbox> {
    const clock = new VirtualClock(startMs);
    const api = await startSandboxApi({ clock, seed: 1 });
    const sandbox = new TestSandbox(clock, api, kubelets);
    sandbox.startControllers();
    await sandbox.idle();
    return sandbox;
  }

  /** `spare`: the number of writes before the controllers are cut off as if they had died. */
  startControllers(spare = Infinity): void {
    this.#isDead = false;
    const die = () => {
      this.#isDead = true;
    };
    this.#controllers = startControllers({
      transport: cutOff(this.transport, spare, die),
      clock: this.clock,
      log: silentLogger,
      ...this.kubelets,
      metrics: () => undefined,
      barrier: barrierOf(this.api, USER),
    });
  }

  async stopControllers(): Promise<void> {
    await this.#controllers?.stop();
  }

  /** The controllers die again and again, each time after so many writes, and then run to their end. */
  async outlastDeaths(spare: number): Promise<void> {
    for (let deaths = 0; deaths < DEATHS; deaths += 1) {
      await this.stopControllers();
      this.startControllers(spare);
      await this.untilIdle();
    }
    await this.stopControllers();
    this.startControllers();
    await this.untilIdle();
  }

  async idle(): Promise<void> {
    await this.#controllers?.idle();
  }

  /** Lets time pass from one timer of the controllers to the next; `onMoment` is called when they are idle. */
  async passUntil(end: number, onMoment?: () => Promise<void>): Promise<void> {
    for (;;) {
      await this.idle();
      await onMoment?.();
      const next = this.#controllers?.nextTimer() ?? Infinity;
      if (next > end && this.clock.now() >= end) return;
      await this.clock.advance(Math.max(0, Math.min(next, end) - this.clock.now()));
    }
  }

  /** Lets time pass, while timers are pending and the controllers run. */
  async untilIdle(within = IDLE_TIMEOUT_MS): Promise<void> {
    const end = this.clock.now() + within;
    for (;;) {
      await this.idle();
      const next = this.#controllers?.nextTimer() ?? Infinity;
      if (next > end || this.#isDead) return;
      await this.clock.advance(next - this.clock.now());
    }
  }

  async create(manifest: JsonObject & { apiVersion?: string; kind: string }): Promise<void> {
    const { apiVersion = 'apps/v1', ...object } = manifest;
    const path = `/apis/${apiVersion}/namespaces/default/${object.kind.toLowerCase()}s`;
    await this.transport.json({ method: 'POST', path, body: JSON.stringify({ apiVersion, ...object }) });
    await this.idle();
  }

  async createService(name: string, selector: JsonObject): Promise<void> {
    const body = { metadata: { name }, spec: { selector, ports: [{ port: 80 }] } };
    const path = '/api/v1/namespaces/default/services';
    await this.transport.json({ method: 'POST', path, body: JSON.stringify(body) });
    await this.idle();
  }

  /** Serves kinds of other projects. */
  async define(...definitions: readonly JsonObject[]): Promise<void> {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    for (const definition of definitions)
      await this.transport.json({ method: 'POST', path, body: JSON.stringify(definition) });
    await this.idle();
  }

  /** `path` below `/apis`, of an object or one of its subresources. */
  async merge(path: string, patch: JsonObject): Promise<void> {
    await this.#patch(path, 'application/merge-patch+json', patch);
  }

  /** Like `merge`, with the operations of a JSON patch. */
  async patch(path: string, operations: readonly JsonObject[]): Promise<void> {
    await this.#patch(path, 'application/json-patch+json', [...operations]);
  }

  async #patch(path: string, contentType: string, patch: Json): Promise<void> {
    const body = JSON.stringify(patch);
    await this.transport.json({ method: 'PATCH', path: `/apis${path}`, contentType, body });
    await this.idle();
  }

  async evict(pod: string): Promise<void> {
    await this.transport.json({ method: 'DELETE', path: `/api/v1/namespaces/default/pods/${pod}` });
    await this.idle();
  }

  async remove(path: string): Promise<void> {
    await this.transport.json({ method: 'DELETE', path: `/apis${path}` });
    await this.idle();
  }

  async setImage(collection: string, image: string): Promise<void> {
    const path = `/apis/apps/v1/namespaces/default/${collection}/web`;
    const patch = [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: image }];
    const contentType = 'application/json-patch+json';
    await this.transport.json({ method: 'PATCH', path, contentType, body: JSON.stringify(patch) });
    await this.idle();
  }

  async list(collection: string, base = '/apis/apps/v1'): Promise<KubeObject[]> {
    const path = `${base}/namespaces/default/${collection}`;
    const answer = (await this.transport.json({ method: 'GET', path })) as unknown as {
      items: KubeObject[];
    };
    return answer.items;
  }

  async close(): Promise<void> {
    await this.stopControllers();
    await this.transport.close();
    await this.api.stop();
  }
}

/** A transport of a client that dies: it rejects everything after so many writes. */
function cutOff(transport: Transport, spare: number, die: () => void): Transport {
  let left = spare;
  return {
    server: transport.server,
    stats: transport.stats,
    serverDateMs: transport.serverDateMs,
    text: (request) => transport.text(request),
    stream: (request) => transport.stream(request),
    close: () => transport.close(),
    json: (request) => {
      if (request.method !== 'GET') left -= 1;
      if (left >= 0) return transport.json(request);
      die();
      return Promise.reject(new Error('The controllers are dead.'));
    },
  };
}

export function template(image: string, env?: string): JsonObject {
  const container = {
    name: 'app',
    image,
    env: env === undefined ? undefined : [{ name: 'LEVEL', value: env }],
  };
  return { metadata: { labels: { app: 'web' } }, spec: { containers: [container] } };
}

/** Pods that are not being deleted, by name. */
export async function livePods(sandbox: TestSandbox): Promise<KubeObject[]> {
  const pods = await sandbox.list('pods', '/api/v1');
  return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

export function imageOf({ spec }: KubeObject): string {
  const [container] = (spec?.containers ?? []) as { image: string }[];
  return container?.image ?? '';
}
