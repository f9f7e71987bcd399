import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { loadCredentials } from '@/server/cluster/credentials';
import { loadKubeConfig } from '@/server/cluster/kubeconfig';
import { makeFolder } from '@/server/cluster/testing/kubeconfig-file';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';

let folder: ReturnType<typeof makeFolder>;
beforeEach(() => (folder = makeFolder()));
afterEach(() => folder.remove());

interface Parts {
  clusters?: Record<string, Record<string, unknown>>;
  users?: Record<string, Record<string, unknown>>;
  contexts?: Record<string, Record<string, unknown>>;
  current?: string;
}

function write(name: string, { clusters = {}, users = {}, contexts = {}, current }: Parts): string {
  const file = join(folder.path, name);
  mkdirSync(join(file, '..'), { recursive: true });
  const named = (entries: Record<string, unknown>, key: string) =>
    Object.entries(entries).map(([entry, value]) => ({ name: entry, [key]: value }));
  const config = {
    clusters: named(clusters, 'cluster'),
    users: named(users, 'user'),
    contexts: named(contexts, 'context'),
    'current-context': current,
  };
  writeFileSync(file, stringify(config));
  return file;
}

function load(files: string[], context?: string) {
  return loadKubeConfig({ kind: 'kubeconfig', files, ...(context === undefined ? {} : { context }) });
}

const one: Parts = {
  clusters: { c: { server: 'https://one.example:6443/' } },
  users: { u: { token: 'one' } },
  contexts: { ctx: { cluster: 'c', user: 'u' } },
};

test('merges several files as kubectl does: the first entry of a name counts, missing files are skipped', () => {
  const first = write('first', { ...one, users: {} });
  const second = write('second', {
    clusters: { c: { server: 'https://two.example' }, d: { server: 'https://d.example/k8s/clusters/d/' } },
    users: { u: { token: 'two' } },
    contexts: { other: { cluster: 'd', user: 'u' } },
    current: 'ctx',
  });
  const third = write('third', { current: 'other' });
  const files = [first, join(folder.path, 'missing'), second, third];
  const loaded = load(files);
  expect([loaded.context, loaded.server]).toEqual(['ctx', 'https://one.example:6443']);
  expect(loaded.config.getCurrentUser()?.token).toBe('two');
  expect(load(files, 'other').server).toBe('https://d.example/k8s/clusters/d');
});

test.each([
  ['an unknown context', { ...one, current: 'nope' }, /No context "nope" in .*; there is ctx/],
  ['no current context', one, /No current context .*SHIPLOG_CONTEXT/],
  ['a context without its cluster', { ...one, clusters: {}, current: 'ctx' }, /names a cluster that is not/],
  [
    'an address that is none',
    { ...one, clusters: { c: { server: 'one.example' } }, current: 'ctx' },
    /no http\(s\) address/,
  ],
  [
    'a user that is malformed',
    { ...one, users: { u: { 'as-groups': 'x' } }, current: 'ctx' },
    /cannot be read: users\.0/,
  ],
] as const)('explains %s', (_what, parts, message) => {
  expect(() => load([write('config', parts)])).toThrow(message);
});

test('explains a file that is no kubeconfig, and no file at all', () => {
  const file = join(folder.path, 'broken');
  writeFileSync(file, 'clusters: [');
  expect(() => load([file])).toThrow(/broken cannot be read/);
  writeFileSync(file, '');
  expect(() => load([file])).toThrow(/No current context/);
  expect(() => load([join(folder.path, 'gone')])).toThrow(/No kubeconfig at .*gone/);
});

test('resolves paths in a kubeconfig relative to it', () => {
  const file = write('sub/config', {
    ...one,
    users: { u: { tokenFile: 'token', exec: { apiVersion: 'v1', command: './bin/plugin' } } },
    current: 'ctx',
  });
  const { config, plugin } = load([file]);
  const user = config.getCurrentUser();
  expect(user?.authProvider).toEqual({
    name: 'tokenFile',
    config: { tokenFile: join(folder.path, 'sub/token') },
  });
  expect(plugin).toMatchObject({ command: join(folder.path, 'sub/bin/plugin') });
  expect(user?.exec).toBeUndefined();
});

test('accepts a plain http address, a user-less context and user-info in an address, without showing the latter', async () => {
  const file = write('config', {
    clusters: { c: { server: 'http://ann:pass@127.0.0.1:8001', 'certificate-authority-data': 'Q0E=' } },
    contexts: { ctx: { cluster: 'c' } },
    current: 'ctx',
  });
  const credentials = loadCredentials({ kind: 'kubeconfig', files: [file] }, new VirtualClock());
  expect(credentials.server).toBe('http://127.0.0.1:8001');
  const { headers, connection } = await credentials.current();
  expect(headers).toEqual({});
  expect(connection).toMatchObject({ type: 'direct', connect: { ca: Buffer.from('CA') } });
});

test('keeps the context of the start when the current context moves', async () => {
  const clock = new VirtualClock();
  const parts = { ...one, users: { u: { token: 'one' } }, current: 'ctx' };
  const file = write('config', parts);
  const credentials = loadCredentials({ kind: 'kubeconfig', files: [file] }, clock);
  write('config', {
    clusters: { ...one.clusters, d: { server: 'https://d.example' } },
    users: { u: { token: 'renewed' }, other: { token: 'wrong' } },
    contexts: { ...one.contexts, other: { cluster: 'd', user: 'other' } },
    current: 'other',
  });
  await clock.advance(10_000);
  credentials.renew();
  expect((await credentials.current()).headers).toEqual({ Authorization: 'Bearer renewed' });
});

test('presents no credentials of another API server that the context leads to by now', async () => {
  const clock = new VirtualClock();
  const file = write('config', { ...one, users: { u: { token: 'one' } }, current: 'ctx' });
  const credentials = loadCredentials({ kind: 'kubeconfig', files: [file] }, clock);
  const clusters = { c: { server: 'https://elsewhere.example' } };
  write('config', { ...one, clusters, users: { u: { token: 'of another' } }, current: 'ctx' });
  await clock.advance(10_000);
  credentials.renew();
  expect((await credentials.current()).headers).toEqual({ Authorization: 'Bearer one' });
});

test('rejects a SOCKS proxy and names the alternative', async () => {
  const file = write('config', {
    ...one,
    clusters: { c: { server: 'https://one.example', 'proxy-url': 'socks5://127.0.0.1:1080' } },
    current: 'ctx',
  });
  const credentials = loadCredentials({ kind: 'kubeconfig', files: [file] }, new VirtualClock());
  await expect(credentials.current()).rejects.toThrow(/SOCKS proxy.*http:\/\/ proxy/);
});

test('keeps the current credentials when a renewal finds a broken kubeconfig', async () => {
  const clock = new VirtualClock();
  const file = write('config', { ...one, current: 'ctx' });
  const credentials = loadCredentials({ kind: 'kubeconfig', files: [file] }, clock);
  writeFileSync(file, 'clusters: [');
  await clock.advance(10_000);
  credentials.renew();
  expect((await credentials.current()).headers).toEqual({ Authorization: 'Bearer one' });
});
