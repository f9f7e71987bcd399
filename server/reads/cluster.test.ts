import { expect, it } from 'vitest';
import { clusterItem, connectionState } from '@/server/reads/cluster';
import { BearerToken } from '@/server/shared/bearer-token';
import { Keys } from '@/server/shared/keys';
import type { Viewer } from '@/server/shared/viewer';
import { processViewer, viewerNamed } from '@/server/shared/testing/viewers';

const self = processViewer('admin');
const { mask } = new Keys(Buffer.alloc(32, 7));
const message = 'The credential plugin /opt/login failed: no session for ops@10.2.0.7.';
const cluster = {
  connection: { state: 'unreachable' as const, message, observedAt: null, since: 0 },
  ready: true,
};

it('reveals the reason of a lost connection only to the identity of the process', () => {
  expect(connectionState(cluster, self, mask).connection.message).toBe(message);
  const other = connectionState(cluster, viewerNamed('ana'), mask);
  expect(other.connection).toMatchObject({
    state: 'unreachable',
    message: 'Shiplog cannot reach the API server.',
  });
});

it('says whether the cluster gets the token of the viewer', () => {
  const sources = {
    cluster: {
      ...cluster,
      identity: { id: 'a', name: 'a', server: 'https://a.example', version: null },
      cache: { states: () => [], kinds: () => [] },
    },
    config: { sandbox: false, readOnly: false, namespaces: [] },
    reads: { archive: null, keys: new Keys(Buffer.alloc(32, 7)) },
    recorderState: { state: 'recording', since: 0, reason: null },
    entry: { title: 'A', stage: null },
    ...{ controllers: undefined, objects: 0, templateBytes: 0 },
  } as unknown as Parameters<typeof clusterItem>[0];
  const ana: Viewer = { id: 'ana', name: 'ana', isProcess: false, credential: { kind: 'none' } };
  const token = { kind: 'token', token: new BearerToken('x.y.z') } as const;
  expect(clusterItem(sources, self).credential).toBe('process');
  expect(clusterItem(sources, { ...ana, credential: { kind: 'impersonate', user: 'ana' } }).credential).toBe(
    'impersonate',
  );
  const item = clusterItem(sources, { ...ana, credential: token });
  expect(item.credential).toBe('token');
  expect(JSON.stringify(item)).not.toContain('x.y.z');
});
