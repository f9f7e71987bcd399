import { createServer } from 'node:net';

/**
 * Below those that the kernel gives to connections, any of which could take one before its server listens; a range of
 * its own for each process of a test run, as another could take it as well.
 */
const FIRST = 10_000;
const RANGES = 20;
const SIZE = 1_000;

const given = new Set<number>();

/** A port that was free a moment ago, and that nothing else of this test run takes. */
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
