import 'server-only';
import { type Clock, systemClock } from '@/server/shared/clock';
import { isLocked, toArchiveError } from '@/server/archive/errors';

const PAUSE_MS = 50;
const neverAborted = new AbortController().signal;

/**
 * Does work on the database; while another process holds its lock, retries for up to `waitMs`, with other work running
 * in between. Rejects with AppError, see `toArchiveError`.
 */
export async function retryWhileLocked<Result>(
  work: () => Promise<Result>,
  waitMs: number,
  clock: Clock = systemClock,
): Promise<Result> {
  const end = clock.now() + waitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const converted = toArchiveError(error);
      if (!isLocked(converted) || clock.now() >= end) throw converted;
      await clock.sleep(PAUSE_MS, neverAborted);
    }
  }
}
