import { Worker } from 'node:worker_threads';
import { type RequestTimings } from '@/bench/support/asker';

const ROUNDS = 500;
const WARM_UP = 50;

/**
 * One request after the other over one connection: the duration of each, and the bytes of the last answer. A separate
 * thread makes them: in this one the garbage collector would mark the fleet that it wrote again for every few
 * megabytes, which takes longer than the answers.
 */
export async function requestSerially(urlOf: (round: number) => string): Promise<RequestTimings> {
  const urls = Array.from({ length: WARM_UP + ROUNDS }, (_, round) => urlOf(round));
  const asker = new Worker(new URL('asker.ts', import.meta.url), { workerData: urls });
  const { durations, bytes } = await new Promise<RequestTimings>((resolve, reject) => {
    asker.once('message', resolve).once('error', reject);
  });
  return { durations: durations.slice(WARM_UP), bytes };
}
