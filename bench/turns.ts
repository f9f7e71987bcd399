import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

export interface Turns {
  /** Most processor time of this thread between two turns of the event loop: what everything else had to wait for. */
  worstMs: number;
  /** The same by the clock, so with what other processes took meanwhile. */
  delayMs: number;
}

/** Looks at every turn of the event loop while the work goes on. */
export async function turnsDuring(work: () => unknown): Promise<Turns> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  let worst = 0;
  let isOver = false;
  let before = process.threadCpuUsage();
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    worst = Math.max(worst, user + system);
    before = process.threadCpuUsage();
    if (!isOver) setImmediate(look);
  };
  await new Promise(setImmediate);
  delays.enable();
  setImmediate(look);
  try {
    await work();
  } finally {
    // What the work did last counts as well, and the monitor looks every millisecond.
    await setTimeout(10);
    isOver = true;
    delays.disable();
  }
  return { worstMs: worst / 1_000, delayMs: delays.max / 1_000_000 };
}
