import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONTROLLER_LABEL, CONTROLLER_VALUE } from '@/lib/oam/eligibility';
import type { ReconcileResult } from '@/lib/oam/reconcile-pass';
import { parseControlledRollout, type OamRolloutStatus } from '@/lib/oam/rollout';
import { AppError } from '@/lib/errors';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { numberAt } from '@/lib/kube/read';
import { loadCredentials } from '@/server/cluster/credentials';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import { createTransport, type Transport } from '@/server/cluster/transport';
import { manifest } from '@/server/controllers/oam-rollout/testing/manifest';
import { RolloutReconciler } from '@/server/controllers/oam-rollout/rollout-reconciler';
import { webhookRules, type WebhookRules } from '@/server/controllers/oam-rollout/webhook-rules';
import { silentLogger } from '@/server/shared/log';
import { type SandboxApi, startSandboxApi } from '@/sandbox/api/sandbox-api';
import { type Controllers, startControllers } from '@/sandbox/controllers/controllers';
import { barrierOf } from '@/sandbox/controllers/runtime/controller-manager';
import { T0 } from '@/sandbox/controllers/testing/objects';
import { cloneSetCrd } from '@/sandbox/crds/crds';

const USER = 'seeder';
const NODES = ['node-1', 'node-2', 'node-3'].map((name) => ({ name }));
const ROLLOUT = '/apis/standard.oam.dev/v1alpha1/namespaces/default/rollouts/web';
const MOVES_MAX = 400;

export function deployment(name: string, replicas: number, spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { replicas, ...workloadSpec(name, name), ...spec },
  };
}

export function workloadSpec(app: string, image: string): JsonObject {
  return {
    selector: { matchLabels: { app } },
    template: {
      metadata: { labels: { app } },
      spec: { containers: [{ name: 'app', image: `${image}:1` }] },
    },
  };
}

/** The rules of webhooks, except that servers of a test may be on this machine. */
export function onLoopback(hosts: readonly string[]): WebhookRules {
  return { ...webhookRules(hosts), isForbidden: () => false };
}

/** Simulated controllers, the real rollout controller one move at a time, and a clock that jumps. */
export class TestBench {
  readonly clock: VirtualClock;
  readonly api: SandboxApi;
  prometheusUrl: string | undefined;
  webhookHosts: readonly string[] = [];
  readonly #transport: Transport;
  readonly #directory: string;
  #controllers: Controllers;

  private constructor(clock: VirtualClock, api: SandboxApi, directory: string) {
    this.clock = clock;
    this.api = api;
    this.#directory = directory;
    const file = join(directory, 'kubeconfig');
    writeFileSync(file, api.kubeconfig(USER));
    const credentials = loadCredentials({ kind: 'kubeconfig', files: [file] });
    this.#transport = createTransport({ credentials, readOnly: false });
    this.#controllers = this.#startControllers();
  }

  static async start(): Promise<TestBench> {
    const clock = new VirtualClock();
    await clock.advance(T0 - clock.now());
    const api = await startSandboxApi({ clock, seed: 1 });
    const bench = new TestBench(clock, api, mkdtempSync(join(tmpdir(), 'shiplog-oam-')));
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    for (const definition of [...manifest('rollouts.yaml'), cloneSetCrd])
      await bench.send('POST', definitions, definition);
    return bench;
  }

  get transport(): Transport {
    return this.#transport;
  }

