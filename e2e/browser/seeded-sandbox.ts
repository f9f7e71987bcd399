import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from '@/e2e/browser/page';
import { npmStart, type Started, untilServing } from '@/e2e/support/npm-start';
import { freePort } from '@/e2e/controlplane/ports';

/**
 * The sandbox with its month of rollouts until now, started once for the tests of a file; `prepare` changes its archive
 * before.
 */
export function withSeededSandbox(prepare?: (home: string) => void): { address: (path: string) => string } {
  const home = mkdtempSync(join(tmpdir(), 'shiplog-seeded-'));
  let shiplog: Started;
  let port = 0;
  const start = async () => {
    port = await freePort();
    shiplog = npmStart({ HOME: home, PORT: String(port) });
    await untilServing(shiplog);
  };
  const stop = async () => {
    shiplog.child.kill('SIGTERM');
    await shiplog.ended;
  };
  test.beforeAll(async () => {
    await start();
    if (prepare === undefined) return;
    await stop();
    prepare(home);
    await start();
  });
  test.afterAll(async () => {
    await stop();
    rmSync(home, { recursive: true, force: true });
  });
  return { address: (path) => `http://127.0.0.1:${port}${path}` };
}
