import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

interface EventLoopDelay {
  /**
   * Longest processor time of this thread between two iterations of the event loop: how long other work had to wait.
   */
  worstMs: number;
  /** The same in wall time, so including other processes. */
  delayMs: number;
}

/** Samples the event loop delay while the work runs. */
export async function measureEventLoop(work: () => unknown): Promise<EventLoopDelay> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  let worst = 0;
  let isOver = false;
  let before = process.threadCpuUsage();
  const sample = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    worst = Math.max(worst, user + system);
    before = process.threadCpuUsage();
    if (!isOver) setImmediate(sample);
  };
  await new Promise(setImmediate);
  delays.enable();
  setImmediate(sample);
  try {
    await work();
  } finally {
    // The last part of the work counts as well, and the monitor samples every millisecond.
    await setTimeout(10);
    isOver = true;
    delays.disable();
  }
  return { worstMs: worst / 1_000, delayMs: delays.max / 1_000_000 };
}
