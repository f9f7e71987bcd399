import { type Logger, silentLogger } from '@/server/log';
import { type SandboxApi, startSandboxApi } from '@/server/sandbox/api/sandbox-api';
import { OWNER, startCast } from '@/server/sandbox/cast';
import { startDailyLife } from '@/server/sandbox/daily-life';
import { playFirst } from '@/server/sandbox/first-play';
import { requireNobodyElse } from '@/server/sandbox/rival';
import { isPlayed, openStateFolder, sandboxFolder } from '@/server/sandbox/state-folder';
import { storyLog } from '@/server/sandbox/story/logs';
import { systemClock } from '@/server/cluster/clock';

export interface SandboxOptions {
  /** Parent of the folder `sandbox` that everything is kept in. */
  readonly dataDir: string;
  /** Starts over, whatever was kept. */
  readonly reset?: boolean;
  /** No story is played, and nothing happens by itself. */
  readonly empty?: boolean;
  /** Any free one unless told otherwise. */
  readonly port?: number;
  readonly log?: Logger;
  /** Told how much of the story has been played, from 0 to 1. Never called when a story goes on. */
  readonly onProgress?: (share: number) => void;
}

export interface Sandbox {
  readonly url: string;
  /** Where its state is, and where what belongs to it alone should go. */
  readonly dataDir: string;
  /** For kubectl, Shiplog and whoever else; the token in it changes with every start. */
  readonly kubeconfigPath: string;
  readonly api: SandboxApi;
  /** Saves the state now, before it returns. */
  save(): void;
  stop(): Promise<void>;
}

/** Watches of this process are never far behind, and each change that is kept costs some 10 KB. */
const HISTORY_MAX = 2_000;

/**
 * Starts a cluster of its own in this process: API server, controllers, and a small shop's fleet on which small things
 * go on happening. The first time the shop's story of a month is played; afterwards its state goes on. Throws
 * ConfigError when another process serves it.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { dataDir, reset = false, empty = false, port, log = silentLogger, onProgress } = options;
  await requireNobodyElse(sandboxFolder(dataDir));
  if (!empty && (reset || !isPlayed(dataDir)))
    await playFirst({ dataDir, log, ...(onProgress && { onProgress }) });
  const folder = openStateFolder(dataDir, empty && reset ? 'fresh' : 'kept');
  const api = await startSandboxApi({
    persistDir: folder.path,
    historyMax: HISTORY_MAX,
    logs: storyLog,
    ...(port !== undefined && { port }),
  });
  const kubeconfigPath = folder.writeKubeconfig(api.kubeconfig(OWNER));
  const cast = startCast(api, systemClock, log);
  const life = empty ? undefined : startDailyLife(cast.people, log);
  return {
    url: api.url,
    dataDir: folder.path,
    kubeconfigPath,
    api,
    save: () => api.save(),
    stop: async () => {
      await life?.stop();
      await cast.leave();
      await api.stop();
    },
  };
}
