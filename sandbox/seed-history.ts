import { sandboxFolder } from '@/server/shared/sandbox-folder';
import { type Logger, silentLogger } from '@/server/shared/log';
import { type Clock } from '@/server/shared/clock';
import { type SandboxApi, startSandboxApi } from '@/sandbox/api/sandbox-api';
import { startActors } from '@/sandbox/actors';
import { replayWrites } from '@/sandbox/replay-writes';
import { requireNoOtherInstance } from '@/sandbox/instance-lock';
import { openStateFolder } from '@/sandbox/state-folder';
import { SeedClock } from '@/sandbox/seed-clock';
import { FLEET } from '@/sandbox/seed/fleet/fleet';
import { type WorkloadSeed } from '@/sandbox/seed/workload-seed';
import { supportingObjectsOf } from '@/sandbox/seed/supporting-objects';
import { seedWritesOf } from '@/sandbox/seed/seed-writes';

export interface SeedHistoryOptions {
  /** Parent of the folder `sandbox` with all files of the sandbox. */
  readonly dataDir: string;
  /** Milliseconds since the epoch at which the seeded history ends; now by default. */
  readonly end?: number;
  /** Uids and generated names are the same for the same seed. Random by default. */
  readonly seed?: number;
  /** The shop's fleet by default. */
  readonly fleet?: readonly WorkloadSeed[];
  /** Milliseconds by which everything happens later than the fleet says; what is then after the end has not happened. */
  readonly delayMs?: number;
  readonly log?: Logger;
  /** Called with the seeded share, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
  /** Starts before the first write, and stops after the last. */
  readonly observer?: (stage: { api: SandboxApi; clock: Clock; folder: string }) => Promise<SeedObserver>;
}

/** An observer of the seeding; the clock waits for it. */
export interface SeedObserver {
  /** Resolves when everything so far has been observed. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

const HOUR_MS = 3_600_000;
const HISTORY_MS = 30 * 24 * HOUR_MS;

/**
 * Seeds the history of the month up to its end and saves the resulting state of the cluster. The same seed
 * and end give the same state, byte for byte. Until it completes the folder counts as not seeded. Throws
 * ConfigError when the folder is in use.
 */
export async function seedHistory(options: SeedHistoryOptions): Promise<void> {
  const { dataDir, end = Date.now(), seed, fleet = FLEET, delayMs = 0, log = silentLogger } = options;
  await requireNoOtherInstance(sandboxFolder(dataDir));
  const folder = openStateFolder(dataDir, 'fresh');
  const start = end - HISTORY_MS;
  const clock = new SeedClock(start);
  const writes = [
    ...supportingObjectsOf(fleet, start, end),
    ...fleet
      .flatMap((workload) => seedWritesOf(workload, end + delayMs))
      .map((write) => ({ ...write, at: Math.max(write.at, start) }))
      .filter(({ at }) => at <= end),
  ];
  // What an interrupted seeding has saved is discarded.
  const saved = { persistDir: folder.path, saves: 'atEnd' } as const;
  const api = await startSandboxApi({
    clock,
    ...saved,
    ...(seed !== undefined && { seed }),
    historyMax: 1_000,
  });
  const observer = await options.observer?.({ api, clock, folder: folder.path });
  const actors = startActors(api, clock, log, end - HOUR_MS);
  try {
    await replayWrites(
      { transport: actors.people, controllers: actors.controllers, clock, observer },
      writes,
      end,
      (share) => options.onProgress?.(share),
    );
  } finally {
    await actors.stop();
    await observer?.stop();
    await api.stop();
  }
  folder.markSeeded();
}
