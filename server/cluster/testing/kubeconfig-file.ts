import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { testPair } from '@/server/cluster/testing/key-pairs';

/** A folder that the test removes at its end. */
export function makeFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'shiplog-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Writes a kubeconfig with one context `test`; returns its path. */
export function writeKubeconfig(
  folder: string,
  server: string,
  user: Record<string, unknown> = { token: 'secret-token' },
  cluster: Record<string, unknown> = {},
): string {
  const file = join(folder, 'config');
  const trust = server.startsWith('https:')
    ? { 'certificate-authority-data': Buffer.from(testPair.cert).toString('base64') }
    : {};
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'cluster', cluster: { server, ...trust, ...cluster } }],
    users: [{ name: 'user', user }],
    contexts: [{ name: 'test', context: { cluster: 'cluster', user: 'user' } }],
  };
  writeFileSync(file, stringify(config));
  return file;
}
