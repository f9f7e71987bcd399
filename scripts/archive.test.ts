import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Lease } from '@/server/archive/lease';
import { openArchive } from '@/server/archive/open';
import { sampleIncarnation, sampleRecording, START_MS } from '@/server/archive/testing/samples';
import { makeFolder } from '@/server/cluster/testing/kubeconfig-file';

const root = fileURLToPath(new URL('..', import.meta.url));
let folder: ReturnType<typeof makeFolder>;

beforeEach(() => {
  folder = makeFolder();
});
afterEach(() => folder.remove());

function run(dataDir: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/archive.mjs', ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { NODE_ENV: 'test', PATH: process.env.PATH, HOME: folder.path, SHIPLOG_DATA_DIR: dataDir },
  });
  return { status, said: stdout + stderr };
}

test('an archive is exported, imported elsewhere and verified there', async () => {
  const [here, there] = [join(folder.path, 'here'), join(folder.path, 'there')];
  const [whole, masked, again] = ['whole', 'masked', 'again'].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  expect(run(here, 'verify')).toMatchObject({ status: 0 });
  const archive = await openArchive({ databaseUrl: undefined, dataDir: here });
  const lease = (await archive.leases.acquire('one', START_MS, 'prod')) as Lease;
  await archive.record(lease, [sampleRecording(sampleIncarnation(), 3)], START_MS);
  await archive.close();

  expect(run(here, 'export', masked)).toMatchObject({ status: 0 });
  expect(readFileSync(masked, 'utf8')).not.toContain('correct-horse');
  expect(run(here, 'export', whole, '--with-values')).toMatchObject({ status: 0 });
  expect(readFileSync(whole, 'utf8')).toContain('correct-horse');
  expect(statSync(whole).mode & 0o777).toBe(0o600);

  expect(run(there, 'import', whole)).toMatchObject({
    status: 0,
    said: expect.stringMatching(/\d+ added/) as string,
  });
  expect(run(there, 'vacuum')).toMatchObject({ status: 0 });
  expect(run(there, 'verify')).toMatchObject({ status: 0 });
  expect(run(there, 'export', again, '--with-values')).toMatchObject({ status: 0 });
  expect(readFileSync(again, 'utf8')).toBe(readFileSync(whole, 'utf8'));
});

test('a failing command prints a sentence, and no file is overwritten', () => {
  const file = join(folder.path, 'file');
  expect(run(folder.path)).toMatchObject({ status: 2, said: expect.stringContaining('Usage') as string });
  expect(run(folder.path, 'export', file)).toMatchObject({ status: 0 });
  const before = readFileSync(file, 'utf8');
  expect(run(folder.path, 'export', file)).toMatchObject({
    status: 1,
    said: expect.stringContaining('already exists') as string,
  });
  expect(readFileSync(file, 'utf8')).toBe(before);
  expect(run(folder.path, 'import', join(folder.path, 'key'))).toMatchObject({
    status: 1,
    said: expect.stringContaining('Nothing has been imported') as string,
  });
});