  async close(): Promise<void> {
    await this.#controllers.stop();
    await this.#transport.close();
    await this.api.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async deploy(...deployments: readonly JsonObject[]): Promise<void> {
    for (const object of deployments)
      await this.send('POST', '/apis/apps/v1/namespaces/default/deployments', object);
    await this.settle();
  }

  async roll(spec: JsonObject, metadata: JsonObject = {}): Promise<void> {
    const labels = { [CONTROLLER_LABEL]: CONTROLLER_VALUE };
    await this.send('POST', ROLLOUT.replace(/\/web$/, ''), {
      apiVersion: 'standard.oam.dev/v1alpha1',
      kind: 'Rollout',
      metadata: { name: 'web', labels, ...metadata },
      spec,
    });
  }

  async edit(spec: JsonObject): Promise<void> {
    await this.send('PATCH', ROLLOUT, { spec });
  }

  async delete(): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: ROLLOUT });
  }

  async rollout(): Promise<KubeObject | undefined> {
    return this.get(ROLLOUT);
  }

  async status(): Promise<OamRolloutStatus | undefined> {
    const rollout = await this.rollout();
    return rollout === undefined ? undefined : parseControlledRollout(rollout).status;
  }

  /** Desired replicas of a Deployment. */
  async size(name: string): Promise<number | undefined> {
    return numberAt(
      (await this.get(`/apis/apps/v1/namespaces/default/deployments/${name}`))?.spec,
      'replicas',
    );
  }

  /** One move of a controller that has just been started, and that dies after so many writes. */
  async move(writesMax = Infinity): Promise<ReconcileResult['requeue'] | 'died'> {
    const { transport, hasDied } = dyingTransport(this.#transport, writesMax);
    const reconciler = this.reconciler(transport);
    try {
      return await reconciler.move('default', 'web');
    } catch (error) {
      if (hasDied()) return 'died';
      if (error instanceof AppError && error.code === 'conflict') return 'now';
      throw error;
    } finally {
      await reconciler.close();
    }
  }

  reconciler(transport: Pick<Transport, 'json'> = this.#transport, mayAct = () => true): RolloutReconciler {
    const { prometheusUrl, clock } = this;
    const webhooks = onLoopback(this.webhookHosts);
    return new RolloutReconciler({ transport, mayAct, prometheusUrl, webhooks, clock, log: silentLogger });
  }

  /**
   * Makes moves, with those of the other controllers in between, until the condition holds. Throws when it
   * never does.
   */
  async until(
    condition: (status: OamRolloutStatus | undefined) => boolean,
    observe?: () => Promise<void>,
  ): Promise<void> {
    for (let moves = 0; moves < MOVES_MAX; moves += 1) {
      await observe?.();
      if (condition(await this.status())) return;
      const again = await this.move();
      await observe?.();
      await this.settle();
      if (again === 'later') await this.pass(5_000);
    }
    throw new Error(`It does not come to that from ${JSON.stringify((await this.rollout())?.status)}`);
  }

  /** Lets the simulated controllers settle, including waits. */
  async settle(): Promise<void> {
    for (;;) {
      await this.#controllers.idle();
      const next = this.#controllers.nextTimer() ?? Infinity;
      if (next > this.clock.now() + 3_600_000) return;
      await this.clock.advance(Math.max(0, next - this.clock.now()));
    }
  }

  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
  }

  async get(path: string): Promise<KubeObject | undefined> {
    try {
      return (await this.#transport.json({ method: 'GET', path })) as unknown as KubeObject;
    } catch (error) {
      if (error instanceof AppError && error.details.status === 404) return undefined;
      throw error;
    }
  }

  async list(path: string): Promise<KubeObject[]> {
    return ((await this.#transport.json({ method: 'GET', path })) as unknown as { items: KubeObject[] })
      .items;
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

  #startControllers(): Controllers {
    const barrier = barrierOf(this.api, USER);
    const { clock } = this;
    return startControllers({ transport: this.#transport, clock, log: silentLogger, nodes: NODES, barrier });
  }
}

/** A transport whose owner dies: after so many writes every request fails. */
function dyingTransport(
  transport: Transport,
  writesMax: number,
): { transport: Pick<Transport, 'json'>; hasDied: () => boolean } {
  let left = writesMax;
  let isDead = false;
  const json: Transport['json'] = (request) => {
    if (request.method !== 'GET') left -= 1;
    if (left >= 0) return transport.json(request);
    isDead = true;
    return Promise.reject(new Error('The controller is dead.'));
  };
  return { hasDied: () => isDead, transport: { json } };
}
