import { type KubeObject } from '@/lib/kube/object';
import { type Clock, systemClock } from '@/server/cluster/clock';
import { type Transport } from '@/server/cluster/transport';
import { type Logger } from '@/server/log';
import { type CustomKind } from '@/server/sandbox/controllers/engine/custom-kind';
import { CustomKinds } from '@/server/sandbox/controllers/engine/custom-kinds';
import { EventRecorder } from '@/server/sandbox/controllers/engine/event-recorder';
import { ObjectStore } from '@/server/sandbox/controllers/engine/object-store';
import { Resource } from '@/server/sandbox/controllers/engine/resource';
import {
  CLAIMS,
  CONTROLLER_REVISIONS,
  CUSTOM_RESOURCE_DEFINITIONS,
  DAEMON_SETS,
  DEPLOYMENTS,
  NODES,
  PODS,
  REPLICA_SETS,
  type ResourceType,
  STATEFUL_SETS,
} from '@/server/sandbox/controllers/engine/resource-type';
import { type Sync, WorkQueue, type Worklist } from '@/server/controllers/engine/work-queue';
import { type KubeNode } from '@/server/sandbox/controllers/objects/node';
import { type Pod } from '@/server/sandbox/controllers/objects/pod';
import {
  type ControllerRevision,
  type DaemonSet,
  type Deployment,
  type ReplicaSet,
  type StatefulSet,
} from '@/server/sandbox/controllers/objects/workloads';

/** An API server whose changes are known before the watches have told them. */
export interface Barrier {
  /** Version of the latest change of a collection; `0` without one. */
  latestChange(type: ResourceType): string;
  /** Has every watch told how far the API server is, in case it has not told a change. */
  remind(): void;
}

export interface WorldOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly eventsFrom: number;
  readonly barrier: Barrier | undefined;
}

/** With an API server of its own, each of these waits for a disk; more would not be quicker. */
const WORKERS = 8;
/** How soon to ask again how far the API server is, while it says nothing twice as late each time. */
const ASK_AGAIN_MS = 2;
const ASK_AGAIN_MAX_MS = 256;
/** Pods are created in growing batches up to this size, as long as nothing fails. */
const BATCH_MAX = 500;

/** What all controllers share: the cluster as they see it, their work, their clock, their events. */
export class World {
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
  readonly #options: WorldOptions;
  readonly #queue: WorkQueue;
  readonly #stores: ObjectStore<KubeObject>[] = [];
  #customKinds: CustomKinds | undefined;
  readonly #stop = new AbortController();

  constructor(options: WorldOptions) {
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

  get resources(): readonly Resource<KubeObject>[] {
    return [
      this.deployments,
      this.replicaSets,
      this.statefulSets,
      this.daemonSets,
      this.revisions,
      this.pods,
      this.nodes,
      this.claims,
    ] as readonly Resource<KubeObject>[];
  }

  /** For objects that nobody follows. */
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
   * The kind of another project that is defined as `{plural}.{group}`, now or later. To be called before the start;
   * as long as nobody does, no definition is looked at.
   */
  follow<T extends KubeObject>(name: string): CustomKind<T> {
    this.#customKinds ??= new CustomKinds({
      definitions: this.#resource(CUSTOM_RESOURCE_DEFINITIONS),
      register: (sync) => this.register(sync),
      open: (type) => this.#open(type),
      close: (resource) => this.#close(resource),
    });
    return this.#customKinds.follow(name);
  }

  /**
   * Calls `act` so many times, in batches that double in size, and stops after a batch in which one failed: what is
   * bound to fail, as against a quota, then fails few times. Throws the first failure.
   */
  async slowStart<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> {
    const inTurn = this.#options.barrier !== undefined;
    for (let done = 0, size = 1; done < items.length; done += size, size = Math.min(size * 2, BATCH_MAX)) {
      const batch = items.slice(done, done + size);
      if (inTurn) for (const item of batch) await act(item);
      else throwFirst(await Promise.allSettled(batch.map(act)));
    }
  }

  /** Calls `act` for each; throws the first failure after all have been tried. */
  async each<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> {
    if (this.#options.barrier === undefined) return throwFirst(await Promise.allSettled(items.map(act)));
    for (const item of items) await act(item);
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

  #resource<T extends KubeObject>(type: ResourceType): Resource<T> {
    const { transport, random, log } = this.#options;
    const store = new ObjectStore<T>({ type, transport, random, log });
    this.#stores.push(store as unknown as ObjectStore<KubeObject>);
    return new Resource(type, transport, store);
  }

  #open(type: ResourceType): Resource<KubeObject> {
    const resource = this.#resource<KubeObject>(type);
    resource.store.start();
    return resource;
  }

  async #close({ store }: Resource<KubeObject>): Promise<void> {
    this.#stores.splice(this.#stores.indexOf(store), 1);
    await store.stop();
  }

  /** Returns when the stores hold what the API server holds; asks it as often as need be. */
  async #settle(): Promise<void> {
    const { signal } = this.#stop;
    const { barrier } = this.#options;
    for (let waitMs = ASK_AGAIN_MS; !signal.aborted; waitMs = Math.min(waitMs * 2, ASK_AGAIN_MAX_MS)) {
      try {
        if ((await this.#haveCaughtUp()) && (barrier !== undefined || (await this.#isCurrent()))) return;
        // What a watch has lost, or told before it was opened, it does not tell again.
        barrier?.remind();
      } catch (error) {
        if (!signal.aborted) this.log.debug('The API server could not be asked how far it is.', { error });
      }
      await systemClock.sleep(waitMs, signal).catch(() => undefined);
    }
  }

  async #haveCaughtUp(): Promise<boolean> {
    for (const store of this.#stores) {
      const version = this.#options.barrier?.latestChange(store.type);
      if (!(await store.caughtUp(version, this.#stop.signal))) return false;
    }
    return true;
  }

  async #isCurrent(): Promise<boolean> {
    for (const store of this.#stores) if (!(await store.isCurrent(this.#stop.signal))) return false;
    return true;
  }
}

function throwFirst(results: readonly PromiseSettledResult<unknown>[]): void {
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
