import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KnownClusters } from '@/server/cluster/known-clusters';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shiplog-known-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('recognizes the cluster behind an address at the next start, and its replacement after that', () => {
  const known = new KnownClusters(folder);
  expect(known.idOf('address-1')).toBeUndefined();
  known.remember('address-1', 'uid-1');
  known.remember('address-2', 'uid-2');
  expect(new KnownClusters(folder).idOf('address-1')).toBe('uid-1');
  known.remember('address-1', 'uid-3');
  expect(new KnownClusters(folder).idOf('address-1')).toBe('uid-3');
  expect(new KnownClusters(folder).idOf('address-2')).toBe('uid-2');
});

test('ignores a damaged file and replaces it', () => {
  writeFileSync(join(folder, 'clusters.json'), '{"address-1": 7');
  const known = new KnownClusters(folder);
  expect(known.idOf('address-1')).toBeUndefined();
  known.remember('address-1', 'uid-1');
  expect(known.idOf('address-1')).toBe('uid-1');
});
