import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadCredentials } from '@/server/cluster/credentials';
import type { KubeRequest } from '@/server/cluster/kube-request';
import { LiveCluster } from '@/server/cluster/live-cluster';
import {
  answerJson,
  answerStatus,
  type FakeApiServer,
  type Handler,
  startApiServer,
} from '@/server/cluster/testing/api-server';
import { renewedPair, testPair } from '@/server/cluster/testing/key-pairs';
import { makeFolder, writeKubeconfig } from '@/server/cluster/testing/kubeconfig-file';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import { createTransport } from '@/server/cluster/transport';
import { BearerToken } from '@/server/shared/bearer-token';
import { silentLogger } from '@/server/shared/log';
import { viewerNamed } from '@/server/shared/testing/viewers';
import type { Credential } from '@/server/shared/viewer';
import { failureOf } from '@/test/failure';

const get: KubeRequest = { method: 'GET', path: '/api/v1/pods' };
const patch: KubeRequest = { method: 'PATCH', path: '/api/v1/namespaces/shop/pods/cart', body: '[]' };
const ok: Handler = (_received, answer) => answerJson(answer, 200, { ok: true });
const rejecting: Handler = (_received, answer) => answerStatus(answer, 401, 'Unauthorized', 'Unauthorized');

const certificate = {
  'client-certificate-data': Buffer.from(testPair.cert).toString('base64'),
  'client-key-data': Buffer.from(testPair.key).toString('base64'),
};

async function setUp(
  user: Record<string, unknown>,
  handler = ok,
  { pair = testPair, readOnly = false } = {},
) {
  const api = await startApiServer(handler, pair);
  const folder = makeFolder();
  const clock = new VirtualClock();
  const file = writeKubeconfig(folder.path, api.url, user);
  const credentials = loadCredentials({ kind: 'kubeconfig', files: [file] }, clock);
  const transport = createTransport({ credentials, readOnly, clock });
  onTestFinished(async () => {
    await transport.close();
    await api.close();
    folder.remove();
  });
  return { api, transport, credentials, clock, folder: folder.path };
}

function tokenOf(text: string): Credential {
  return { kind: 'token', token: new BearerToken(text) };
}

/** The header lines that tell the API server who sends, of every request so far. */
function identities(api: FakeApiServer) {
  return api.received.map(({ lines, certificate: name }) => ({
    ...(name !== undefined && { certificate: name }),
    ...Object.fromEntries(lines.filter(([header]) => /^(authorization|impersonate-.*)$/.test(header))),
  }));
}

/** Runs a script that counts its runs in a file. */
function pluginIn(folder: string) {
  const [command, runs] = [join(folder, 'plugin.cjs'), join(folder, 'runs')];
  writeFileSync(runs, '');
  writeFileSync(
    command,
    `#!${process.execPath}
    require('node:fs').appendFileSync(${JSON.stringify(runs)}, '.');
    console.log(JSON.stringify({ status: { token: 'of-plugin' } }));`,
  );
  chmodSync(command, 0o700);
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command };
  return { exec, runs: () => readFileSync(runs, 'utf8').length };
}

test.each([
  ['a client certificate', certificate],
  ['a token', { token: 'of-process' }],
  ['a password', { username: 'robot', password: 'secret' }],
  ['its own impersonation', { token: 'of-process', as: 'robot', 'as-groups': ['x'], 'as-uid': '1' }],
  ['a certificate and an impersonation', { ...certificate, as: 'robot', 'as-user-extra': { scopes: ['a'] } }],
])('a viewer’s token goes without what the kubeconfig has: %s', async (_has, user) => {
  const { api, transport } = await setUp(user);
  const viewer = transport.as(tokenOf('of-ann'));
  await transport.json(get);
  await viewer.json(get);
  await transport.json(get);
  await viewer.text(patch);
  const [first, second, third, fourth] = identities(api);
  expect(first).toEqual(third);
  expect(first).not.toEqual({});
  for (const seen of [second, fourth]) expect(seen).toEqual({ authorization: 'Bearer of-ann' });
});

