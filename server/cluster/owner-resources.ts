import 'server-only';
import { AppError } from '@/lib/errors';
import { type ResourceType } from '@/lib/workloads/resource';
import { type Clock } from '@/server/cluster/clock';
import { type FoundKind, findKind } from '@/server/cluster/discovery';
import { ASK_MS } from '@/server/cluster/served-resources';
import { type Transport } from '@/server/cluster/transport';
import { type Logger } from '@/server/log';

/** A kind of object that revisions name as their controller. */
export interface OwnerType {
  group: string;
  kind: string;
  /** Versions in which revisions name it. */
  versions: readonly string[];
}

/** What becomes of a kind of owners. `asking`: it has not been looked up yet. */
export type OwnerStanding =
  | { readonly state: 'asking' }
  | { readonly state: 'followed'; readonly type: ResourceType; readonly namespaced: boolean }
  | { readonly state: 'unserved' }
  | { readonly state: 'unfollowed' }
  /** There are more kinds of owners than are followed. */
  | { readonly state: 'full'; readonly type: ResourceType };

export interface OwnerResourcesOptions {
  transport: Pick<Transport, 'json' | 'server'>;
  /** The kinds of owners that there are revisions of now. */
  wanted: () => readonly OwnerType[];
  /** Told of every change, before the next question is asked. */
  onChange: (owner: OwnerType, before: OwnerStanding, now: OwnerStanding) => void | Promise<void>;
  /** Called at the end of each round, for what is to be looked at as often. */
  onRound?: (signal: AbortSignal) => Promise<void>;
  /** How many are followed at most. Default: {@link OWNER_RESOURCES_MAX}. */
  max?: number;
  clock: Clock;
  log: Logger;
}

/** Each one followed is a connection's worth of watching, and all of its objects in memory. */
export const OWNER_RESOURCES_MAX = 50;

/** Whoever may write revisions may name owners of any kind. */
const ASKED_MAX = 200;

/** One key for each kind of owners, whatever version it is named in. */
export function ownerKey({ group, kind }: Pick<OwnerType, 'group' | 'kind'>): string {
  return `${group}/${kind}`;
}

/**
 * Finds the resources whose objects own revisions, by the kind that the revisions name. Asked again and again: a
 * definition may come, go or change its version at any time, and so may the last revision of a kind.
 */
export class OwnerResources {
  readonly #options: OwnerResourcesOptions;
  readonly #known = new Map<string, { owner: OwnerType; standing: OwnerStanding }>();
  #wake: AbortController | undefined;
  #isWoken = false;
  #isAsking = false;
  #rounds = 0;

  constructor(options: OwnerResourcesOptions) {
    this.#options = options;
  }

  standingOf(owner: Pick<OwnerType, 'group' | 'kind'>): OwnerStanding {
    return this.#known.get(ownerKey(owner))?.standing ?? asking;
  }

  /** Rounds that have been completed. */
  get rounds(): number {
    return this.#rounds;
  }

  /** Begins another round; returns how many there will have been by its end. */
  nextRound(): number {
    const begun = this.#rounds + (this.#isAsking ? 1 : 0);
    this.wake();
    return begun + 1;
  }

  /** Begins the next round at once, or another one after the present one. */
  wake(): void {
    this.#isWoken = true;
    this.#wake?.abort();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#isWoken = false;
      this.#isAsking = true;
      await this.#round(signal);
      this.#isAsking = false;
      this.#rounds += 1;
      await this.#options.onRound?.(signal);
      if (this.#isWoken || signal.aborted) continue;
      this.#wake = new AbortController();
      await this.#options.clock
        .sleep(ASK_MS, AbortSignal.any([signal, this.#wake.signal]))
        .catch(() => undefined);
      this.#wake = undefined;
    }
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { wanted, transport } = this.#options;
    const asked = new Map(wanted().map((owner) => [ownerKey(owner), owner]));
    for (const [key, { owner }] of [...this.#known]) if (!asked.has(key)) await this.#set(owner, undefined);
    // Those that are followed already come first: what is shown should not change by what comes up beside it.
    const isFollowed = (key: string) => this.#known.get(key)?.standing.state === 'followed';
    const inOrder = [...asked]
      .sort(([a], [b]) => Number(isFollowed(b)) - Number(isFollowed(a)) || (a < b ? -1 : 1))
      .slice(0, ASKED_MAX);
    const lists = new Map<string, Promise<FoundKind[] | undefined>>();
    for (const [key, owner] of inOrder) {
      if (signal.aborted) return;
      // No object of the core group keeps a history, and some of them hold what must not be read.
      if (owner.group === '') await this.#set(owner, { state: 'unfollowed' });
      else await this.#look(owner, isFollowed(key), await this.#ask(transport, owner, lists));
    }
  }

  /** Undefined where it can't be told now: what was known then still holds. */
  async #ask(
    transport: OwnerResourcesOptions['transport'],
    owner: OwnerType,
    lists: Map<string, Promise<FoundKind[] | undefined>>,
  ): Promise<Awaited<ReturnType<typeof findKind>> | undefined> {
    const before = this.standingOf(owner);
    const versions =
      before.state === 'followed' ? [...before.type.versions, ...owner.versions] : owner.versions;
    try {
      return await findKind(transport, { ...owner, versions }, lists);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.#options.log.debug(`cannot tell what ${owner.kind} of ${owner.group} is`, {
        reason: error.message,
      });
      return undefined;
    }
  }

  async #look(
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
    const isFull = !wasFollowed && this.#followed >= (this.#options.max ?? OWNER_RESOURCES_MAX);
    if (!verbs.includes('list') || !verbs.includes('watch')) await this.#set(owner, { state: 'unfollowed' });
    else if (isFull) await this.#set(owner, { state: 'full', type });
    else await this.#set(owner, { state: 'followed', type, namespaced });
  }

  /** Kinds that would be followed if there were not so many. */
  get leftOut(): ResourceType[] {
    return [...this.#known.values()].flatMap(({ standing }) =>
      standing.state === 'full' ? [standing.type] : [],
    );
  }

  get #followed(): number {
    return [...this.#known.values()].filter(({ standing }) => standing.state === 'followed').length;
  }

  async #set(owner: OwnerType, now: OwnerStanding | undefined): Promise<void> {
    const key = ownerKey(owner);
    const before = this.standingOf(owner);
    if (now === undefined) this.#known.delete(key);
    else this.#known.set(key, { owner, standing: now });
    if (now !== undefined && isSame(before, now)) return;
    await this.#options.onChange(owner, before, now ?? asking);
  }
}

const asking: OwnerStanding = { state: 'asking' };

function isSame(before: OwnerStanding, now: OwnerStanding): boolean {
  if (before.state !== 'followed' || now.state !== 'followed') return before.state === now.state;
  return before.type.id === now.type.id && before.type.versions[0] === now.type.versions[0];
}
