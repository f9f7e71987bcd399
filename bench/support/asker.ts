import { parentPort, workerData } from 'node:worker_threads';
import { Agent, request } from 'undici';
import { durationMs } from '@/bench/support/statistics';

export interface SentRequest {
  url: string;
  headers: Record<string, string>;
}

export interface RequestTimings {
  /** Milliseconds, of each request. */
  durations: number[];
  /** Of the last answer, compressed. */
  bytes: number;
}

parentPort?.postMessage(await requestAll(workerData as SentRequest[]));

async function requestAll(requests: readonly SentRequest[]): Promise<RequestTimings> {
  const agent = new Agent({ connections: 1, pipelining: 1 });
  const durations: number[] = [];
  let bytes = 0;
  for (const { url, headers } of requests) {
    durations.push(
      await durationMs(async () => {
        const answer = await request(url, {
          dispatcher: agent,
          headers: { ...headers, 'accept-encoding': 'gzip, deflate, br, zstd' },
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
