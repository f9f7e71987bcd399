import 'server-only';
import { setTimeout, setImmediate as nextTurn } from 'node:timers/promises';
import { isLocked, toArchiveError } from '@/server/archive/errors';
import type { ArchiveDb, ArchiveTransaction, Engine } from '@/server/archive/migrations/schema';
import { Semaphore } from '@/server/shared/semaphore';

/** Most reads take a tenth of it: one in a turn would have a page that needs four wait for four turns of all others. */
const MS_PER_TURN = 5;

/** How a repository does its work on the database. Rejects with AppError, see `toArchiveError`. */
export class ArchiveSession {
  readonly engine: Engine;
  readonly #db: ArchiveDb;
  readonly #lockWaitMs: number;
  /** SQLite is synchronous: a series of reads would block everything else until the last answer. */
  readonly #turns = new TurnTime(MS_PER_TURN);

  constructor(engine: Engine, db: ArchiveDb, lockWaitMs: number) {
    this.engine = engine;
    this.#db = db;
    this.#lockWaitMs = lockWaitMs;
  }

  /** Does one piece of work, small enough that requests can wait for its end: some milliseconds. */
  async run<Result>(work: (db: ArchiveDb) => Promise<Result>): Promise<Result> {
    const attempt = () => work(this.#db);
    return retryWhileLocked(
      this.engine === 'sqlite' ? () => this.#turns.run(attempt) : attempt,
      this.#lockWaitMs,
    );
  }

  /** The same in a transaction: all of it is written, or nothing. */
  transaction<Result>(work: (transaction: ArchiveTransaction) => Promise<Result>): Promise<Result> {
    return this.run((db) => db.transaction().execute(work));
  }
}

const PAUSE_MS = 50;

/** Keeps the process alive, unlike `systemClock`: a command that waits for the lock has nothing else to do. */
const waitingClock = { now: () => Date.now(), sleep: (ms: number) => setTimeout<void>(ms) };

/**
 * Does work on the database; while another process holds its lock, retries for up to `waitMs`, with other work running
 * in between. Rejects with AppError, see `toArchiveError`.
 */
export async function retryWhileLocked<Result>(
  work: () => Promise<Result>,
  waitMs: number,
  clock = waitingClock,
): Promise<Result> {
  const end = clock.now() + waitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const converted = toArchiveError(error);
      if (!isLocked(converted) || clock.now() >= end) throw converted;
      await clock.sleep(PAUSE_MS);
    }
  }
}

/** Runs one task after the other, in the order of their arrival, and lets other work in between after some time. */
export class TurnTime {
  readonly #ms: number;
  readonly #now: () => number;
  readonly #one = new Semaphore(1);
  #turn: Promise<void> | undefined;
  #endsAt = 0;

  /** `ms`: once a turn of the event loop has taken so long, the next task waits for the next turn. */
  constructor(ms: number, now: () => number = () => performance.now()) {
    this.#ms = ms;
    this.#now = now;
  }

  /** A task must not wait for another one of the same kind. */
  run<Result>(task: () => Promise<Result>): Promise<Result> {
    return this.#one.run(async () => {
      if (this.#turn !== undefined && this.#now() >= this.#endsAt) await this.#turn;
      this.#turn ??= this.#begin();
      return task();
    });
  }

  async #begin(): Promise<void> {
    this.#endsAt = this.#now() + this.#ms;
    await nextTurn();
    this.#turn = undefined;
  }
}
