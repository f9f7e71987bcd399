import { type Logger, silentLogger } from '@/server/log';
import { type Clock } from '@/server/cluster/clock';
import { type SandboxApi, startSandboxApi } from '@/server/sandbox/api/sandbox-api';
import { startCast } from '@/server/sandbox/cast';
import { play } from '@/server/sandbox/play';
import { requireNobodyElse } from '@/server/sandbox/rival';
import { openStateFolder, sandboxFolder } from '@/server/sandbox/state-folder';
import { StoryClock } from '@/server/sandbox/story-clock';
import { FLEET } from '@/server/sandbox/story/fleet';
import { type WorkloadStory } from '@/server/sandbox/story/story';
import { surroundingsOf } from '@/server/sandbox/story/surroundings';
import { writesOf } from '@/server/sandbox/story/writes';

export interface FirstPlayOptions {
  /** Parent of the folder `sandbox` that everything is kept in. */
  readonly dataDir: string;
  /** Milliseconds since the epoch at which the story ends; now unless told otherwise. */
  readonly end?: number;
  readonly seed?: number;
  /** The shop's unless told otherwise. */
  readonly fleet?: readonly WorkloadStory[];
  readonly log?: Logger;
  /** Told how much has been played, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
  /** Comes before the first write, and leaves after the last. */
  readonly onlooker?: (stage: { api: SandboxApi; clock: Clock; folder: string }) => Promise<Onlooker>;
}

/** Somebody who watches the play; the clock waits for it. */
export interface Onlooker {
  /** Resolves when what has happened so far has been seen. */
  settled(): Promise<void>;
  leave(): Promise<void>;
}

const HOUR_MS = 3_600_000;
const STORY_MS = 30 * 24 * HOUR_MS;

/**
 * Plays the story from a month ago up to its end and saves how the cluster is then. The same seed and end give the
 * same state, byte for byte. Until it is over the folder counts as not played. Throws ConfigError when the folder is in
 * use.
 */
export async function playFirst(options: FirstPlayOptions): Promise<void> {
  const { dataDir, end = Date.now(), seed = 1, fleet = FLEET, log = silentLogger } = options;
  await requireNobodyElse(sandboxFolder(dataDir));
  const folder = openStateFolder(dataDir, 'fresh');
  const clock = new StoryClock(end - STORY_MS);
  const writes = [
    ...surroundingsOf(fleet, end - STORY_MS),
    ...fleet.flatMap((workload) => writesOf(workload, end)),
  ];
  // What a play that breaks off has saved counts for nothing.
  const kept = { persistDir: folder.path, saves: 'atEnd' } as const;
  const api = await startSandboxApi({ clock, seed, ...kept, historyMax: 1_000 });
  const onlooker = await options.onlooker?.({ api, clock, folder: folder.path });
  const cast = startCast(api, clock, log, end - HOUR_MS);
  try {
    await play(
      { transport: cast.people, controllers: cast.controllers, clock, onlooker },
      writes,
      end,
      (share) => options.onProgress?.(share),
    );
  } finally {
    await cast.leave();
    await onlooker?.leave();
    await api.stop();
  }
  folder.markPlayed();
}
