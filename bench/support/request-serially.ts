import { Worker } from 'node:worker_threads';
import type { RequestTimings, SentRequest } from '@/bench/support/asker';
import { signedIn } from '@/e2e/support/local-key';

const ROUNDS = 500;
const WARM_UP = 50;

/**
 * One request after the other over one connection: the duration of each, and the bytes of the last answer. A separate
 * thread makes them: in this one the garbage collector would mark the fleet that it wrote again for every few
 * megabytes, which takes longer than the answers.
 */
export async function requestSerially(urlOf: (round: number) => string): Promise<RequestTimings> {
  const requests = Array.from({ length: WARM_UP + ROUNDS }, (_, round) => urlOf(round));
  const { durations, bytes } = await sendSerially(requests.map((url) => ({ url, headers: signedIn })));
  return { durations: durations.slice(WARM_UP), bytes };
}

/** As {@link requestSerially}, of these requests and without a warm-up. */
export function sendSerially(workerData: readonly SentRequest[]): Promise<RequestTimings> {
  const asker = new Worker(new URL('asker.ts', import.meta.url), { workerData });
  return new Promise((resolve, reject) => {
    asker.once('message', resolve).once('error', reject);
  });
}
