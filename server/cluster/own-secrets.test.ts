import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { loadCredentials, openCredentials } from '@/server/cluster/credentials';
import { OwnSecrets } from '@/server/cluster/own-secrets';
import { makeFolder } from '@/server/cluster/testing/kubeconfig-file';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import type { KubeRequest } from '@/server/cluster/kube-request';
import { createTransport } from '@/server/cluster/transport';
import type { ClusterEntry } from '@/server/shared/cluster-entry';
import { TestApi } from '@/sandbox/api/testing/api-client';
import { entryDefaults } from '@/server/shared/testing/entry-defaults';

const SECRETS = '/api/v1/namespaces/shiplog/secrets';
const CA = '-----BEGIN CERTIFICATE-----\nQQ==\n-----END CERTIFICATE-----\n';
const defaults = entryDefaults;
const discovery = { labelSelector: 'shiplog.dev/cluster', defaults };

async function begin() {
  const api = await TestApi.start();
  const folder = makeFolder();
  const file = join(folder.path, 'kubeconfig');
  writeFileSync(file, api.api.kubeconfig('admin'));
  const transport = createTransport({
    credentials: loadCredentials({ kind: 'kubeconfig', files: [file] }),
    readOnly: true,
  });
  const answers: string[] = [];
  const observed = {
    json: async (request: KubeRequest) => {
      const answer = await transport.json(request);
      answers.push(JSON.stringify(answer));
      return answer;
    },
    close: () => transport.close(),
  };
  const secrets = new OwnSecrets(observed, 'shiplog');
  onTestFinished(async () => {
    await secrets.close();
    folder.remove();
  });
  await api.post('/api/v1/namespaces', { metadata: { name: 'shiplog' } });
  async function put(name: string, data: Record<string, string>, metadata: object = {}): Promise<void> {
    const encoded = Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
    );
    const body = { metadata: { name, ...metadata }, data: encoded };
    await api.delete(`${SECRETS}/${name}`);
    const { code } = await api.post(SECRETS, body);
    expect(code).toBe(201);
  }
  return { api, secrets, put, answers };
}

function kubeconfig(user: object, cluster: object = { server: 'https://prod.example:6443' }): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster }],
    users: [
      { name: 'u', user },
      { name: 'other', user: { exec: { command: 'plugin' } } },
    ],
    contexts: [{ name: 'prod', context: { cluster: 'c', user: 'u', namespace: 'shop' } }],
    'current-context': 'prod',
  });
}

test('a Secret with server, ca, and token leads to its cluster', async () => {
  const { secrets, put } = await begin();
  await put('prod', { server: 'https://prod.example:6443/', ca: CA, token: 'abc\n' });
  const credentials = await openCredentials(
    { kind: 'secret', name: 'prod' },
    (name, context) => secrets.loadKubeConfig(name, context),
    new VirtualClock(),
    {},
  );
  expect([credentials.server, credentials.context]).toEqual(['https://prod.example:6443', 'prod']);
  const { headers, connection } = await credentials.current();
  expect(headers).toEqual({ Authorization: 'Bearer abc' });
  expect(connection).toMatchObject({ type: 'direct', connect: { ca: Buffer.from(CA.trim()) } });
});

test('a Secret with a kubeconfig works as the file does', async () => {
  const { secrets, put } = await begin();
  await put('prod', { kubeconfig: kubeconfig({ token: 'abc', as: 'ann', 'as-groups': ['sre'] }) });
  const { context, server, impersonate, plugin } = await secrets.loadKubeConfig('prod');
  expect({ context, server, impersonate, plugin }).toEqual({
    context: 'prod',
    server: 'https://prod.example:6443',
    impersonate: { user: 'ann', groups: ['sre'] },
    plugin: undefined,
  });
});

