import type { KubeObject } from '@/lib/kube/object';
import type { Transport } from '@/server/cluster/transport';
import { type Sync, WorkQueue, type Worklist } from '@/server/controllers/engine/work-queue';
import { type Clock, systemClock } from '@/server/shared/clock';
import type { Logger } from '@/server/shared/log';
import { groupVersion } from '@/sandbox/api/objects/resource-kind';
import type { SandboxApi } from '@/sandbox/api/sandbox-api';
import { CustomKind, CustomKinds } from '@/sandbox/controllers/runtime/custom-kind';
import { EventRecorder } from '@/sandbox/controllers/runtime/event-recorder';
import { Informer } from '@/sandbox/controllers/runtime/informer';
import { Resource } from '@/sandbox/controllers/runtime/resource';
import {
  CLAIMS,
  CONTROLLER_REVISIONS,
  CUSTOM_RESOURCE_DEFINITIONS,
  DAEMON_SETS,
  DEPLOYMENTS,
  NODES,
  PODS,
  REPLICA_SETS,
  type ObjectType,
  STATEFUL_SETS,
} from '@/sandbox/controllers/runtime/resource-type';
import type { KubeNode } from '@/sandbox/controllers/objects/node';
import type { Pod } from '@/sandbox/controllers/objects/pod';
import type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
  StatefulSet,
} from '@/sandbox/controllers/objects/workloads';

/** An API server that reports its changes before the watches do. */
export interface Barrier {
  /** Version of the latest change of a collection; `0` without one. */
  latestChange(type: ObjectType): string;
  /** Makes every watch receive the API server's current version, in case it dropped a change. */
  remind(): void;
}

export interface ControllerManagerOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly eventsFrom: number;
  readonly barrier: Barrier | undefined;
}

/** With a separate API server, each of these waits for a disk; more would not be faster. */
const WORKERS = 8;
/** Delay before asking for the API server's version again; it doubles while there is no answer. */
const RETRY_MS = 2;
const RETRY_MS_MAX = 256;

/** What all controllers share: informers, queue, clock and events. */
export class ControllerManager {
  readonly deployments: Resource<Deployment>;
  readonly replicaSets: Resource<ReplicaSet>;
  readonly statefulSets: Resource<StatefulSet>;
  readonly daemonSets: Resource<DaemonSet>;
  readonly revisions: Resource<ControllerRevision>;
  readonly pods: Resource<Pod>;
  readonly nodes: Resource<KubeNode>;
  readonly claims: Resource<KubeObject>;
  readonly events: EventRecorder;
  readonly log: Logger;
  readonly #options: ControllerManagerOptions;
  readonly #queue: WorkQueue;
  readonly #stores: Informer<KubeObject>[] = [];
  #customKinds: CustomKinds | undefined;
  readonly #stop = new AbortController();

