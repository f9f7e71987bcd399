import { expect, onTestFinished, test } from 'vitest';
import { loadCredentials } from '@/server/cluster/credentials';
import { makeFolder, writeKubeconfig } from '@/server/cluster/testing/kubeconfig-file';
import { systemClock } from '@/server/shared/clock';
import { personAs } from '@/server/identity/testing/fixed-identity';
import { ClusterRuntime } from '@/server/runtime/cluster-runtime';
import { entryOf } from '@/server/runtime/testing/fake-runtime';
import type { ClusterEntry } from '@/server/shared/cluster-entry';
import { Keys } from '@/server/shared/keys';
import { silentLogger } from '@/server/shared/log';
import { viewerNamed } from '@/server/shared/testing/viewers';

type Services = ConstructorParameters<typeof ClusterRuntime>[2];

/** Clusters that were opened and not started. */
function open(...entries: ClusterEntry[]): ClusterRuntime[] {
  const folder = makeFolder();
  onTestFinished(() => folder.remove());
  const files = [writeKubeconfig(folder.path, 'https://api.example', { token: 'of-process' })];
  const credentials = loadCredentials({ kind: 'kubeconfig', files }, systemClock);
  const runtimes: ClusterRuntime[] = [];
  const services = {
    config: {},
    log: silentLogger,
    keys: new Keys(Buffer.alloc(32)),
    archiveKeeper: { archive: null },
    runtimes: () => runtimes,
  } as unknown as Services;
  for (const entry of entries) runtimes.push(new ClusterRuntime(entry, credentials, services, undefined));
  return runtimes;
}

/** The names of the entries in which the first one looks, each with that of the viewer there. */
function hubsOf(runtimes: readonly ClusterRuntime[]): string[] {
  const viewed = runtimes[0]?.viewedBy(personAs(viewerNamed('ana')));
  const hubs = viewed?.context.hubsOf?.(viewed.viewer) ?? [];
  return hubs.map(({ cluster, viewer }) => {
    const found = runtimes.find((each) => each.cluster === cluster);
    return `${found?.entry.name} ${viewer.name}`;
  });
}

test('an Argo CD of another cluster is looked for as the same person there, in a few of them', () => {
  const names = Array.from({ length: 12 }, (_, index) => `c${index}`);
  expect(hubsOf(open(...names.map((name) => entryOf(name))))).toEqual(
    names.slice(1, 9).map((name) => `${name} ana`),
  );
});

test('or only in the one that the configuration names', () => {
  const argocd = { namespaces: ['argocd'], name: null, cluster: 'hub' };
  expect(hubsOf(open({ ...entryOf('prod'), argocd }, entryOf('other'), entryOf('hub')))).toEqual(['hub ana']);
});

test('a viewer whom no request of a person has made reads no other cluster', () => {
  const [first] = open(entryOf('a'), entryOf('b'));
  expect(first?.reads.hubsOf?.(viewerNamed('ana'))).toEqual([]);
});
