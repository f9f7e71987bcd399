import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const IDLE_WINDOW_MS = 4_000;
const IDLE_SHARE = 0.05;
const IDLE_TIMEOUT_MS = 600_000;

/** Milliseconds of processor time of a process over all of its threads, by Linux to the nanosecond. */
export function processorTimeMs(pid: number): number {
  const folder = `/proc/${pid}/task`;
  const nanoseconds = readdirSync(folder).map((thread) => {
    const [time = ''] = readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ');
    return Number(time);
  });
  return nanoseconds.reduce((sum, time) => sum + time, 0) / 1e6;
}

/** The processor time of a process during some work. */
export async function processorTimeOf(pid: number, work: () => Promise<unknown>): Promise<number> {
  const before = processorTimeMs(pid);
  await work();
  return processorTimeMs(pid) - before;
}

/** Resolves when a server has read its clusters and recorded what it found: it no longer uses a core. */
export async function untilIdle(pid: number): Promise<void> {
  const end = performance.now() + IDLE_TIMEOUT_MS;
  while (performance.now() < end) {
    const spentMs = await processorTimeOf(pid, () => sleep(IDLE_WINDOW_MS));
    if (spentMs < IDLE_WINDOW_MS * IDLE_SHARE) return;
  }
  throw new Error('The server is still busy after ten minutes.');
}
