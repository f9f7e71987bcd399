import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { openArchive } from '@/server/archive/open';
import { makeFolder } from '@/server/cluster/testing/kubeconfig-file';
import { type Variable, variables } from '@/server/shared/variables';

const root = fileURLToPath(new URL('..', import.meta.url));
const KEY = 'the-local-key-of-tests-has-43-characters-000';
/** Part of every secret. */
const SECRET = 'Zq9x';

let folder: string;
let dataDir: string;

beforeEach(() => {
  const made = makeFolder();
  onTestFinished(made.remove);
  folder = made.path;
  dataDir = join(folder, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  writeFileSync(join(dataDir, 'local-key'), `${KEY}\n`, { mode: 0o600 });
});

interface Bundle {
  server: unknown;
  refusal: string | null;
  configuration: { variables: Record<string, string>; problem: string | null };
  dataDirectory: { files: { name: string; mode: string }[]; archive: { schema: number } | null } | null;
}

/** Runs beside the server of the test; `env` is all that it has. */
async function makeBundle(env: Record<string, string>): Promise<{ bundle: Bundle; written: string }> {
  const file = join(folder, 'bundle.json');
  const child = spawn(process.execPath, ['scripts/support-bundle.mjs', file], {
    cwd: root,
    env: { NODE_ENV: 'test', HOME: folder, SHIPLOG_DATA_DIR: dataDir, ...env },
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const [said, problem] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  expect(problem).toBe('');
  expect(said).toContain('read it before you send it');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const written = readFileSync(file, 'utf8');
  return { bundle: JSON.parse(written) as Bundle, written: written + said };
}

/** Answers as Shiplog does, and only to what Shiplog would answer. */
async function startServer(): Promise<number> {
  const server = createServer(({ url, headers }, response) => {
    const isOurs = url === '/api/support' && headers.host?.startsWith('localhost:') === true;
    if (!isOurs || headers.authorization !== `Bearer ${KEY}`)
      return response.writeHead(401).end(JSON.stringify({ error: { message: 'Another key.' } }));
    return response.end(JSON.stringify({ readiness: { ready: true } }));
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

test('has what the running server reports', async () => {
  const PORT = String(await startServer());
  const { bundle } = await makeBundle({ PORT, SHIPLOG_HOST: '0.0.0.0', SHIPLOG_AUTH: 'anonymous' });
  expect(bundle).toMatchObject({ server: { readiness: { ready: true } }, refusal: null });
});

test('states why the server reports nothing, and has the rest', async () => {
  const archive = await openArchive({ databaseUrl: undefined, dataDir });
  await archive.close();
  const { bundle } = await makeBundle({ PORT: '1' });
  expect(bundle).toMatchObject({ server: null, refusal: expect.stringContaining('ECONNREFUSED') as string });
  expect(bundle.dataDirectory?.archive?.schema).toBeGreaterThan(10);
  const files = bundle.dataDirectory?.files.map(({ name, mode }) => `${name} ${mode}`);
  expect(files).toEqual(expect.arrayContaining(['archive.db 600', 'local-key 600']));
});

test('states that the server has another data directory', async () => {
  writeFileSync(join(dataDir, 'local-key'), 'x');
  const { bundle } = await makeBundle({ PORT: String(await startServer()) });
  expect(bundle).toMatchObject({ server: null, refusal: 'Another key.' });
});

test('states that Shiplog has never run with this data directory', async () => {
  rmSync(join(dataDir, 'local-key'));
  const { bundle } = await makeBundle({});
  expect(bundle.refusal).toBe(
    `The local key in ${dataDir} cannot be read (ENOENT). Is it the data directory of Shiplog?`,
  );
});

test('of a configuration that Shiplog refuses has every problem', async () => {
  const { bundle } = await makeBundle({ SHIPLOG_RETENTION_DAYS: 'many', SHIPLOG_HOST: '0.0.0.0' });
  expect(bundle.configuration.problem).toMatch(
    /SHIPLOG_RETENTION_DAYS is "many".*SHIPLOG_HOST is 0\.0\.0\.0/,
  );
  expect(bundle.refusal).toBe(bundle.configuration.problem);
});

test.each([
  ['a valid configuration', {}],
  ['an invalid one', { PORT: 'x' }],
])('has no secret of %s', async (_, change) => {
  const secret = Object.entries<Variable>(variables).filter(([, { isSecret }]) => isSecret);
  const env: Record<string, string> = Object.fromEntries(
    secret.map(([name]) => [name, `${SECRET}-0123456789-0123456789-0123456789`]),
  );
  Object.assign(env, {
    DATABASE_URL: `postgres://shiplog:${SECRET}@127.0.0.1:1/shiplog`,
    SHIPLOG_PROMETHEUS_URL: `https://x:${SECRET}@prometheus.example`,
    SHIPLOG_WEBHOOK_URL: `https://hooks.example/${SECRET}`,
    SHIPLOG_LINK_LOGS: `https://logs:${SECRET}@logs.example/{name}?token=${SECRET}`,
    HTTPS_PROXY: `http://proxy:${SECRET}@proxy.example`,
    ...change,
  });
  const { bundle, written } = await makeBundle(env);
  expect(bundle.configuration.variables).toMatchObject({ DATABASE_URL: '(set)', HTTPS_PROXY: '(set)' });
  expect(written).not.toContain(SECRET);
  expect(written).not.toContain(KEY);
});
