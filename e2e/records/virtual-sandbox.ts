import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import { loadCredentials } from '@/server/cluster/credentials';
import type { IndexedCache } from '@/server/cluster/indexed-cache';
import { makeFolder } from '@/server/cluster/testing/kubeconfig-file';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import { createTransport, type Transport } from '@/server/cluster/transport';
import { silentLogger } from '@/server/shared/log';
import { type SandboxApi, startSandboxApi } from '@/sandbox/api/sandbox-api';
import { type Controllers, startControllers } from '@/sandbox/controllers/controllers';
import { barrierOf } from '@/sandbox/controllers/runtime/controller-manager';

/** An observer of the sandbox while time passes. */
export interface SandboxObserver {
  /** Null while it is stopped. */
  readonly cache: IndexedCache | null;
  /** Resolves when it has processed everything of the current moment. */
  settled(): Promise<void>;
}

export const MONTH_START = Date.parse('2026-03-01T00:00:00Z');
export const HOUR = 3_600_000;
export const NAMESPACE = 'default';

const NODES = ['worker-1', 'worker-2', 'worker-3', 'worker-4'].map((name) => ({ name }));
/** Without timers of the cluster the clock still does not jump further than this. */
const CLOCK_STEP_MAX = 6 * HOUR;
const ADMIN = 'seeder';
const TIMEOUT_MS = 100_000;

/** A sandbox with its controllers, on a virtual clock that jumps from one event to the next. */
export class VirtualSandbox {
  readonly clock = new VirtualClock();
  readonly observers: SandboxObserver[] = [];
  /** Notified after all events of one moment. */
  onMoment: () => void | Promise<void> = () => undefined;
  readonly #closing: (() => Promise<void> | void)[] = [];
  #api!: SandboxApi;
  #transport!: Transport;
  #controllers!: Controllers;
  #version = 0;
  #kubeconfig = '';

  static async open(): Promise<VirtualSandbox> {
    const sandbox = new VirtualSandbox();
    const { clock } = sandbox;
    await clock.advance(MONTH_START - clock.now());
    sandbox.#api = await startSandboxApi({ clock, seed: 1 });
    sandbox.#closing.push(() => sandbox.#api.stop());
    const folder = makeFolder();
    sandbox.#closing.push(() => folder.remove());
    sandbox.#kubeconfig = join(folder.path, 'kubeconfig');
    writeFileSync(sandbox.#kubeconfig, sandbox.#api.kubeconfig(ADMIN));
    sandbox.#transport = createTransport({ credentials: sandbox.credentials(), readOnly: false });
    sandbox.#closing.push(() => sandbox.#transport.close());
    sandbox.#controllers = startControllers({
      transport: sandbox.#transport,
      clock,
      log: silentLogger,
      nodes: NODES,
      barrier: barrierOf(sandbox.#api, ADMIN),
    });
    sandbox.#closing.push(() => sandbox.#controllers.stop());
    return sandbox;
  }

