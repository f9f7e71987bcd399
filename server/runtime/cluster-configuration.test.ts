import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeFolder } from '@/server/cluster/testing/kubeconfig-file';
import { ClusterConfiguration } from '@/server/runtime/cluster-configuration';
import { clustersOf } from '@/server/runtime/testing/clusters-of';
import type { Config } from '@/server/shared/config';
import { silentLogger } from '@/server/shared/log';
import { entryDefaults } from '@/server/shared/testing/entry-defaults';

const withSecrets =
  'apiVersion: shiplog.dev/v1\nclusters: []\ndiscover:\n  secrets:\n    labelSelector: shiplog.dev/cluster=true\n';

async function start(text: string, discover: () => Promise<unknown>) {
  const folder = makeFolder();
  onTestFinished(() => folder.remove());
  const path = join(folder.path, 'clusters.yaml');
  writeFileSync(path, text);
  const config = {
    ...entryDefaults,
    auth: { mode: 'oidc' },
    clusters: { kind: 'file', path },
  } as unknown as Config;
  const configuration = new ClusterConfiguration({
    config,
    clusters: await clustersOf([], true),
    log: silentLogger,
    onProblem: () => undefined,
    secrets: () => ({ discover }) as never,
  });
  onTestFinished(() => configuration.stop());
  await configuration.start();
  return configuration;
}

test('clusters may be missing until the labelled Secrets have been listed', async () => {
  const listed = Promise.withResolvers<unknown>();
  const configuration = await start(withSecrets, () => listed.promise);
  expect(configuration.gap).toBe('The labelled Secrets have not been listed yet.');
  listed.resolve({ entries: [], problems: [] });
  await vi.waitFor(() => expect(configuration.gap).toBeNull());
});

test('clusters may be missing while a Secret can not be read', async () => {
  const problems = ['Secret eu has no kubeconfig.'];
  const configuration = await start(withSecrets, () => Promise.resolve({ entries: [], problems }));
  await vi.waitFor(() => expect(configuration.gap).toBe('Secret eu has no kubeconfig.'));
});

test('a file without discovery names all of them', async () => {
  const configuration = await start(
    'apiVersion: shiplog.dev/v1\nclusters:\n  - name: eu\n    source: { kubeconfig: /nowhere, context: eu }\n',
    () => Promise.reject(new Error('not asked')),
  );
  expect(configuration.gap).toBeNull();
});