  constructor(options: ControllerManagerOptions) {
    const { transport, clock, log, eventsFrom, barrier } = options;
    this.#options = options;
    this.log = log;
    this.deployments = this.#resource(DEPLOYMENTS);
    this.replicaSets = this.#resource(REPLICA_SETS);
    this.statefulSets = this.#resource(STATEFUL_SETS);
    this.daemonSets = this.#resource(DAEMON_SETS);
    this.revisions = this.#resource(CONTROLLER_REVISIONS);
    this.pods = this.#resource(PODS);
    this.nodes = this.#resource(NODES);
    this.claims = this.#resource(CLAIMS);
    this.events = new EventRecorder({ transport, clock, log, from: eventsFrom });
    this.#queue = new WorkQueue({
      clock,
      log,
      workers: barrier === undefined ? WORKERS : 1,
      beforeEach: barrier === undefined ? undefined : () => this.#settle(),
      afterEach: () => this.events.flush(),
    });
  }

  /** For objects of kinds that no controller watches. */
  get transport(): Transport {
    return this.#options.transport;
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.#options.clock.now();
  }

  get nextTimer(): number | undefined {
    return this.#queue.nextTimer;
  }

  register(sync: Sync): Worklist {
    return this.#queue.register(sync);
  }

  /**
   * The kind that is named `{plural}.{group}`: one of Kubernetes, or one of another project that is defined now or later.
   * To be called before the start; without a call for the latter no definition is read.
   */
  follow<T extends KubeObject>(name: string): CustomKind<T> {
    const builtIn = [this.statefulSets, this.daemonSets].find(
      ({ type }) => `${type.plural}.${type.apiVersion.replace(/\/.*/, '')}` === name,
    );
    if (builtIn !== undefined) {
      const kind = new CustomKind<T>();
      kind.open(builtIn as unknown as Resource<T>);
      return kind;
    }
    this.#customKinds ??= new CustomKinds({
      definitions: this.#resource(CUSTOM_RESOURCE_DEFINITIONS),
      register: (sync) => this.register(sync),
      open: (type) => this.#open(type),
      close: (resource) => this.#close(resource),
    });
    return this.#customKinds.follow(name);
  }

  /** Calls `act` for each: one after the other in lockstep, else at once. */
  async each<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> {
    if (this.#options.barrier === undefined) await Promise.all(items.map(act));
    else for (const item of items) await act(item);
  }

  async start(): Promise<void> {
    for (const store of this.#stores) store.start();
    await Promise.all(this.#stores.map((store) => store.synced));
    if (!this.#stop.signal.aborted) this.#queue.start();
  }

  async idle(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#queue.drained();
      await this.#settle();
      if (this.#queue.isEmpty && (this.nextTimer ?? Infinity) > this.now()) return;
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all([this.#queue.stop(), ...this.#stores.map((store) => store.stop())]);
  }

  #resource<T extends KubeObject>(type: ObjectType): Resource<T> {
    const { transport, random, log } = this.#options;
    const store = new Informer<T>({ type, transport, random, log });
    this.#stores.push(store as unknown as Informer<KubeObject>);
    return new Resource(type, transport, store);
  }

  #open(type: ObjectType): Resource<KubeObject> {
    const resource = this.#resource<KubeObject>(type);
    resource.store.start();
    return resource;
  }

  async #close({ store }: Resource<KubeObject>): Promise<void> {
    this.#stores.splice(this.#stores.indexOf(store), 1);
    await store.stop();
  }

  /** Resolves when the stores have all that was written, and with a barrier all that the API server has. */
  async #settle(): Promise<void> {
    const { signal } = this.#stop;
    for (let waitMs = RETRY_MS; !signal.aborted; waitMs = Math.min(waitMs * 2, RETRY_MS_MAX)) {
      if (await this.#haveCaughtUp()) return;
      // A watch does not repeat changes that it dropped, or that precede it.
      this.#options.barrier?.remind();
      await systemClock.sleep(waitMs, signal).catch(() => undefined);
    }
  }

  async #haveCaughtUp(): Promise<boolean> {
    for (const store of this.#stores) {
      const version = this.#options.barrier?.latestChange(store.type);
      if (!(await store.hasCaughtUp(version, this.#stop.signal))) return false;
    }
    return true;
  }
}

/**
 * The changes of an API server in the same process, and a way to send each watch of a user its current
 * version.
 */
export function barrierOf(api: Pick<SandboxApi, 'store' | 'watches'>, user: string): Barrier {
  return {
    latestChange: ({ apiVersion, plural }) => {
      const [group] = apiVersion.includes('/') ? apiVersion.split('/') : [];
      return String(api.store.latestChange(group === undefined ? plural : `${plural}.${group}`));
    },
    remind: () => {
      const resourceVersion = String(api.store.version);
      for (const watch of api.watches.openWatches) {
        if (watch.user !== user) continue;
        const object = {
          apiVersion: groupVersion(watch.kind.group, watch.kind.versions[0] ?? ''),
          kind: watch.kind.kind,
          metadata: { resourceVersion },
        };
        watch.write({ type: 'BOOKMARK', object });
      }
    },
  };
}