test('a viewer’s token needs no credential plugin of the kubeconfig', async () => {
  const folder = makeFolder();
  onTestFinished(folder.remove);
  const plugin = pluginIn(folder.path);
  const { api, transport } = await setUp({ exec: plugin.exec });
  await transport.as(tokenOf('of-ann')).json(get);
  expect(plugin.runs()).toBe(0);
  await transport.json(get);
  expect(plugin.runs()).toBe(1);
  expect(identities(api)).toEqual([
    { authorization: 'Bearer of-ann' },
    { authorization: 'Bearer of-plugin' },
  ]);
});

test('a rejected token of a viewer neither renews the credentials of the process nor is replaced by them', async () => {
  const folder = makeFolder();
  onTestFinished(folder.remove);
  const plugin = pluginIn(folder.path);
  const { api, transport, clock } = await setUp({ exec: plugin.exec });
  await transport.json(get);
  await clock.advance(10_000);
  api.handler = rejecting;
  const failure = await failureOf(transport.as(tokenOf('of-ann')).json(get));
  expect(failure).toMatchObject({ code: 'unauthorized', details: { status: 401, credential: 'viewer' } });
  expect(failure.message).toMatch(/does not accept your token; sign in again\.$/);
  expect(identities(api).slice(1)).toEqual([{ authorization: 'Bearer of-ann' }]);
  api.handler = ok;
  await transport.json(get);
  expect(plugin.runs()).toBe(1);
  expect(transport.stats.retries).toBe(0);
});

test('a 401 for an impersonated viewer is a matter of the process, which renews its credentials', async () => {
  const { api, transport, clock, folder } = await setUp({ token: 'stale' }, (received, answer) =>
    received.lines.some(([, value]) => value === 'Bearer fresh')
      ? ok(received, answer)
      : rejecting(received, answer),
  );
  const viewer = transport.as({ kind: 'impersonate', user: 'ann' });
  const { details } = await failureOf(viewer.json(get));
  expect(details).not.toHaveProperty('credential');
  writeKubeconfig(folder, api.url, { token: 'fresh' });
  await clock.advance(10_000);
  expect(await viewer.json(get)).toEqual({ ok: true });
  expect(identities(api).at(-1)).toEqual({ authorization: 'Bearer fresh', 'impersonate-user': 'ann' });
});

test('an impersonated viewer is nobody that the kubeconfig impersonates', async () => {
  const { api, transport } = await setUp({
    ...{ ...certificate, as: 'robot', 'as-uid': '1', 'as-groups': ['x'], 'as-user-extra': { scopes: ['a'] } },
  });
  await transport.as({ kind: 'impersonate', user: 'ann' }).json(get);
  expect(identities(api)).toEqual([{ certificate: 'test', 'impersonate-user': 'ann' }]);
});

test('for a viewer’s token, too, trusts the new authority of the kubeconfig after one rejected certificate', async () => {
  const { api, transport, clock, folder } = await setUp(certificate, ok, { pair: renewedPair });
  const viewer = transport.as(tokenOf('of-ann'));
  expect((await failureOf(viewer.json(patch))).code).toBe('cluster_unreachable');
  const authority = Buffer.from(renewedPair.cert).toString('base64');
  writeKubeconfig(folder, api.url, certificate, { 'certificate-authority-data': authority });
  await clock.advance(10_000);
  expect(await viewer.json(patch)).toEqual({ ok: true });
  expect(identities(api)).toEqual([{ authorization: 'Bearer of-ann' }]);
});

