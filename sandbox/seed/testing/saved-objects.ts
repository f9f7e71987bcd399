import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '@/lib/kube/object';
import { seedHistory } from '@/sandbox/seed-history';
import type { WorkloadSeed } from '@/sandbox/seed/workload';

/** The objects at the end of a fleet's seeded history; `end` in milliseconds since the epoch. */
export async function playedObjects(fleet: readonly WorkloadSeed[], end: number): Promise<KubeObject[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'shiplog-seed-'));
  try {
    await seedHistory({ dataDir, end, fleet });
    return savedObjects(dataDir);
  } finally {
    rmSync(dataDir, { recursive: true });
  }
}

/** The objects that a sandbox has saved in a data directory. */
export function savedObjects(dataDir: string): KubeObject[] {
  return objectsIn(JSON.parse(readFileSync(join(dataDir, 'sandbox', 'cluster.json'), 'utf8')));
}

function objectsIn(value: unknown): KubeObject[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('kind' in value && 'metadata' in value) return [value as KubeObject];
  return Object.values(value).flatMap(objectsIn);
}
