import { expect, it } from 'vitest';
import { connectionState } from '@/server/reads/cluster';
import { Keys } from '@/server/shared/keys';
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
