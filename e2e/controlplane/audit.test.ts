import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { auditPosition, openWatches, readAudit } from '@/e2e/controlplane/audit';

const line = (auditID: string, stage: string, verb = 'watch') =>
  JSON.stringify({
    auditID,
    stage,
    verb,
    requestURI: '/apis/apps/v1/deployments?watch=1',
    user: { username: 'viewer' },
    objectRef: { resource: 'deployments', apiGroup: 'apps' },
    ...(stage === 'ResponseComplete' ? { responseStatus: { code: 200 } } : {}),
  });

async function logOf(...lines: string[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'audit-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const file = join(directory, 'audit.log');
  await writeFile(file, lines.map((text) => `${text}\n`).join(''));

  return file;
}

it('counts a watch as open until its response is complete', async () => {
  const file = await logOf(
    line('a', 'RequestReceived'),
    line('b', 'RequestReceived'),
    line('b', 'ResponseStarted'),
    line('c', 'RequestReceived', 'list'),
    line('a', 'ResponseComplete'),
  );

  expect(openWatches(await readAudit(file)).map(({ id }) => id)).toEqual(['b']);
});

it('reads the entries after a position, and leaves a half-written line for later', async () => {
  const file = await logOf(line('a', 'RequestReceived'));
  const mark = await auditPosition(file);
  await appendFile(file, `${line('b', 'ResponseComplete')}\n{"auditID":"c`);

  const entries = await readAudit(file, mark);

  expect(entries).toHaveLength(1);
  expect(entries[0]).toMatchObject({ id: 'b', user: 'viewer', resource: 'deployments.apps', code: 200 });
});

it('has no entries before the API server wrote any', async () => {
  expect(await readAudit('/nonexistent/audit.log')).toEqual([]);
});