test('requests of several viewers and the process share connections, and never an identity', async () => {
  const { api, transport } = await setUp(certificate, (received, answer) => {
    answerJson(answer, 200, { path: received.url });
  });
  const credentials: Record<string, Credential> = {
    ann: tokenOf('ann'),
    bob: tokenOf('bob'),
    eve: { kind: 'impersonate', user: 'eve' },
    process: { kind: 'process' },
  };
  const names = Array.from({ length: 200 }, (_, index) => ['ann', 'bob', 'eve', 'process'][index % 4] ?? '');
  const paths = await Promise.all(
    names.map((name, index) =>
      transport.as(credentials[name] ?? { kind: 'process' }).json({
        ...get,
        path: `/api/v1/namespaces/${name}/pods/${index}`,
      }),
    ),
  );
  expect(paths).toEqual(names.map((name, index) => ({ path: `/api/v1/namespaces/${name}/pods/${index}` })));
  const expected: Record<string, object> = {
    ann: { authorization: 'Bearer ann' },
    bob: { authorization: 'Bearer bob' },
    eve: { certificate: 'test', 'impersonate-user': 'eve' },
    process: { certificate: 'test' },
  };
  const seen = identities(api);
  api.received.forEach(({ url }, index) => expect(seen[index]).toEqual(expected[url.split('/')[4] ?? '']));
  // 16 as the process, and as many with tokens.
  expect(api.connections).toBeLessThanOrEqual(32);
  expect(transport.stats).toMatchObject({ requests: 200, connectionsOpen: api.openConnections });
  await transport.close();
  await vi.waitFor(() => expect(api.openConnections).toBe(0));
});

test('a cluster sends as the viewer, and nothing for an identity of the system', async () => {
  const { api, transport, credentials, clock } = await setUp({ token: 'of-process' });
  const cluster = new LiveCluster({
    ...{ credentials, transport, clock, readOnly: false, namespaces: [], kinds: [], log: silentLogger },
  });
  await cluster.transportFor(viewerNamed('ann')).json(get);
  await cluster.transportFor({ ...viewerNamed('bob'), credential: tokenOf('of-bob') }).json(get);
  await cluster.transportFor(cluster.self).json(get);
  expect(identities(api)).toEqual([
    { authorization: 'Bearer of-process', 'impersonate-user': 'ann' },
    { authorization: 'Bearer of-bob' },
    { authorization: 'Bearer of-process' },
  ]);
  expect(() => cluster.transportFor(viewerNamed('system:admin'))).toThrow(/only the API server gives/);
});

test('a token of a viewer is sent to a server with TLS, or on this machine, and to no other', async () => {
  const { clock, folder } = await setUp({ token: 'of-process' });
  const tokenFor = (server: string) => {
    const files = [writeKubeconfig(folder, server, { token: 'of-process' })];
    const credentials = loadCredentials({ kind: 'kubeconfig', files }, clock);
    const transport = createTransport({ credentials, readOnly: false, clock });
    const options = { readOnly: false, namespaces: [], kinds: [], log: silentLogger };
    const cluster = new LiveCluster({ ...options, credentials, transport, clock });
    return () => cluster.transportFor({ ...viewerNamed('bob'), credential: tokenOf('of-bob') });
  };
  for (const server of ['https://api.example', 'http://127.0.0.1:1']) expect(tokenFor(server)).not.toThrow();
  for (const server of ['http://api.example', 'http://127.evil.example'])
    expect(tokenFor(server)).toThrow(/readable on the way/);
});

test('read-only lets reviews of every viewer out, and nothing else', async () => {
  const { api, transport } = await setUp({ token: 'of-process' }, ok, { readOnly: true });
  for (const credential of [tokenOf('of-ann'), { kind: 'impersonate', user: 'ann' } as const]) {
    const viewer = transport.as(credential);
    expect((await failureOf(viewer.json(patch))).code).toBe('read_only');
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    await viewer.json({ method: 'POST', path, body: '{}' });
  }
  expect(api.received.map(({ method }) => method)).toEqual(['POST', 'POST']);
});

test('no failure shows a viewer’s token', async () => {
  const token = 'eyJ.of-ann';
  const { api, transport } = await setUp({ token: 'of-process' });
  const viewer = transport.as(tokenOf(token));
  const handlers: Handler[] = [
    rejecting,
    (_received, answer) => answer.end('<html>'),
    (received) => received.socket.destroy(),
    () => undefined,
  ];
  for (const handler of handlers) {
    api.handler = handler;
    const failure = await failureOf(viewer.json({ ...patch, timeoutMs: 500 }));
    expect(inspect(failure, { depth: null, showHidden: true })).not.toContain(token);
    expect(JSON.stringify(failure.details)).not.toContain(token);
  }
});
