import { describe, expect, test } from 'vitest';
import { assertNamedCluster, connectedCluster } from '@/server/reads/connected-cluster';

describe('a query that names a cluster', () => {
  const cluster = {
    identity: { id: 'uid-1', name: 'prod', server: 'https://k8s', version: null },
  };
  const ask = (query: string) => () => assertNamedCluster(cluster, new URLSearchParams(query));

  test.each(['', 'namespace=shop', 'cluster=prod', 'cluster=uid-1', 'cluster=prod&cluster=uid-1'])(
    'passes where it is this one (%s)',
    (query) => expect(ask(query)).not.toThrow(),
  );

  test.each(['cluster=test', 'cluster=', 'cluster=prod&cluster=test', 'cluster=PROD'])(
    'is rejected where it is another one (%s)',
    (query) => {
      expect(ask(query)).toThrow(/connected to prod \(uid-1\) and to no cluster/);
    },
  );
});

describe('the records of the archive that are shown before the API server has answered', () => {
  const guessed = { id: 'hash', name: 'prod', server: 'https://k8s', version: null, isGuessed: true };

  test('are those of the cluster that had the same address before', () => {
    expect(connectedCluster({ identity: { ...guessed, formerId: 'uid-1' } })).toBe('uid-1');
  });

  test('are none where the address is new', () => {
    expect(() => connectedCluster({ identity: guessed })).toThrow(/never reached prod/);
  });
});
