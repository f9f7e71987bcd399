import 'server-only';
import { AppError } from '@/lib/errors';
import type { KubeObject } from '@/lib/kube/object';
import { ownerKind } from '@/lib/producers/owner-kind';
import { resourcePath, type ResourceType } from '@/lib/kube/resource';
import type { Workload } from '@/lib/history/workload';
import type { ResourceState } from '@/server/cluster/cache';
import type { Clock } from '@/server/shared/clock';
import type { IndexedCache } from '@/server/cluster/indexed-cache';
import { type IngestContext, ingestWorkload } from '@/server/cluster/ingest';
import type { OwnerHistories } from '@/server/cluster/owner-histories';
import type { OwnerReadState } from '@/server/cluster/owner-index';
import {
  OWNER_TYPES_MAX,
  OwnerDiscovery,
  type OwnerDiscoveryState,
  type OwnerType,
} from '@/server/cluster/owner-discovery';
import type { ObjectReader } from '@/server/cluster/object-reader';
import type { Transport } from '@/server/cluster/transport';
import type { Logger } from '@/server/shared/log';
import type { JsonObject } from '@/lib/kube/json';
import type { WorkloadKind } from '@/lib/workloads/kind';

/** A longer member of a spec or status is of no use to a page. */
const MEMBER_CHARS_MAX = 2_000;

/** An object of any kind, whose spec and status may have any size: long members are left out. */
function ingestOwner(kind: WorkloadKind, object: KubeObject, context: IngestContext): Workload {
  const workload = ingestWorkload(kind, object, context);
  return Object.assign(workload, {
    spec: withoutLongMembers(workload.spec),
    status: withoutLongMembers(workload.status),
  });
}

function withoutLongMembers(members: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => (JSON.stringify(value)?.length ?? 0) <= MEMBER_CHARS_MAX),
  );
}

/** How many owners are requested by name in a round; deleted ones are requested once. */
const MISSING_LOOKUPS_MAX = 200;
/** How many of the kinds that are left out are named. */
const NAMED_MAX = 5;

interface OwnerWatcherOptions {
  transport: Transport;
  cache: IndexedCache;
  histories: OwnerHistories;
  ingest: IngestContext;
  /**
   * Whether a resource is read already, as a kind of the table or for another reason: no second reflector may
   * read it then.
   */
  isWatched: (resource: string) => boolean;
  /** Begins to read a resource; resolves once it is being read. */
  begin: (type: ResourceType, reader: ObjectReader<Workload>, namespaced: boolean) => Promise<void>;
  end: (type: ResourceType) => Promise<void>;
  /** For one namespace, or everything; see `ClusterCache.states`. */
  states: (namespace: string | undefined) => readonly ResourceState[];
  /** Called after each round of discovery. */
  onRound: () => void;
  /** How many kinds are followed at most. Default: as `OwnerDiscovery` has it. */
  max?: number;
  clock: Clock;
  log: Logger;
}

/**
 * Reads the objects that revisions name as their owners, of kinds that the table lacks, as long as revisions
 * name them.
 */
export class OwnerWatcher {
  readonly #options: OwnerWatcherOptions;
  readonly #resources: OwnerDiscovery;
  readonly #ownerOf = new Map<string, OwnerType>();

