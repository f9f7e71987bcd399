import { expect, test } from 'vitest';
import { AppError } from '@/lib/errors';
import type { Json } from '@/lib/kube/json';
import type { ResourceType } from '@/lib/kube/resource';
import { discover, discoverIdentity } from '@/server/cluster/discovery';
import { statusError } from '@/server/cluster/testing/fake-collection';
import type { KubeRequest } from '@/server/cluster/kube-request';

function typeOf(id: string, versions: string[]): ResourceType {
  const [plural = '', ...group] = id.split('.');
  return { id, group: group.join('.'), versions, plural, kind: plural };
}

function apiOf(answers: Record<string, Json | AppError>) {
  const asked: string[] = [];
  return {
    asked,
    server: 'https://api.example',
    json({ path }: KubeRequest): Promise<Json> {
      asked.push(path);
      const answer =
        answers[path] ?? statusError(404, 'NotFound', 'the server could not find the requested resource');
      return answer instanceof AppError ? Promise.reject(answer) : Promise.resolve(answer);
    },
  };
}

function resources(...names: string[]): Json {
  return { resources: names.map((name) => ({ name, namespaced: true, verbs: ['list', 'watch'] })) };
}

test('finds each resource in the first preferred version that is served, with its subresources', async () => {
  const api = apiOf({
    '/api/v1': resources('pods', 'pods/log'),
    '/apis/apps/v1': resources('deployments', 'deployments/scale', 'deployments/status', 'replicasets'),
    '/apis/apps.kruise.io/v1alpha1': resources('clonesets'),
    '/apis/apps.kruise.io/v1beta1': resources('statefulsets'),
    '/apis/broken.example/v1': statusError(503, 'ServiceUnavailable', 'no endpoints'),
  });
  const found = await discover(api, [
    typeOf('deployments.apps', ['v1']),
    typeOf('replicasets.apps', ['v1']),
    typeOf('pods', ['v1']),
    typeOf('clonesets.apps.kruise.io', ['v1beta1', 'v1alpha1']),
    typeOf('rollouts.argoproj.io', ['v1alpha1']),
    typeOf('things.broken.example', ['v1']),
  ]);
  expect(
    found.map((entry) => [entry.type.id, entry.state, 'version' in entry ? entry.version : undefined]),
  ).toEqual([
    ['deployments.apps', 'served', 'v1'],
    ['replicasets.apps', 'served', 'v1'],
    ['pods', 'served', 'v1'],
    ['clonesets.apps.kruise.io', 'served', 'v1alpha1'],
    ['rollouts.argoproj.io', 'absent', undefined],
    ['things.broken.example', 'unknown', undefined],
  ]);
  expect(found[0]).toMatchObject({ subresources: ['scale', 'status'] });
  expect(api.asked.filter((path) => path === '/apis/apps/v1').length).toBe(1);
});

const credentials = { context: 'prod', clusterHash: 'hash' };

test('identifies a cluster by the uid of kube-system, else by its address and CA', async () => {
  const version = { gitVersion: 'v1.36.3' };
  const namespace = { metadata: { uid: 'uid-1' } };
  const api = apiOf({ '/version': version, '/api/v1/namespaces/kube-system': namespace });
  expect(await discoverIdentity(api, credentials, undefined)).toEqual({
    id: 'uid-1',
    name: 'prod',
    server: 'https://api.example',
    version: 'v1.36.3',
    aliases: ['hash'],
    hash: 'hash',
    isStated: true,
  });
  const refused = apiOf({ '/api/v1/namespaces/kube-system': statusError(403, 'Forbidden', 'no') });
  expect(await discoverIdentity(refused, credentials, undefined)).toMatchObject({
    id: 'hash',
    version: null,
    isStated: false,
  });
});

test.each([
  ['found as before by its uid, at a new address', 'uid-1', { 'uid-1': 'old', hash: 'other' }, 'old'],
  [
    'known by its address, since kube-system could not be read: that id stays',
    'uid-1',
    { hash: 'hash' },
    'hash',
  ],
  ['another one behind the same address and CA', 'uid-2', { hash: 'uid-1' }, 'uid-2'],
  [
    'found as before by its address, since kube-system can no longer be read',
    null,
    { hash: 'uid-1' },
    'uid-1',
  ],
])('a cluster is %s', async (_, uid, known: Record<string, string>, id) => {
  const namespace = uid === null ? statusError(403, 'Forbidden', 'no') : { metadata: { uid } };
  const api = apiOf({ '/api/v1/namespaces/kube-system': namespace });
  const found = await discoverIdentity(api, credentials, { idOf: (alias) => known[alias] });
  expect(found.id).toBe(id);
  expect(new Set([found.id, ...(found.aliases ?? [])])).toEqual(
    new Set([id, 'hash', ...(uid === null ? [] : [uid])]),
  );
});

test('gives an unreachable cluster no identity rather than a wrong one', async () => {
  const away = new AppError('cluster_unreachable', 'gone');
  const api = apiOf({ '/version': { gitVersion: 'v1' }, '/api/v1/namespaces/kube-system': away });
  await expect(discoverIdentity(api, credentials, undefined)).rejects.toBe(away);
});
