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
    'is refused where it is another one (%s)',
    (query) => {
      expect(ask(query)).toThrow(/connected to prod \(uid-1\) and to no cluster/);
    },
  );
});

describe('the part of the archive that is shown before the API server has answered', () => {
  const guessed = { id: 'hash', name: 'prod', server: 'https://k8s', version: null, isGuessed: true };

  test('is that of the cluster to which the address led before', () => {
    expect(connectedCluster({ identity: { ...guessed, formerId: 'uid-1' } })).toBe('uid-1');
  });

  test('is none where it never led to any', () => {
    expect(() => connectedCluster({ identity: guessed })).toThrow(/never reached prod/);
  });
});