  credentials() {
    return loadCredentials({ kind: 'kubeconfig', files: [this.#kubeconfig] });
  }

  async close(): Promise<void> {
    for (const close of this.#closing.splice(0).reverse()) await close();
  }

  /** Advances the time to that many milliseconds after the beginning of the month. */
  async advanceTo(ms: number): Promise<void> {
    const end = MONTH_START + ms;
    for (;;) {
      await this.#controllers.idle();
      await this.#untilObserved();
      const now = this.clock.now();
      const next = Math.min(this.#controllers.nextTimer() ?? Infinity, now + CLOCK_STEP_MAX);
      if (next > end || now >= end) break;
      await this.clock.advance(next - now);
    }
    await this.clock.advance(end - this.clock.now());
    await this.#untilObserved();
  }

  /** Objects of a collection like `deployments`. */
  list(plural: string): KubeObject[] {
    const group = plural === 'pods' ? plural : `${plural}.apps`;
    return this.#api.store.list(group) as unknown as KubeObject[];
  }

  async create(plural: string, by: string, object: JsonObject): Promise<void> {
    await this.#transport.json({
      method: 'POST',
      path: `/apis/apps/v1/namespaces/${NAMESPACE}/${plural}`,
      query: { fieldManager: by },
      body: JSON.stringify(object),
    });
  }

  async remove(plural: string, name: string): Promise<void> {
    const group = plural === 'pods' ? '/api/v1' : '/apis/apps/v1';
    await this.#transport.json({
      method: 'DELETE',
      path: `${group}/namespaces/${NAMESPACE}/${plural}/${name}`,
      body: '{}',
    });
  }

  /** A JSON merge patch. */
  async patch(plural: string, name: string, by: string, patch: JsonObject): Promise<void> {
    await this.#transport.json({
      method: 'PATCH',
      path: `/apis/apps/v1/namespaces/${NAMESPACE}/${plural}/${name}`,
      query: { fieldManager: by },
      contentType: 'application/merge-patch+json',
      body: JSON.stringify(patch),
    });
  }

  /** Until every cache is up to date with the API server, and the observers have processed it. */
  async #untilObserved(): Promise<void> {
    if (this.#api.store.version !== this.#version) {
      this.#version = this.#api.store.version;
      await this.onMoment();
    }
    for (const { cache } of this.observers) if (cache !== null) await this.#untilCached(cache);
    for (const observer of this.observers) await observer.settled();
  }

  async #untilCached(cache: IndexedCache): Promise<void> {
    const workloads = workloadKinds.flatMap(({ resource }) =>
      resource.isCustom === true ? [] : this.list(resource.plural),
    );
    const workloadVersions = workloads.map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`);
    const owned = (object: KubeObject, owners: readonly KubeObject[]) =>
      object.metadata.ownerReferences?.some(({ uid }) => owners.some(({ metadata }) => metadata.uid === uid));
    // What has lost its owner is being deleted.
    const sources = [...this.list('replicasets'), ...this.list('controllerrevisions')].filter((source) =>
      owned(source, workloads),
    );
    const numbers = sources.map((source) => `${source.metadata.uid} ${numberOf(source)}`);
    const pods = this.list('pods')
      .filter((pod) => owned(pod, [...workloads, ...sources]))
      .map((pod) => `${pod.metadata.uid} ${isReady(pod)} ${pod.metadata.deletionTimestamp ?? null}`);
    const expected = JSON.stringify([workloadVersions.sort(), numbers.sort(), pods.sort()]);
    let last = '';
    await until(
      () => {
        const cached = [...cache.workloads()];
        const observed = [
          cached.map(({ uid, resourceVersion }) => `${uid} ${resourceVersion}`),
          cached.flatMap((workload) =>
            cache
              .sourcesOf(workload)
              .map(({ uid, number }) => `${uid} ${number.kind === 'number' ? number.value : null}`),
          ),
          cached.flatMap((workload) =>
            cache.podsOf(workload).map(({ uid, ready, deletedAt }) => `${uid} ${ready} ${deletedAt}`),
          ),
        ];
        last = JSON.stringify(observed.map((entries) => entries.sort()));
        return last === expected;
      },
      () => `Seen: ${last}\nThere: ${expected}`,
    );
  }
}

function numberOf(source: KubeObject): number | null {
  const { revision } = source as { revision?: number };
  const text = source.metadata.annotations?.['deployment.kubernetes.io/revision'];
  return revision ?? (text === undefined ? null : Number(text));
}

export function isReady({ status }: KubeObject): boolean {
  const { conditions = [] } = (status ?? {}) as { conditions?: { type: string; status: string }[] };
  return conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True');
}

export async function until(condition: () => boolean, what: () => string = () => ''): Promise<void> {
  const end = performance.now() + TIMEOUT_MS;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`It did not come to be in time. ${what()}`);
    await setTimeout(1);
  }
}
