import { join } from 'node:path';
import { type Transport } from '@/server/cluster/transport';
import { type Logger, silentLogger } from '@/server/log';
import { type SandboxApi, startSandboxApi } from '@/server/sandbox/api/sandbox-api';
import { type Controllers, startControllers } from '@/server/sandbox/controllers/controllers';
import { barrierOf } from '@/server/sandbox/controllers/engine/in-process-barrier';
import { transportAs } from '@/server/sandbox/own-transport';
import { play } from '@/server/sandbox/play';
import { openStateFolder } from '@/server/sandbox/state-folder';
import { StoryClock } from '@/server/sandbox/story-clock';
import { FLEET } from '@/server/sandbox/story/fleet';
import { surroundingsOf } from '@/server/sandbox/story/surroundings';
import { writesOf } from '@/server/sandbox/story/writes';

export interface SandboxOptions {
  /** Parent of the folder `sandbox` that everything is kept in. */
  readonly dataDir: string;
  /** Starts over, whatever was kept. */
  readonly reset?: boolean;
  /** Without workloads, and nothing happens by itself. */
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

const STORY_MS = 21 * 86_400_000;
const SEED = 1;
/** Nodes that the story's pods run on. */
const NODES = ['worker-1', 'worker-2', 'worker-3', 'worker-4', 'worker-5'].map((name) => ({ name }));
const OWNER = 'admin';
const MANAGER = 'system:kube-controller-manager';

/**
 * Starts a cluster of its own in this process: API server, controllers, and the story of a small shop up to now. The
 * first time the story is played; afterwards its state goes on.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { dataDir, reset = false, empty = false, port, log = silentLogger } = options;
  const folder = openStateFolder(join(dataDir, 'sandbox'), reset);
  const end = Date.now();
  const clock = new StoryClock(end - STORY_MS);
  if (folder.isPlayed) clock.goLive();
  const api = await startSandboxApi({
    clock,
    seed: SEED,
    persistDir: folder.path,
    ...(port !== undefined && { port }),
  });
  const asOwner = transportAs(api, OWNER);
  const asManager = transportAs(api, MANAGER);
  const start = (eventsFrom?: number) =>
    startControllers({
      transport: asManager,
      clock,
      log,
      nodes: NODES,
      barrier: barrierOf(api, MANAGER),
      ...(eventsFrom !== undefined && { eventsFrom }),
    });
  if (!folder.isPlayed) {
    const writes = empty
      ? []
      : [...surroundingsOf(FLEET, end - STORY_MS), ...FLEET.flatMap((workload) => writesOf(workload, end))];
    await stage(start(end - 3_600_000), (controllers) =>
      play({ transport: asOwner, controllers, clock }, writes, end, (at) =>
        options.onProgress?.(1 - (end - at) / STORY_MS),
      ),
    );
    clock.goLive();
    api.save();
    folder.markPlayed();
  }
  folder.writeKubeconfig(api.kubeconfig(OWNER));
  const controllers = start();
  return {
    url: api.url,
    dataDir: folder.path,
    kubeconfigPath: folder.kubeconfigPath,
    api,
    save: () => api.save(),
    stop: () => stopAll(controllers, [asOwner, asManager], api),
  };
}

async function stage(
  controllers: Controllers,
  act: (controllers: Controllers) => Promise<void>,
): Promise<void> {
  try {
    await act(controllers);
  } finally {
    await controllers.stop();
  }
}

async function stopAll(controllers: Controllers, transports: Transport[], api: SandboxApi): Promise<void> {
  await controllers.stop();
  await Promise.all(transports.map((transport) => transport.close()));
  await api.stop();
}
