import { describe, expect, test } from 'vitest';
import { assertNamedCluster } from '@/server/reads/connected-cluster';

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
