import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AppError } from '@/lib/errors';
import { CredentialPlugin } from '@/server/cluster/credential-plugin';
import { makeFolder } from '@/server/cluster/testing/kubeconfig-file';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';

let folder: ReturnType<typeof makeFolder>;
let clock: VirtualClock;

beforeEach(() => {
  folder = makeFolder();
  clock = new VirtualClock();
});
afterEach(() => folder.remove());

/** A shell script that notes its process id, and then runs the current commands of the test. */
function pluginOf(script: string): CredentialPlugin {
  tell(script);
  const command = `echo $$ >> ${fileOf('runs')}; . ${fileOf('script')}`;
  return new CredentialPlugin({ command: '/bin/sh', args: ['-c', command], env: {} }, clock, () => 1);
}

const fileOf = (name: string) => join(folder.path, name);
const tell = (script: string) => writeFileSync(fileOf('script'), script);
const runs = () =>
  existsSync(fileOf('runs')) ? readFileSync(fileOf('runs'), 'utf8').trim().split('\n').map(Number) : [];

function printing(token: string, seconds?: number): string {
  const expiry =
    seconds === undefined
      ? {}
      : { expirationTimestamp: new Date(clock.now() + seconds * 1_000).toISOString() };
  return `echo '${JSON.stringify({ status: { token, ...expiry } })}'`;
}

async function messageOf(plugin: CredentialPlugin): Promise<string> {
  const error: unknown = await plugin.current().catch((reason: unknown) => reason);
  if (error instanceof AppError && error.code === 'unauthorized') return error.message;
  throw new Error('Expected an AppError.', { cause: error });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('a plugin that hangs runs once for all callers, and is killed after a minute with its child processes', async () => {
  const plugin = pluginOf(`sleep 600 & echo $! > ${fileOf('child')}; wait`);
  const asked = [messageOf(plugin)];
  await vi.waitFor(() => expect(existsSync(fileOf('child'))).toBe(true), 10_000);
  for (let round = 0; round < 11; round += 1) {
    await clock.advance(5_000);
    asked.push(messageOf(plugin));
  }
  expect(runs()).toHaveLength(1);
  await clock.advance(5_000);
  for (const message of await Promise.all(asked)) expect(message).toContain('did not respond within 60 s');
  const pids = [...runs(), Number(readFileSync(fileOf('child'), 'utf8'))];
  await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), 10_000);
});

test('a plugin that reads its input gets an end of file at once', async () => {
  const plugin = pluginOf(`read answer || ${printing('none')}`);
  expect(await plugin.current()).toMatchObject({ token: 'none' });
});

test('renews a token a minute before it expires, while it is still in use', async () => {
  const plugin = pluginOf(printing('first', 600));
  expect(await plugin.current()).toMatchObject({ token: 'first' });
  await clock.advance(539_000);
  await plugin.current();
  expect(runs()).toHaveLength(1);
  tell(printing('second', 1_200));
  await clock.advance(2_000);
  expect(await plugin.current()).toMatchObject({ token: 'first' });
  await vi.waitFor(async () => expect(await plugin.current()).toMatchObject({ token: 'second' }), 10_000);
  expect(runs()).toHaveLength(2);
});

test('uses a token that cannot be renewed until it expires', async () => {
  const plugin = pluginOf(printing('first', 600));
  await plugin.current();
  tell('echo "no network" >&2; exit 1');
  await clock.advance(545_000);
  expect(await plugin.current()).toMatchObject({ token: 'first' });
  await vi.waitFor(() => expect(runs()).toHaveLength(2), 10_000);
  // Past the token's end, but not past the limit of a plugin that may still be running.
  await clock.advance(56_000);
  expect(await messageOf(plugin)).toContain('no network');
});

test('runs a failing plugin with growing pauses, and answers callers in between with the last failure', async () => {
  const plugin = pluginOf('echo "session expired" >&2; exit 1');
  expect(await messageOf(plugin)).toContain('session expired');
  const startedAt: number[] = [];
  for (let second = 0; second < 120; second += 1) {
    const before = runs().length;
    expect(await messageOf(plugin)).toContain('session expired');
    if (runs().length > before) startedAt.push(second);
    await clock.advance(1_000);
  }
  expect(startedAt).toEqual([1, 3, 7, 14, 27, 53, 105]);
});

test('masks and shortens the output of a plugin', async () => {
  const plugin = pluginOf(
    `printf 'x%.0s' $(seq 3000) >&2; echo ' at https://ops:hunter2@sso/?password=correct-horse' >&2; exit 1`,
  );
  const message = await messageOf(plugin);
  expect(message).not.toMatch(/hunter2|correct-horse/);
  expect(message.length).toBeLessThan(300);
  expect(message).toContain('The credential plugin /bin/sh failed: …');
});

test('renews a rejected token at once, and one that is rejected again after a pause', async () => {
  const plugin = pluginOf(printing('first'));
  await plugin.current();
  plugin.markRejected();
  tell(printing('second'));
  expect(await plugin.current()).toMatchObject({ token: 'second' });
  plugin.markRejected();
  tell(printing('third'));
  expect(await plugin.current()).toMatchObject({ token: 'second' });
  expect(runs()).toHaveLength(2);
  await clock.advance(1_000);
  expect(await plugin.current()).toMatchObject({ token: 'third' });
});

test.each([
  ['echo nonsense', 'not an ExecCredential'],
  [`echo '{"status":{}}'`, 'neither a token nor a certificate'],
  [`echo '{"status":{"token":"t","expirationTimestamp":"1970-01-01T00:00:00Z"}}'`, 'expired credential'],
])('%s is no credential', async (script, problem) => {
  expect(await messageOf(pluginOf(script))).toContain(problem);
});
