import { Worker } from 'node:worker_threads';

/** Credentials that no one has, each from one of many addresses behind a proxy on this machine. */
export const JUNK = { tokensPerSecond: 300, addresses: 200, cookies: 5_000, seconds: 15 };

interface SentJunk {
  /** How many answers had each status; a connection that was closed has the code of its error. */
  statuses: Record<string, number>;
  sent: { tokens: number; cookies: number };
}

/** Sends all of it from a thread of its own; Shiplog must trust 127.0.0.0/8 as proxies. */
export function sendJunk(port: number): Promise<SentJunk> {
  return new Promise((resolve, reject) => {
    const url = new URL('./junk-sender.mjs', import.meta.url);
    const worker = new Worker(url, { workerData: { port, ...JUNK } });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}
