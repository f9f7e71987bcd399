import 'server-only';
import { type Clock, systemClock } from '@/server/cluster/clock';
import { isLocked, toArchiveError } from '@/server/archive/errors';

const PAUSE_MS = 50;
const forever = new AbortController().signal;

/**
 * Does work on the database; while another process holds its lock, again and again for up to `waitMs`, with everything
 * else running in between. Rejects with AppError, see `toArchiveError`.
 */
export async function withPatience<Result>(
  work: () => Promise<Result>,
  waitMs: number,
  clock: Clock = systemClock,
): Promise<Result> {
  const end = clock.now() + waitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const told = toArchiveError(error);
      if (!isLocked(told) || clock.now() >= end) throw told;
      await clock.sleep(PAUSE_MS, forever);
    }
  }
}
