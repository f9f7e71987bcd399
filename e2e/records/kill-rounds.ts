import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Shiplog } from '@/e2e/support/shiplog';
import { openDatabase } from '@/server/archive/open';
import type { TestDatabase } from '@/server/archive/testing/engines';
import { verifyArchive } from '@/server/archive/verify';

/** `npm run soak` runs many; a test runs few. */
export const ROUNDS = Number(process.env.SHIPLOG_KILL_ROUNDS ?? 3);
/** Over hundreds of rounds the cluster must not fill up with revisions and events, all of which each start reads. */
export const PAUSE_MS = ROUNDS > 20 ? 5_000 : 1_500;
/** Processes are killed while they start, catch up, record and are written to. */
const UPTIME_MAX_MS = 2_500;
const READY_SHARE = 0.7;
const ROUND_TIMEOUT_MS = 60_000;

/** For a test of so many rounds. */
export const ROUNDS_TIMEOUT_MS = 120_000 + ROUNDS * ROUND_TIMEOUT_MS;

/** Whether the process that is killed next must have become ready before; random. */
export function isReadyRound(): boolean {
  return Math.random() < READY_SHARE;
}

/** Kills the process at a random moment from now; the archive must be consistent then. */
export async function killAtRandom(
  shiplog: Shiplog,
  place: TestDatabase,
  onKilled: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const uptimeMs = Math.floor(Math.random() * UPTIME_MAX_MS);
  await setTimeout(uptimeMs);
  await shiplog.stop('SIGKILL');
  await onKilled();
  const database = await openDatabase(place);
  expect(await verifyArchive(database), `killed after ${uptimeMs} ms`).toEqual([]);
  await database.db.destroy();
}
