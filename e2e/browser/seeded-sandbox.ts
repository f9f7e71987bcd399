import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from '@/e2e/browser/page';
import { npmStart, type Started, untilServing } from '@/e2e/support/npm-start';
import { freePort } from '@/e2e/controlplane/ports';

/** The sandbox with its seeded month of rollouts, started once for the tests of a file; `prepare` runs before. */
export function withSeededSandbox(prepare: (home: string) => void = () => {}): {
  address: (path: string) => string;
} {
  const home = mkdtempSync(join(tmpdir(), 'shiplog-seeded-'));
  let shiplog: Started;
  let port = 0;
  test.beforeAll(async () => {
    test.setTimeout(1_200_000);
    cpSync(await seededHome(), home, { recursive: true });
    prepare(home);
    port = await freePort();
    shiplog = npmStart({ HOME: home, PORT: String(port) });
    await untilServing(shiplog);
  });
  test.afterAll(async () => {
    shiplog.child.kill('SIGTERM');
    await shiplog.ended;
    rmSync(home, { recursive: true, force: true });
  });
  return { address: (path) => `http://127.0.0.1:${port}${path}` };
}

/** The home folder of a seeded sandbox: nearly a minute of work, done for the first file that requests it. */
async function seededHome(): Promise<string> {
  const home = process.env.SHIPLOG_E2E_SEEDED_HOME;
  if (home === undefined) throw new Error('The setup of the suite has not run.');
  if (existsSync(join(home, '.local'))) return home;
  const shiplog = npmStart({ HOME: home, PORT: String(await freePort()) });
  await untilServing(shiplog);
  shiplog.child.kill('SIGTERM');
  await shiplog.ended;
  return home;
}
