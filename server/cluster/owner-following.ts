import 'server-only';
import { AppError } from '@/lib/errors';
import { type KubeObject } from '@/lib/kube/object';
import { ownerKind } from '@/lib/producers/owner-kind';
import { resourcePath, type ResourceType } from '@/lib/workloads/resource';
import { type Workload } from '@/lib/workloads/workload';
import { type ResourceState } from '@/server/cluster/cache';
import { type Clock } from '@/server/cluster/clock';
import { type IndexedCache } from '@/server/cluster/cluster-cache';
import { type IngestContext } from '@/server/cluster/ingest';
import { ingestOwner } from '@/server/cluster/owner-ingest';
import { type OwnerSight } from '@/server/cluster/owner-index';
import {
  OWNER_RESOURCES_MAX,
  OwnerResources,
  type OwnerStanding,
  type OwnerType,
} from '@/server/cluster/owner-resources';
import { type Reader } from '@/server/cluster/shared-resource';
import { type Transport } from '@/server/cluster/transport';
import { type Logger } from '@/server/log';

/** How many owners are asked for by name in a round; those that are gone are asked for once. */
const MISSING_ASKED_MAX = 200;
/** How many kinds that are left out are named. */
const NAMED_MAX = 5;

export interface OwnerFollowingOptions {
  transport: Transport;
  cache: IndexedCache;
  ingest: IngestContext;
  /** Whether a resource is read already, as a kind of our own or for whatever reason: nobody else is to read it then. */
  isKnown: (resource: string) => boolean;
  /** Begins to read a resource; resolves once it is being read. */
  begin: (type: ResourceType, reader: Reader<Workload>, namespaced: boolean) => Promise<void>;
  end: (type: ResourceType) => Promise<void>;
  /** As regards one namespace, or everything; see `ClusterCache.states`. */
  states: (namespace: string | undefined) => readonly ResourceState[];
  /** Called after each round of looking. */
  onRound: () => void;
  /** How many kinds are followed at most. Default: as `OwnerResources` has it. */
  max?: number;
  clock: Clock;
  log: Logger;
}

/** Reads the objects that revisions name as their owners, of kinds that no table has, for as long as revisions name them. */
export class OwnerFollowing {
  readonly #options: OwnerFollowingOptions;
  readonly #resources: OwnerResources;
  readonly #ownerOf = new Map<string, OwnerType>();

  constructor(options: OwnerFollowingOptions) {
    const { transport, cache, clock, log, max } = options;
    this.#options = options;
    this.#resources = new OwnerResources({
      transport,
      wanted: () => cache.ownerTypes(),
      onChange: (owner, before, now) => this.#serve(owner, before, now),
      onRound: (signal) => this.#afterRound(signal),
      clock,
      log,
      ...(max !== undefined && { max }),
    });
  }

  /** Rounds of looking that have been completed. */
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

  /** Something else is known of the objects of a resource that it reads. */
  reconsider(resource: string): void {
    const owner = this.#ownerOf.get(resource);
    if (owner === undefined) return;
    this.#options.cache.reconsiderOwners(owner);
    this.wake();
  }

  sightOf(owner: OwnerType, namespace: string): OwnerSight {
    const standing = this.#resources.standingOf(owner);
    switch (standing.state) {
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
          .states(standing.namespaced ? namespace : undefined)
          .find(({ resource }) => resource === standing.type.id);
        if (state === undefined || !state.synced) return 'reading';
        return state.problem === null ? 'read' : 'unreadable';
      }
      default:
        return standing satisfies never;
    }
  }

  /** What is missing because there are more kinds of owners than are followed; none where all are. */
  leftOut(): ResourceState[] {
    const ids = this.#resources.leftOut.map(({ id }) => id).sort();
    const [first] = ids;
    if (first === undefined) return [];
    const named = ids.slice(0, NAMED_MAX).join(', ');
    const others = ids.length > NAMED_MAX ? ` and ${ids.length - NAMED_MAX} more` : '';
    const max = this.#options.max ?? OWNER_RESOURCES_MAX;
    const problem = `Shiplog follows ${max} kinds of owners of ControllerRevisions beside its own, and there are more: the objects of ${named}${others} are not read. Their revisions are shown without them.`;
    return [{ resource: first, synced: true, problem }];
  }

  /** A kind of owners is to be followed from now on, or no longer. */
  async #serve(owner: OwnerType, before: OwnerStanding, now: OwnerStanding): Promise<void> {
    const { cache, ingest, isKnown, begin, end } = this.#options;
    if (before.state === 'followed' && this.#ownerOf.delete(before.type.id)) {
      await end(before.type);
      cache.removeKind(before.type.id);
    }
    if (now.state === 'followed' && !isKnown(now.type.id)) {
      const kind = ownerKind(now.type);
      cache.addKind(kind);
      this.#ownerOf.set(now.type.id, owner);
      const reader: Reader<Workload> = {
        ingest: (object) => ingestOwner(kind, object, ingest),
        apply: (change) => cache.changeWorkload(change),
      };
      await begin(now.type, reader, now.namespaced);
    }
    cache.reconsiderOwners(owner);
  }

  /** An owner that was not among those of its kind may have come a moment later: the API server itself is asked. */
  async #afterRound(signal: AbortSignal): Promise<void> {
    const { cache, onRound } = this.#options;
    onRound();
    cache.lookForOwners();
    let asked = 0;
    for (const { uid, name, namespace, type } of [...cache.missingOwners()]) {
      if (signal.aborted || asked >= MISSING_ASKED_MAX) return;
      const standing = this.#resources.standingOf(type);
      if (standing.state !== 'followed') continue;
      asked += 1;
      const version = standing.type.versions[0] ?? 'v1';
      const place = standing.namespaced ? namespace : undefined;
      const found = await this.#uidAt(resourcePath(standing.type, version, place, name), signal);
      if (found !== undefined && found !== uid) cache.noteGone(uid);
    }
  }

  /** Null where nothing is there, undefined where that can't be told. */
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
