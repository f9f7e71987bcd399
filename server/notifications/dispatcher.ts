import 'server-only';
import { AppError } from '@/lib/errors';
import type { Lease } from '@/server/archive/lease';
import type { DueNotice, OutboxRepository } from '@/server/archive/outbox';
import { type Clock, systemClock, repeat } from '@/server/shared/clock';
import type { Logger } from '@/server/shared/log';
import type { Message } from '@/server/notifications/message';
import type { Send } from '@/server/notifications/send';
import type { Webhooks, WebhookTarget } from '@/server/shared/webhooks';

type Outbox = Pick<OutboxRepository, 'due' | 'settle' | 'prune'>;

interface NotificationDispatcherOptions {
  webhooks: Webhooks;
  /** Null while there is none. */
  outbox: () => Outbox | null;
  /** Of the clusters that this process records: it delivers what is about them. */
  leases: () => readonly Lease[];
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
/** A notification that is older is of no use. */
const ABANDON_AFTER_MS = 86_400_000;
/** A target that does not answer is not tried for a while, whatever waits for it. */
const PAUSE_MAX_MS = 60_000;
const PRUNE_INTERVAL_MS = 3_600_000;

interface TargetState {
  target: WebhookTarget;
  failures: number;
  pausedUntil: number;
}

/**
 * Delivers what waits in the outbox, each target on its own: one that is slow or away delays no other. Only who records a
 * cluster delivers what is about it. What was sent but not yet marked when the process died is sent once more, under the same id.
 */
export class NotificationDispatcher {
  readonly #options: NotificationDispatcherOptions;
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  readonly #counts = { delivered: 0, failed: 0, givenUp: 0 };
  #running: Promise<unknown> | undefined;
  #prunedAt = -Infinity;

  constructor(options: NotificationDispatcherOptions) {
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
      ...targets.map((target) => this.#serveTarget({ target, failures: 0, pausedUntil: 0 })),
      this.#prune(),
    ]);
  }

  /** Aborts what is being sent; the next holder sends it again. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #serveTarget(targetState: TargetState): Promise<void> {
    await this.#repeat(async () => {
      if (this.#clock.now() < targetState.pausedUntil) return;
      await this.#deliverDue(targetState);
    });
  }

  async #prune(): Promise<void> {
    await this.#repeat(async (outbox, leases) => {
      const now = this.#clock.now();
      if (now - this.#prunedAt < PRUNE_INTERVAL_MS) return;
      const ids = this.#options.webhooks.targets.map(({ id }) => id);
      for (const lease of leases) await outbox.prune(lease, ids, now);
      this.#prunedAt = now;
    });
  }

  #repeat(work: (outbox: Outbox, leases: readonly Lease[]) => Promise<void>): Promise<void> {
    const once = async () => {
      const [outbox, leases] = [this.#options.outbox(), this.#options.leases()];
      try {
        if (outbox !== null && leases.length > 0) await work(outbox, leases);
      } catch (error) {
        this.#handleError(error);
      }
    };
    return repeat(once, TICK_MS, this.#clock, this.#stopping.signal);
  }

  /** The recorder reports an archive that is away, and a lease that has passed on; both recover by themselves. */
  #handleError(error: unknown): void {
    if (this.#stopping.signal.aborted) return;
    if (error instanceof AppError && (error.code === 'archive_unavailable' || error.code === 'conflict'))
      return;
    this.#options.log.error('pending notifications could not be processed', { error });
  }

  async #deliverDue(targetState: TargetState): Promise<void> {
    for (;;) {
      // Read anew each time: sending for seconds outlasts a lease.
      const [outbox, leases] = [this.#options.outbox(), this.#options.leases()];
      if (outbox === null || leases.length === 0 || this.#stopping.signal.aborted) return;
      const clusters = leases.map(({ cluster }) => cluster);
      const due = await outbox.due(clusters, targetState.target.id, this.#clock.now(), BATCH);
      for (const notice of due) {
        const current = this.#options.leases().find(({ cluster }) => cluster === notice.cluster);
        if (current === undefined) return;
        if (!(await this.#deliver(outbox, current, targetState, notice))) return;
      }
      if (due.length < BATCH) return;
    }
  }

  /** Whether the target accepted it. */
  async #deliver(
    outbox: Outbox,
    lease: Lease,
    targetState: TargetState,
    notice: DueNotice,
  ): Promise<boolean> {
    const { webhooks, send } = this.#options;
    const { signal } = this.#stopping;
    const nowMs = this.#clock.now();
    const error = await send(targetState.target, webhooks.secret, messageOf(notice), nowMs, signal);
    if (signal.aborted && error !== null) return false;
    const nextMs = error === null ? null : this.#nextOf(notice);
    await outbox.settle(lease, notice, { error, nextMs }, this.#clock.now());
    this.#recordResult(targetState, notice, error, nextMs);
    return error === null;
  }

  /** Null: it is abandoned. The last attempt comes when it is about to become too old. */
  #nextOf({ attempts, createdMs }: DueNotice): number | null {
    const end = createdMs + ABANDON_AFTER_MS;
    const now = this.#clock.now();
    if (now >= end) return null;
    return Math.min(now + this.#jittered(FIRST_RETRY_MS * 2 ** attempts, RETRY_MAX_MS), end);
  }

  #recordResult(
    targetState: TargetState,
    { id, kind }: DueNotice,
    error: string | null,
    nextMs: number | null,
  ): void {
    const { log } = this.#options;
    const target = targetState.target.label;
    if (error === null) {
      if (targetState.failures > 0) log.info('notifications are being delivered again', { target });
      this.#counts.delivered += 1;
      targetState.failures = 0;
      return;
    }
    this.#counts.failed += 1;
    if (targetState.failures === 0)
      log.warn('a notification could not be delivered', { target, kind, reason: error });
    if (nextMs === null) {
      this.#counts.givenUp += 1;
      log.error('a notification was dropped', { target, kind, id, reason: error });
    }
    targetState.failures += 1;
    targetState.pausedUntil =
      this.#clock.now() + this.#jittered(TICK_MS * 2 ** targetState.failures, PAUSE_MAX_MS);
  }

  /** A tenth more or less, so that many that failed together are not retried together. */
  #jittered(ms: number, max: number): number {
    const random = (this.#options.random ?? Math.random)();
    return Math.round(Math.min(ms, max) * (0.9 + 0.2 * random));
  }
}

function messageOf({ payload }: DueNotice): Message {
  return JSON.parse(payload) as Message;
}
