import { Worker } from 'node:worker_threads';
import { type Answers } from '@/bench/asker';

const ROUNDS = 500;
const WARM_UP = 50;

/**
 * One request after the other over one connection: how long each took, and how many bytes the last one brought. They are
 * made in a thread of its own: what this one holds of the fleet that it wrote would be marked again for every few
 * megabytes that come, which took longer than the answers.
 */
export async function askInTurn(urlOf: (round: number) => string): Promise<Answers> {
  const urls = Array.from({ length: WARM_UP + ROUNDS }, (_, round) => urlOf(round));
  const asker = new Worker(new URL('asker.ts', import.meta.url), { workerData: urls });
  const { durations, bytes } = await new Promise<Answers>((resolve, reject) => {
    asker.once('message', resolve).once('error', reject);
  });
  return { durations: durations.slice(WARM_UP), bytes };
}
