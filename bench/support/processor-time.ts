import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds of processor time of a process over all of its threads, by Linux to the nanosecond. */
export function processorTimeMs(pid: number): number {
  const folder = `/proc/${pid}/task`;
  const nanoseconds = readdirSync(folder).map((thread) => {
    const [time = ''] = readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ');
    return Number(time);
  });
  return nanoseconds.reduce((sum, time) => sum + time, 0) / 1e6;
}
