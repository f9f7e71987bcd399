import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { loadEntries } from '@/server/cluster/cluster-entries';
import { makeFolder } from '@/server/cluster/testing/kubeconfig-file';
import { readConfig } from '@/server/shared/config';
import { entryDefaults } from '@/server/shared/testing/entry-defaults';

let folder: string;
beforeEach(() => {
  const made = makeFolder();
  onTestFinished(made.remove);
  folder = made.path;
});

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function writeContexts(...contexts: string[]): string {
  const config = {
    clusters: [{ name: 'c', cluster: { server: 'https://one.example' } }],
    users: [{ name: 'u', user: {} }],
    contexts: contexts.map((name) => ({ name, context: { cluster: 'c', user: 'u' } })),
    'current-context': contexts[0],
  };
  return write('kubeconfig', stringify(config));
}

function load(env: Record<string, string>, text?: string) {
  return loadEntries(readConfig(env), text);
}

test('a cluster that wants the token of a person is refused where a proxy sends none', () => {
  const env = {
    ...{
      KUBECONFIG: writeContexts('prod'),
      SHIPLOG_AUTH: 'proxy-headers',
      SHIPLOG_PROXY_SECRET: 'of-the-proxy-and-long-enough-0123',
    },
    ...{ SHIPLOG_TRUSTED_PROXIES: '10.0.0.0/8', SHIPLOG_PUBLIC_URL: 'https://shiplog.example' },
  };
  expect(load(env).problems).toEqual([]);
  expect(load({ ...env, SHIPLOG_CREDENTIAL: 'token' })).toMatchObject({
    entries: [],
    problems: [expect.stringContaining('The credential of prod is token')],
  });
  const discovered = write(
    'clusters.yaml',
    'apiVersion: shiplog.dev/v1\ndiscover: {secrets: {labelSelector: x, credential: token}}',
  );
  expect(load({ ...env, SHIPLOG_CLUSTERS: discovered }).problems).toEqual([
    expect.stringContaining('The credential of discover.secrets is token'),
  ]);
});

test('without SHIPLOG_CLUSTERS the one entry is the context, under its own name', () => {
  const file = writeContexts('Admin@Prod', 'test');
  const env = { KUBECONFIG: file, SHIPLOG_NAMESPACES: 'shop', SHIPLOG_LINK_LOGS: 'https://logs.example/' };
  expect(load(env)).toEqual({
    entries: [
      {
        name: 'Admin@Prod',
        title: 'Admin@Prod',
        ...entryDefaults,
        formerNames: [],
        source: { kind: 'kubeconfig', files: [file], context: 'Admin@Prod' },
        id: null,
        namespaces: ['shop'],
        links: [{ label: 'Logs', url: 'https://logs.example/' }],
      },
    ],
    discovery: null,
    problems: [],
  });
  expect(load({ KUBECONFIG: file, SHIPLOG_CONTEXT: 'test' }).entries[0]?.name).toBe('test');
  expect(load({ KUBECONFIG: file, SHIPLOG_CONTEXT: 'gone' })).toMatchObject({
    entries: [],
    problems: [expect.stringContaining('No context "gone"')],
  });
});

test('every context has a name for URLs, and its own name as title', () => {
  const contexts = [
    'prod',
    'arn:aws:eks:eu-west-1:123456789012:cluster/prod',
    'arn:aws:eks:us-east-1:123456789012:cluster/prod',
    'Prod',
    'PROD!',
    'pod',
    'kubernetes-admin@kubernetes',
    '生产',
  ];
  const { entries, problems } = load({
    KUBECONFIG: writeContexts(...contexts),
    SHIPLOG_CLUSTERS: 'contexts',
    SHIPLOG_READ_ONLY: '1',
  });
  expect(problems).toEqual([]);
  expect(entries.map(({ name }) => name)).toEqual([
    'prod',
    'eks-eu-west-1-123456789012-cluster-prod',
    'eks-us-east-1-123456789012-cluster-prod',
    'prod-2',
    'prod-3',
    'pod-2',
    'kubernetes-admin-kubernetes',
    'cluster',
  ]);
  expect(entries.map(({ title }) => title)).toEqual(contexts);
  expect(entries.every(({ readOnly }) => readOnly)).toBe(true);
  expect(entries.map(({ source }) => source.kind === 'kubeconfig' && source.context)).toEqual(contexts);
});

test('contexts that differ at the beginning only have different names', () => {
  const long = `a${'-very-long-name'.repeat(4)}`;
  const { entries } = load({
    KUBECONFIG: writeContexts(long, `b${long.slice(1)}`),
    SHIPLOG_CLUSTERS: 'contexts',
  });
  const names = entries.map(({ name }) => name);
  expect(new Set(names).size).toBe(2);
  expect(names.every((name) => /^[a-z0-9-]{1,40}$/.test(name))).toBe(true);
});

test('a kubeconfig without contexts is a problem', () => {
  const KUBECONFIG = writeContexts();
  expect(load({ KUBECONFIG, SHIPLOG_CLUSTERS: 'contexts' })).toEqual({
    entries: [],
    discovery: null,
    problems: [`There is no context in ${KUBECONFIG}.`],
  });
});

test('the entries of a file are read again, from its folder or from the text of the caller', () => {
  const withName = (name: string) =>
    `apiVersion: shiplog.dev/v1\nclusters: [{name: ${name}, source: {kubeconfig: one.yaml}}]`;
  const path = write('clusters.yaml', withName('one'));
  const config = readConfig({ SHIPLOG_CLUSTERS: path, SHIPLOG_NAMESPACES: 'shop' });
  const namesIn = (text?: string) => loadEntries(config, text).entries.map(({ name }) => name);
  expect(loadEntries(config).entries).toMatchObject([
    { name: 'one', namespaces: ['shop'], source: { files: [join(folder, 'one.yaml')] } },
  ]);
  write('clusters.yaml', withName('two'));
  expect([namesIn(), namesIn(withName('three'))]).toEqual([['two'], ['three']]);
});

test('a file with a problem has no entries', () => {
  const path = write(
    'clusters.yaml',
    'apiVersion: shiplog.dev/v1\nclusters: [{name: a, source: {inCluster: true}}]',
  );
  const config = readConfig({ SHIPLOG_CLUSTERS: path });
  const wrong =
    'apiVersion: shiplog.dev/v1\nclusters: [{name: a, source: {inCluster: true}}, {name: b, source: {}}]';
  expect(loadEntries(config, wrong)).toEqual({
    entries: [],
    discovery: null,
    problems: [expect.stringMatching(/^clusters\[1\]\.source \(line 2\) names no source/)],
  });
});