  constructor(options: OwnerWatcherOptions) {
    const { transport, histories, clock, log, max } = options;
    this.#options = options;
    this.#resources = new OwnerDiscovery({
      transport,
      ownerTypes: () => histories.types(),
      onChange: (owner, before, now) => this.#applyDiscovery(owner, before, now),
      onRound: (signal) => this.#afterRound(signal),
      clock,
      log,
      ...(max !== undefined && { max }),
    });
  }

  /** Rounds of discovery that have been completed. */
  get rounds(): number {
    return this.#resources.rounds;
  }

  /** Begins another round; returns how many there will have been by its end. */
  nextRound(): number {
    return this.#resources.nextRound();
  }

  wake(): void {
    this.#resources.wake();
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#resources.run(signal);
  }

  /** Whether it reads this resource. */
  reads(resource: string): boolean {
    return this.#ownerOf.has(resource);
  }

  /** The read state of a resource that it reads has changed. */
  reconsider(resource: string): void {
    const owner = this.#ownerOf.get(resource);
    if (owner === undefined) return;
    this.#options.histories.reconsider(owner);
    this.wake();
  }

  readStateOf(owner: OwnerType, namespace: string): OwnerReadState {
    const discovery = this.#resources.stateOf(owner);
    switch (discovery.state) {
      case 'asking':
        return 'reading';
      case 'unserved':
        return 'gone';
      case 'unfollowed':
        return 'unreadable';
      case 'full':
        return 'unfollowed';
      case 'followed': {
        const state = this.#options
          .states(discovery.namespaced ? namespace : undefined)
          .find(({ resource }) => resource === discovery.type.id);
        if (state === undefined || !state.synced) return 'reading';
        return state.problem === null ? 'read' : 'unreadable';
      }
      default:
        return discovery satisfies never;
    }
  }

  /** What is missing because there are more kinds of owners than are followed; none where all are. */
  skippedStates(): ResourceState[] {
    const ids = this.#resources.skipped.map(({ id }) => id).sort();
    const [first] = ids;
    if (first === undefined) return [];
    const named = ids.slice(0, NAMED_MAX).join(', ');
    const others = ids.length > NAMED_MAX ? ` and ${ids.length - NAMED_MAX} more` : '';
    const max = this.#options.max ?? OWNER_TYPES_MAX;
    const problem = `Shiplog watches at most ${max} other kinds that own ControllerRevisions. Objects of ${named}${others} are not read; their revisions are shown without them.`;
    return [{ resource: first, synced: true, problem }];
  }

  /** Starts or stops following a kind of owners. */
  async #applyDiscovery(
    owner: OwnerType,
    before: OwnerDiscoveryState,
    now: OwnerDiscoveryState,
  ): Promise<void> {
    const { cache, histories, ingest, isWatched, begin, end } = this.#options;
    if (before.state === 'followed' && this.#ownerOf.delete(before.type.id)) {
      await end(before.type);
      histories.removeKind(before.type.id);
    }
    if (now.state === 'followed' && !isWatched(now.type.id)) {
      const kind = ownerKind(now.type);
      histories.addKind(kind);
      this.#ownerOf.set(now.type.id, owner);
      const reader: ObjectReader<Workload> = {
        ingest: (object) => ingestOwner(kind, object, ingest),
        apply: (change) => cache.changeWorkload(change),
      };
      await begin(now.type, reader, now.namespaced);
    }
    histories.reconsider(owner);
  }

  /** A missing owner may have been created a moment later: the API server itself decides. */
  async #afterRound(signal: AbortSignal): Promise<void> {
    const { histories, onRound } = this.#options;
    onRound();
    histories.retryPending();
    let lookups = 0;
    for (const { uid, name, namespace, type } of [...histories.missing()]) {
      if (signal.aborted || lookups >= MISSING_LOOKUPS_MAX) return;
      const discovery = this.#resources.stateOf(type);
      if (discovery.state !== 'followed') continue;
      lookups += 1;
      const version = discovery.type.versions[0] ?? 'v1';
      const namespaceInPath = discovery.namespaced ? namespace : undefined;
      const found = await this.#uidAt(resourcePath(discovery.type, version, namespaceInPath, name), signal);
      if (found !== undefined && found !== uid) histories.markDeleted(uid);
    }
  }

  /** Null where the object does not exist, undefined where that is unknown. */
  async #uidAt(path: string, signal: AbortSignal): Promise<string | null | undefined> {
    try {
      const { transport } = this.#options;
      const object = (await transport.json({ method: 'GET', path, signal })) as unknown as KubeObject;
      return object.metadata.uid;
    } catch (error) {
      return error instanceof AppError && error.code === 'not_found' ? null : undefined;
    }
  }
}
