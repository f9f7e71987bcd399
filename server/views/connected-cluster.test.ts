import { describe, expect, test } from 'vitest';
import { connectedCluster } from '@/server/views/connected-cluster';

describe('the records of the archive that are shown before the API server has answered', () => {
  const guessed = { id: 'hash', name: 'prod', server: 'https://k8s', version: null, isGuessed: true };

  test('are those of the cluster that had the same address before', () => {
    expect(connectedCluster({ identity: { ...guessed, formerId: 'uid-1' } })).toBe('uid-1');
  });

  test('are none where the address is new', () => {
    expect(() => connectedCluster({ identity: guessed })).toThrow(/never reached prod/);
  });
});
