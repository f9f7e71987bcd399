import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '@/server/cluster/testing/kubeconfig-file';
import { namesCluster } from '@/server/cluster/named-cluster';

test.each([
  ['current-context: prod', true],
  ['current-context: ""', false],
  ['current-context:', false],
  ['kind: Config', false],
  ['', false],
  ['{ this is : not [ yaml', true],
])('a kubeconfig names a cluster if it has a current context, or might have: %j', (text, expected) => {
  const folder = makeFolder();
  const file = join(folder.path, 'config');
  writeFileSync(file, text);
  expect(namesCluster({ kind: 'kubeconfig', files: [join(folder.path, 'gone'), file] })).toBe(expected);
  folder.remove();
});

test('a requested context, and a service account, name a cluster', () => {
  expect(namesCluster({ kind: 'kubeconfig', files: ['/gone'], context: 'prod' })).toBe(true);
  expect(namesCluster({ kind: 'in_cluster' })).toBe(true);
  expect(namesCluster({ kind: 'none' })).toBe(false);
});
