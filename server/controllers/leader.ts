import 'server-only';
import { AppError } from '@/lib/errors';
import type { JsonObject } from '@/lib/kube/json';
import { numberAt, objectAt, textAt } from '@/lib/kube/read';
import { type Clock, repeat } from '@/server/shared/clock';
import { pathTo } from '@/server/cluster/request-guard';
import type { Transport } from '@/server/cluster/transport';
import type { Logger } from '@/server/shared/log';

interface LeaderOptions {
  readonly transport: Pick<Transport, 'json'>;
  readonly namespace: string;
  /** Of the Lease. */
  readonly name: string;
  /** Different in every process. */
  readonly holder: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The leader, as far as this process knows. Times in milliseconds since the epoch. */
export interface LeaderState {
  readonly state: 'starting' | 'leading' | 'standby' | 'unknown';
  readonly since: number;
  /** The leader's name for itself; undefined where none is known. */
  readonly holder: string | undefined;
  /** Why the leader is unknown. */
  readonly problem: string | undefined;
}

/** After client-go: a holder that has not renewed for this long loses the lease to the next candidate. */
const DURATION_MS = 15_000;
/**
 * Before that the holder stops by itself, so that two clocks that differ a little never lead to two holders.
 */
const DEADLINE_MS = 10_000;
const RENEW_MS = 2_000;

/**
 * Elects one of several processes, by a Lease. The lease of another holder counts as expired only when it has
 * not changed for the full duration by this process's clock, so clocks need not agree.
 * https://pkg.go.dev/k8s.io/client-go/tools/leaderelection
 */
export class Leader {
  readonly #options: LeaderOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #heldUntil = -Infinity;
  #lastObserved: { text: string; at: number } | undefined;
  #holder: string | undefined;
  #state: LeaderState;

  constructor(options: LeaderOptions) {
    this.#options = options;
    const since = options.clock.now();
    this.#state = { state: 'starting', since, holder: undefined, problem: undefined };
  }

  get state(): LeaderState {
    // A leader whose time is over by its own clock has not read that yet.
    const hasExpired = this.#state.state === 'leading' && !this.isHeld;
    return hasExpired
      ? { ...this.#state, state: 'unknown', since: this.#heldUntil, holder: undefined }
      : this.#state;
  }

  /** Whether this process is allowed to act now. Check it before every write. */
  get isHeld(): boolean {
    return this.#options.clock.now() < this.#heldUntil;
  }

  start(): void {
    const { signal } = this.#stopping;
    this.#running = repeat(() => this.renew(), RENEW_MS, this.#options.clock, signal);
  }

  /** Releases the lease, so that no other process has to wait for its end. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    const wasHeld = this.isHeld;
    this.#heldUntil = -Infinity;
    if (wasHeld) await this.#release().catch(() => undefined);
  }

  /** One attempt to acquire or renew it. */
  async renew(): Promise<void> {
    const { clock, log, holder } = this.#options;
    const before = clock.now();
    const wasHeld = this.isHeld;
    try {
      const isLeader = await this.#acquireOrRenew(before);
      if (isLeader) this.#heldUntil = before + DEADLINE_MS;
      this.#setState(isLeader ? 'leading' : 'standby', isLeader ? holder : this.#holder);
    } catch (error) {
      const isLost = error instanceof AppError && error.code === 'conflict';
      if (!isLost) {
        log.warn('could not renew the lease of a controller', { error: String(error) });
        if (!this.isHeld) this.#setState('unknown', undefined, String(error));
      }
    }
    if (this.isHeld !== wasHeld)
      log.info(this.isHeld ? 'became leader of the controllers' : 'lost leadership of the controllers', {
        holder,
      });
  }

  #setState(state: LeaderState['state'], holder: string | undefined, problem?: string): void {
    const before = this.#state;
    const isSame = before.state === state && before.holder === holder;
    const since = isSame ? before.since : this.#options.clock.now();
    this.#state = { state, since, holder, problem };
  }

  async #acquireOrRenew(nowMs: number): Promise<boolean> {
    const { holder } = this.#options;
    const lease = await this.#read();
    const renewTime = microTime(nowMs);
    const ownSpec = { holderIdentity: holder, leaseDurationSeconds: DURATION_MS / 1_000, renewTime };
    if (lease === undefined) {
      const spec = { ...ownSpec, acquireTime: renewTime, leaseTransitions: 0 };
      await this.#write('POST', { metadata: { name: this.#options.name }, spec });
      return true;
    }
    const spec = objectAt(lease, 'spec') ?? {};
    const currentHolder = textAt(spec, 'holderIdentity') ?? '';
    this.#holder = currentHolder === '' ? undefined : currentHolder;
    if (currentHolder !== holder && currentHolder !== '' && !this.#isStale(spec, nowMs)) return false;
    const isTakeover = currentHolder !== holder;
    const transitions = (numberAt(spec, 'leaseTransitions') ?? 0) + (isTakeover ? 1 : 0);
    const transition = isTakeover ? { acquireTime: renewTime, leaseTransitions: transitions } : {};
    await this.#write('PUT', { ...lease, spec: { ...spec, ...ownSpec, ...transition } });
    return true;
  }

  /** The lease did not change for the full duration, as observed by this process. */
  #isStale(spec: JsonObject, nowMs: number): boolean {
    const text = JSON.stringify(spec);
    if (this.#lastObserved?.text !== text) this.#lastObserved = { text, at: nowMs };
    const durationMs = (numberAt(spec, 'leaseDurationSeconds') ?? DURATION_MS / 1_000) * 1_000;
    return nowMs - this.#lastObserved.at >= durationMs;
  }

  async #release(): Promise<void> {
    const lease = await this.#read();
    const spec = objectAt(lease, 'spec') ?? {};
    if (lease === undefined || spec.holderIdentity !== this.#options.holder) return;
    await this.#write('PUT', { ...lease, spec: { ...spec, holderIdentity: '', leaseDurationSeconds: 1 } });
  }

  async #read(): Promise<JsonObject | undefined> {
    try {
      return (await this.#options.transport.json({ method: 'GET', path: this.#path(true) })) as JsonObject;
    } catch (error) {
      if (error instanceof AppError && error.details.status === 404) return undefined;
      throw error;
    }
  }

  async #write(method: 'POST' | 'PUT', object: JsonObject): Promise<void> {
    const body = JSON.stringify({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...object });
    await this.#options.transport.json({ method, path: this.#path(method === 'PUT'), body });
  }

  #path(isOfObject: boolean): string {
    const { namespace, name } = this.#options;
    const collection = ['apis', 'coordination.k8s.io', 'v1', 'namespaces', namespace, 'leases'];
    return pathTo(...collection, ...(isOfObject ? [name] : []));
  }
}

/** RFC 3339 with microseconds, as the API server stores it. */
function microTime(ms: number): string {
  return new Date(ms).toISOString().replace(/Z$/, '000Z');
}