test.each([
  ['exec', kubeconfig({ exec: { command: 's3cret' } })],
  ['auth-provider', kubeconfig({ 'auth-provider': { name: 'gcp', config: { 'cmd-path': 's3cret' } } })],
  ['tokenFile', kubeconfig({ tokenFile: '/s3cret' })],
  ['token-file', kubeconfig({ 'token-file': '/s3cret' })],
  ['client-certificate', kubeconfig({ 'client-certificate': '/s3cret' })],
  ['client-key', kubeconfig({ 'client-key': 's3cret' })],
  [
    'certificate-authority',
    kubeconfig({}, { server: 'https://a.example', 'certificate-authority': '/s3cret' }),
  ],
])('a kubeconfig of a Secret runs no program and reads no file: %s', async (member, text) => {
  const { secrets, put } = await begin();
  await put('prod', { kubeconfig: text });
  const error = await secrets.loadKubeConfig('prod').catch((reason: unknown) => reason);
  expect(String(error)).toMatch(new RegExp(`Secret prod .* has ${member}; Shiplog runs no program`));
  expect(String(error)).not.toContain('s3cret');
});

test.each([
  ['nothing', {}, /needs the key kubeconfig, or server .*check server, token/],
  ['no address', { server: 's3cret', token: 'abc' }, /check server\./],
  ['a token of two lines', { server: 'https://a.example', token: 's3cret\nx' }, /check token\./],
  ['a CA that is none', { server: 'https://a.example', token: 'abc', ca: 's3cret' }, /check ca\./],
  ['text that is not YAML', { kubeconfig: 's3cret: [' }, /is not a kubeconfig/],
  ['another document', { kubeconfig: 's3cret' }, /is not a kubeconfig/],
  ['no context', { kubeconfig: 'contexts: []\nclusters: []\ncurrent-context: s3cret' }, /no current context/],
  ['an unknown member', { kubeconfig: kubeconfig({ s3cret: 1 }) }, /user of its kubeconfig has a member/],
  ['no server', { kubeconfig: kubeconfig({}, { server: 's3cret' }) }, /cluster of its kubeconfig has a mem/],
  [
    'a CA that is no base64',
    { kubeconfig: kubeconfig({ 'client-certificate-data': 5 }) },
    /user of its kubeconfig has a member/,
  ],
])('explains a Secret with %s without its data', async (_what, data, message) => {
  const { secrets, put } = await begin();
  await put('prod', data);
  const error = await secrets.loadKubeConfig('prod').catch((reason: unknown) => reason);
  expect(String(error)).toMatch(message);
  expect(JSON.stringify(error) + String(error)).not.toContain('s3cret');
});

test('a Secret that is absent is reported by its name', async () => {
  const { secrets } = await begin();
  await expect(secrets.loadKubeConfig('prod')).rejects.toThrow(/"prod" not found/);
});

async function openProd() {
  const { api, secrets, put } = await begin();
  const clock = new VirtualClock();
  const read = vi.fn((name: string, context?: string) => secrets.loadKubeConfig(name, context));
  await put('prod', { server: 'https://prod.example', token: 'one' });
  const credentials = await openCredentials({ kind: 'secret', name: 'prod' }, read, clock, {});
  async function token(): Promise<string | undefined> {
    return (await credentials.current()).headers.Authorization;
  }
  expect(await token()).toBe('Bearer one');
  return { api, put, clock, read, credentials, token };
}

test('a replaced Secret is used within a minute, and no request waits for it', async () => {
  const { put, clock, read, token } = await openProd();
  await put('prod', { server: 'https://prod.example', token: 'two' });
  await clock.advance(59_000);
  expect(await token()).toBe('Bearer one');
  expect(read).toHaveBeenCalledTimes(1);
  await clock.advance(1_000);
  expect(await token()).toBe('Bearer one');
  await vi.waitFor(async () => {
    await clock.advance(5_000);
    expect(await token()).toBe('Bearer two');
  });
});

test('a Secret is read again after its token was rejected', async () => {
  const { put, clock, credentials, token } = await openProd();
  await put('prod', { server: 'https://prod.example', token: 'two' });
  await clock.advance(6_000);
  credentials.renew();
  expect(await token()).toBe('Bearer two');
});

