import { parentPort, workerData } from 'node:worker_threads';
import { Agent, request } from 'undici';
import { signedIn } from '@/e2e/support/local-key';
import { durationMs } from '@/bench/support/statistics';

export interface RequestTimings {
  /** Milliseconds, of each request. */
  durations: number[];
  /** Of the last answer, compressed. */
  bytes: number;
}

parentPort?.postMessage(await requestAll(workerData as string[]));

async function requestAll(urls: readonly string[]): Promise<RequestTimings> {
  const agent = new Agent({ connections: 1, pipelining: 1 });
  const durations: number[] = [];
  let bytes = 0;
  for (const url of urls) {
    durations.push(
      await durationMs(async () => {
        const answer = await request(url, {
          dispatcher: agent,
          headers: { ...signedIn, 'accept-encoding': 'gzip' },
        });
        bytes = 0;
        for await (const chunk of answer.body as AsyncIterable<Uint8Array>) bytes += chunk.byteLength;
        if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}.`);
      }),
    );
  }
  await agent.close();
  return { durations, bytes };
}
