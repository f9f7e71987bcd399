import 'server-only';
import { AppError } from '@/lib/errors';
import type { ResourceType } from '@/lib/kube/resource';
import type { Clock } from '@/server/shared/clock';
import { type ApiResource, findKind } from '@/server/cluster/discovery';
import { DISCOVERY_INTERVAL_MS } from '@/server/cluster/served-resources';
import type { Transport } from '@/server/cluster/transport';
import type { Logger } from '@/server/shared/log';

/** A kind of object that revisions name as their controller. */
export interface OwnerType {
  group: string;
  kind: string;
  /** Versions in which revisions name it. */
  versions: readonly string[];
}

/** What discovery knows of a kind of owners. `asking`: it has not been looked up yet. */
export type OwnerDiscoveryState =
  | { readonly state: 'asking' }
  | { readonly state: 'followed'; readonly type: ResourceType; readonly namespaced: boolean }
  | { readonly state: 'unserved' }
  | { readonly state: 'unfollowed' }
  /** There are more kinds of owners than are followed. */
  | { readonly state: 'full'; readonly type: ResourceType };

interface OwnerDiscoveryOptions {
  transport: Pick<Transport, 'json' | 'server'>;
  /** The kinds of owners that revisions name now. */
  ownerTypes: () => readonly OwnerType[];
  /** Awaited for every change, before the next request. */
  onChange: (owner: OwnerType, before: OwnerDiscoveryState, now: OwnerDiscoveryState) => void | Promise<void>;
  /** Called at the end of each round, for checks of the same frequency. */
  onRound?: (signal: AbortSignal) => Promise<void>;
  /** How many are followed at most. Default: {@link OWNER_TYPES_MAX}. */
  max?: number;
  clock: Clock;
  log: Logger;
}

/** Each one followed is a connection's worth of watching, and all of its objects in memory. */
export const OWNER_TYPES_MAX = 50;

/** Any author of revisions can name owners of any kind. */
const LOOKUPS_MAX = 200;

/** One key for each kind of owners, whatever version a revision names. */
export function ownerKey({ group, kind }: Pick<OwnerType, 'group' | 'kind'>): string {
  return `${group}/${kind}`;
}

/**
 * Finds the resources whose objects own revisions, by the kind that the revisions name. It repeats the
 * lookup: a definition may be added, deleted or change its version at any time, and so may the last revision
 * of a kind.
 */
export class OwnerDiscovery {
  readonly #options: OwnerDiscoveryOptions;
  readonly #known = new Map<string, { owner: OwnerType; standing: OwnerDiscoveryState }>();
  #wake: AbortController | undefined;
  #isWoken = false;
  #isRunning = false;
  #rounds = 0;

  constructor(options: OwnerDiscoveryOptions) {
    this.#options = options;
  }

  stateOf(owner: Pick<OwnerType, 'group' | 'kind'>): OwnerDiscoveryState {
    return this.#known.get(ownerKey(owner))?.standing ?? notLookedUp;
  }

  /** Rounds that have been completed. */
  get rounds(): number {
    return this.#rounds;
  }

  /** Begins another round; returns how many there will have been by its end. */
  nextRound(): number {
    const begun = this.#rounds + (this.#isRunning ? 1 : 0);
    this.wake();
    return begun + 1;
  }

  /** Begins the next round at once, or another one after the current one. */
  wake(): void {
    this.#isWoken = true;
    this.#wake?.abort();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#isWoken = false;
      this.#isRunning = true;
      await this.#round(signal);
      this.#isRunning = false;
      this.#rounds += 1;
      await this.#options.onRound?.(signal);
      if (this.#isWoken || signal.aborted) continue;
      this.#wake = new AbortController();
      await this.#options.clock
        .sleep(DISCOVERY_INTERVAL_MS, AbortSignal.any([signal, this.#wake.signal]))
        .catch(() => undefined);
      this.#wake = undefined;
    }
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { ownerTypes, transport } = this.#options;
    const currentTypes = new Map(ownerTypes().map((owner) => [ownerKey(owner), owner]));
    for (const [key, { owner }] of [...this.#known])
      if (!currentTypes.has(key)) await this.#set(owner, undefined);
    // Those that are followed already come first: a new kind should not change what pages show.
    const isFollowed = (key: string) => this.#known.get(key)?.standing.state === 'followed';
    const inOrder = [...currentTypes]
      .sort(([a], [b]) => Number(isFollowed(b)) - Number(isFollowed(a)) || (a < b ? -1 : 1))
      .slice(0, LOOKUPS_MAX);
    const lists = new Map<string, Promise<ApiResource[] | undefined>>();
    for (const [key, owner] of inOrder) {
      if (signal.aborted) return;
      // No object of the core group has a history, and some of them hold secrets that Shiplog must not read.
      if (owner.group === '') await this.#set(owner, { state: 'unfollowed' });
      else await this.#applyLookup(owner, isFollowed(key), await this.#lookUp(transport, owner, lists));
    }
  }

  /** Undefined where it is unknown now: the previous state still holds. */
  async #lookUp(
    transport: OwnerDiscoveryOptions['transport'],
    owner: OwnerType,
    lists: Map<string, Promise<ApiResource[] | undefined>>,
  ): Promise<Awaited<ReturnType<typeof findKind>> | undefined> {
    const before = this.stateOf(owner);
    const versions =
      before.state === 'followed' ? [...before.type.versions, ...owner.versions] : owner.versions;
    try {
      return await findKind(transport, { ...owner, versions }, lists);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.#options.log.debug(`the resource of ${owner.kind} in ${owner.group} is unknown`, {
        reason: error.message,
      });
      return undefined;
    }
  }

  async #applyLookup(
    owner: OwnerType,
    wasFollowed: boolean,
    found: Awaited<ReturnType<typeof findKind>> | undefined,
  ): Promise<void> {
    if (found === undefined) return;
    if (found === null) {
      await this.#set(owner, { state: 'unserved' });
      return;
    }
    const { type, namespaced, verbs } = found;
    const isFull = !wasFollowed && this.#followedCount >= (this.#options.max ?? OWNER_TYPES_MAX);
    if (!verbs.includes('list') || !verbs.includes('watch')) await this.#set(owner, { state: 'unfollowed' });
    else if (isFull) await this.#set(owner, { state: 'full', type });
    else await this.#set(owner, { state: 'followed', type, namespaced });
  }

  /** Kinds that would be followed if there were not so many. */
  get skipped(): ResourceType[] {
    return [...this.#known.values()].flatMap(({ standing }) =>
      standing.state === 'full' ? [standing.type] : [],
    );
  }

  get #followedCount(): number {
    return [...this.#known.values()].filter(({ standing }) => standing.state === 'followed').length;
  }

  async #set(owner: OwnerType, now: OwnerDiscoveryState | undefined): Promise<void> {
    const key = ownerKey(owner);
    const before = this.stateOf(owner);
    if (now === undefined) this.#known.delete(key);
    else this.#known.set(key, { owner, standing: now });
    if (now !== undefined && isSameState(before, now)) return;
    await this.#options.onChange(owner, before, now ?? notLookedUp);
  }
}

const notLookedUp: OwnerDiscoveryState = { state: 'asking' };

function isSameState(before: OwnerDiscoveryState, now: OwnerDiscoveryState): boolean {
  if (before.state !== 'followed' || now.state !== 'followed') return before.state === now.state;
  return before.type.id === now.type.id && before.type.versions[0] === now.type.versions[0];
}
