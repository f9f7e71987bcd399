import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { canonicalJson, type JsonObject } from '@/lib/kube/json';
import type { RolloutRecord } from '@/lib/api/record';
import { Archive, type IncarnationRecording } from '@/server/archive/archive';
import { compress } from '@/server/archive/column-values';
import type { Lease } from '@/server/archive/lease';
import type { ArchiveDatabase } from '@/server/archive/migrations/schema';
import { openDatabase } from '@/server/archive/open';

/** These tests are not about the disk, for which every transaction waits. */
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** An archive that is empty at first, and is removed at the end of the test. */
export class TestArchive extends Archive {
  readonly #database: ArchiveDatabase;

  static async open(): Promise<TestArchive> {
    const dataDir = mkdtempSync(join(FOLDER, 'shiplog-test-archive-'));
    const archive = new TestArchive(await openDatabase({ databaseUrl: undefined, dataDir }));
    onTestFinished(async () => {
      await archive.close();
      rmSync(dataDir, { recursive: true });
    });
    return archive;
  }

  private constructor(database: ArchiveDatabase) {
    super(database, 0);
    this.#database = database;
  }

  /** Records rollouts of a workload that exists, or was deleted then. */
  async put(records: readonly RolloutRecord[], deletedAt: string | null = null): Promise<void> {
    const recordings = records.map((record): IncarnationRecording => ({
      incarnation: { ...record.workload, createdAt: new Date(0).toISOString(), deletedAt },
      revisions: [],
      activations: [],
      records: [record],
    }));
    for (const [cluster, own] of Map.groupBy(recordings, ({ incarnation }) => incarnation.cluster)) {
      const lease = (await this.leases.acquire('test', 0, cluster)) as Lease;
      await this.record(lease, own, 0);
    }
  }

  /** Stores templates under names that are none of their hashes. */
  async putBodies(bodies: Readonly<Record<string, JsonObject>>): Promise<void> {
    const rows = Object.entries(bodies).map(([hash, body]) => ({
      hash,
      bytes: compress(canonicalJson(body)),
      masked: 0,
    }));
    await this.#database.db
      .insertInto('body')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}
