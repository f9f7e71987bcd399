import { createServer } from 'node:net';

/**
 * Below those that the kernel gives to connections, any of which could take one before its server listens; for the same
 * reason, each worker of a suite has a range of its own, the browser's the first.
 */
const FIRST = 10_000;
const RANGES = 20;
const SIZE = 1_000;

const given = new Set<number>();

/** A port that was free a moment ago, and that no other worker takes. */
export async function freePort(): Promise<number> {
  const first = FIRST + (Number(process.env.VITEST_POOL_ID ?? 0) % RANGES) * SIZE;
  for (;;) {
    const port = first + Math.floor(Math.random() * SIZE);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
