import 'server-only';
import { AppError } from '@/lib/errors';
import { type Archive, type DueNotice, type Lease } from '@/server/archive/archive';
import { type Clock, systemClock } from '@/server/cluster/clock';
import { type Logger } from '@/server/log';
import { type Message } from '@/server/notifications/message';
import { type Send } from '@/server/notifications/send';
import { type Webhooks, type WebhookTarget } from '@/server/notifications/webhooks';

export type CourierArchive = Pick<Archive, 'dueNotices' | 'settleNotice' | 'tidyOutbox'>;

export interface CourierOptions {
  webhooks: Webhooks;
  /** Null while there is none. */
  archive: () => CourierArchive | null;
  /** Null while another process records: it tells then. */
  lease: () => Lease | null;
  send: Send;
  log: Logger;
  clock?: Clock;
  /** Between 0 and 1. */
  random?: () => number;
}

const TICK_MS = 1_000;
const BATCH = 10;
const FIRST_RETRY_MS = 5_000;
const RETRY_MAX_MS = 3_600_000;
/** After so long nobody wants to hear of it any more. */
const GIVE_UP_MS = 86_400_000;
/** A target that does not answer is left alone for a while, whatever waits for it. */
const PAUSE_MAX_MS = 60_000;
const TIDY_MS = 3_600_000;

interface Route {
  target: WebhookTarget;
  failures: number;
  pausedUntil: number;
}

/**
 * Delivers what waits in the outbox, each target on its own: one that is slow or away delays no other. Only the holder
 * of the lease delivers. What was sent and not yet noted when the process died is sent once more, under the same id.
 */
export class Courier {
  readonly #options: CourierOptions;
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  readonly #counts = { delivered: 0, failed: 0, givenUp: 0 };
  #running: Promise<unknown> | undefined;
  #tidyAt = -Infinity;

  constructor(options: CourierOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Since the start of the process. */
  get counts(): Readonly<Record<'delivered' | 'failed' | 'givenUp', number>> {
    return this.#counts;
  }

  start(): void {
    const { targets } = this.#options.webhooks;
    if (targets.length === 0) return;
    this.#running = Promise.all([
      ...targets.map((target) => this.#serve({ target, failures: 0, pausedUntil: 0 })),
      this.#tidy(),
    ]);
  }

  /** What is being sent is broken off, to be sent again by whoever comes next. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #serve(route: Route): Promise<void> {
    await this.#repeat(async () => {
      if (this.#clock.now() < route.pausedUntil) return;
      await this.#deliverDue(route);
    });
  }

  async #tidy(): Promise<void> {
    await this.#repeat(async (archive, lease) => {
      const now = this.#clock.now();
      if (now - this.#tidyAt < TIDY_MS) return;
      const ids = this.#options.webhooks.targets.map(({ id }) => id);
      await archive.tidyOutbox(lease, ids, now);
      this.#tidyAt = now;
    });
  }

  async #repeat(work: (archive: CourierArchive, lease: Lease) => Promise<void>): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const [archive, lease] = [this.#options.archive(), this.#options.lease()];
      try {
        if (archive !== null && lease !== null) await work(archive, lease);
      } catch (error) {
        this.#onTrouble(error);
      }
      await this.#clock.sleep(TICK_MS, signal).catch(() => undefined);
    }
  }

  /** An archive that is away, and a lease that has passed on, are told of elsewhere; both come back by themselves. */
  #onTrouble(error: unknown): void {
    if (this.#stopping.signal.aborted) return;
    if (error instanceof AppError && (error.code === 'archive_unavailable' || error.code === 'conflict'))
      return;
    this.#options.log.error('notifications cannot be worked through', { error });
  }

  async #deliverDue(route: Route): Promise<void> {
    for (;;) {
      // Asked for anew each time: what takes seconds to send outlasts a lease.
      const [archive, lease] = [this.#options.archive(), this.#options.lease()];
      if (archive === null || lease === null || this.#stopping.signal.aborted) return;
      const due = await archive.dueNotices(route.target.id, this.#clock.now(), BATCH);
      for (const notice of due) {
        const present = this.#options.lease();
        if (present === null) return;
        if (!(await this.#deliver(archive, present, route, notice))) return;
      }
      if (due.length < BATCH) return;
    }
  }

  /** Whether the target took it. */
  async #deliver(archive: CourierArchive, lease: Lease, route: Route, notice: DueNotice): Promise<boolean> {
    const { webhooks, send } = this.#options;
    const { signal } = this.#stopping;
    const nowMs = this.#clock.now();
    const error = await send(route.target, webhooks.secret, messageOf(notice), nowMs, signal);
    if (signal.aborted && error !== null) return false;
    const nextMs = error === null ? null : this.#nextOf(notice);
    await archive.settleNotice(lease, notice, { error, nextMs }, this.#clock.now());
    this.#note(route, notice, error, nextMs);
    return error === null;
  }

  /** Null: it is given up. The last try comes when it is about to become too old. */
  #nextOf({ attempts, createdMs }: DueNotice): number | null {
    const end = createdMs + GIVE_UP_MS;
    const now = this.#clock.now();
    if (now >= end) return null;
    return Math.min(now + this.#jittered(FIRST_RETRY_MS * 2 ** attempts, RETRY_MAX_MS), end);
  }

  #note(route: Route, { id, kind }: DueNotice, error: string | null, nextMs: number | null): void {
    const { log } = this.#options;
    const target = route.target.label;
    if (error === null) {
      if (route.failures > 0) log.info('notifications are delivered again', { target });
      this.#counts.delivered += 1;
      route.failures = 0;
      return;
    }
    this.#counts.failed += 1;
    if (route.failures === 0)
      log.warn('a notification could not be delivered', { target, kind, reason: error });
    if (nextMs === null) {
      this.#counts.givenUp += 1;
      log.error('a notification is given up', { target, kind, id, reason: error });
    }
    route.failures += 1;
    route.pausedUntil = this.#clock.now() + this.#jittered(TICK_MS * 2 ** route.failures, PAUSE_MAX_MS);
  }

  /** A tenth more or less, so that many that failed together do not come back together. */
  #jittered(ms: number, max: number): number {
    const random = (this.#options.random ?? Math.random)();
    return Math.round(Math.min(ms, max) * (0.9 + 0.2 * random));
  }
}

function messageOf({ payload }: DueNotice): Message {
  return JSON.parse(payload) as Message;
}