test('a Secret that is gone, broken, or of another API server leaves the credentials as they are', async () => {
  const { api, put, clock, credentials, token } = await openProd();
  await api.delete(`${SECRETS}/prod`);
  await clock.advance(6_000);
  credentials.renew();
  expect(await token()).toBe('Bearer one');
  const replacements: Record<string, string>[] = [
    { token: 'two' },
    { server: 'https://test.example', token: 'two' },
  ];
  for (const data of replacements) {
    await put('prod', data);
    await clock.advance(6_000);
    credentials.renew();
    expect(await token()).toBe('Bearer one');
  }
});

const labels = { 'shiplog.dev/cluster': 'yes' };

test('labelled Secrets become entries, and their data is not transferred', async () => {
  const { secrets, put, answers } = await begin();
  const annotations = {
    'shiplog.dev/name': 'prod',
    'shiplog.dev/title': 'Production',
    'shiplog.dev/stage': 'production',
    'shiplog.dev/read-only': 'true',
  };
  await put('b', { token: 's3cret' }, { labels, annotations });
  await put('shiplog-cluster-test', {}, { labels });
  await put('labelled', {}, { labels: { ...labels, 'shiplog.dev/name': 'by-label' } });
  await put('unlabelled', {});
  const found = await secrets.discover({ ...discovery, defaults: { ...defaults, stage: 'lab' } }, []);
  const common = { ...defaults, stage: 'lab', formerNames: [], id: null };
  expect(found).toEqual({
    entries: [
      {
        ...common,
        name: 'prod',
        title: 'Production',
        stage: 'production',
        readOnly: true,
        source: { kind: 'secret', name: 'b' },
      },
      {
        ...common,
        name: 'by-label',
        title: 'by-label',
        source: { kind: 'secret', name: 'labelled' },
      },
      {
        ...common,
        name: 'test',
        title: 'test',
        source: { kind: 'secret', name: 'shiplog-cluster-test' },
      },
    ],
    problems: [],
  });
  expect(answers.join()).not.toContain(Buffer.from('s3cret').toString('base64'));
});

test('a labelled Secret that cannot be an entry disturbs no other', async () => {
  const { secrets, put } = await begin();
  const prefixed = (members: Record<string, string>) => ({
    labels,
    annotations: Object.fromEntries(
      Object.entries(members).map(([member, value]) => [`shiplog.dev/${member}`, value]),
    ),
  });
  await put('a.b', {}, { labels });
  await put('c', {}, prefixed({ title: 'x'.repeat(101) }));
  await put('d', {}, prefixed({ stage: 'In production' }));
  await put('e', {}, prefixed({ 'read-only': 'yes' }));
  await put('f', {}, prefixed({ name: 'g' }));
  await put('g', {}, { labels });
  await put('listed-by-name', {}, { labels });
  await put('old', {}, { labels });
  const listed: ClusterEntry = {
    ...defaults,
    name: 'listed',
    title: 'listed',
    formerNames: ['old'],
    source: { kind: 'secret', name: 'listed-by-name' },
    id: null,
  };
  const { entries, problems } = await secrets.discover(discovery, [listed]);
  expect(entries.map(({ name }) => name)).toEqual(['g']);
  expect(problems).toEqual([
    'Secret a.b: "a.b" cannot be the name of a cluster; set the annotation shiplog.dev/name.',
    'Secret c: the annotation shiplog.dev/title must be at most 100 characters.',
    'Secret d: the annotation shiplog.dev/stage must be at most 40 characters of a-z, 0-9, and "-".',
    'Secret e: the annotation shiplog.dev/read-only must be "true" or "false".',
    'Secret g: there is another cluster "g".',
    'Secret old: there is another cluster "old".',
  ]);
});

test('a Secret can restrict a cluster to reading, but not allow to write', async () => {
  const { secrets, put } = await begin();
  await put('a', {}, { labels, annotations: { 'shiplog.dev/read-only': 'false' } });
  const readOnly = { ...discovery, defaults: { ...defaults, readOnly: true } };
  expect((await secrets.discover(readOnly, [])).entries).toMatchObject([{ readOnly: true }]);
});

test('there are no Secrets outside of a pod', () => {
  vi.stubEnv('KUBERNETES_SERVICE_HOST', undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(() => OwnSecrets.open()).toThrow(/does not run in a pod/);
});
