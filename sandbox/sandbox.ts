import { sandboxFolder } from '@/server/shared/sandbox-folder';
import { type Logger, silentLogger } from '@/server/shared/log';
import { type SandboxApi, startSandboxApi } from '@/sandbox/api/sandbox-api';
import { OWNER, startActors } from '@/sandbox/actors';
import type { ClusterTransport } from '@/server/cluster/transport';
import { startBackgroundActivity } from '@/sandbox/background-activity';
import { openStateFolder, requireNoOtherInstance } from '@/sandbox/state-folder';
import { seedLog } from '@/sandbox/seed/behaviour';
import { systemClock } from '@/server/shared/clock';

export interface SandboxOptions {
  /** Parent of the folder `sandbox` with all files of the sandbox. */
  readonly dataDir: string;
  /** Without background activity. */
  readonly empty?: boolean;
  /** Any free port by default. */
  readonly port?: number;
  readonly log?: Logger;
}

export interface Sandbox extends Stoppable {
  readonly url: string;
  /** The folder of its state, and of other files that belong to it alone. */
  readonly dataDir: string;
  /** For kubectl, Shiplog and other clients; its token changes with every start. */
  readonly kubeconfigPath: string;
  readonly api: SandboxApi;
}

export interface Stoppable {
  /** Saves the state now, before it returns. */
  save(): void;
  stop(): Promise<void>;
}

/** A sandbox in which nothing happens by itself. */
export interface QuietSandbox extends Sandbox {
  /** As its owner, who may impersonate. */
  readonly people: ClusterTransport;
}

/** Watches of this process are never far behind, and each stored change costs some 10 KB. */
const HISTORY_MAX = 2_000;

/**
 * Starts a separate cluster in this process: API server, controllers, and background activity. It continues from the
 * state in its folder, and is an empty cluster where there is none. Throws ConfigError when another process serves it.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { empty = false, log = silentLogger } = options;
  const sandbox = await startQuietSandbox(options);
  if (empty) return sandbox;
  const activity = startBackgroundActivity([{ people: sandbox.people, isBehind: false }], log);
  return {
    ...sandbox,
    stop: async () => {
      await activity.stop();
      await sandbox.stop();
    },
  };
}

/** Starts the cluster of a data directory from its state. Throws ConfigError when another process serves it. */
export async function startQuietSandbox(options: SandboxOptions): Promise<QuietSandbox> {
  const { dataDir, port, log = silentLogger } = options;
  await requireNoOtherInstance(sandboxFolder(dataDir));
  const folder = openStateFolder(dataDir, 'kept');
  const api = await startSandboxApi({
    persistDir: folder.path,
    historyMax: HISTORY_MAX,
    logs: seedLog,
    ...(port !== undefined && { port }),
  });
  const kubeconfigPath = folder.writeKubeconfig(api.kubeconfig(OWNER));
  const actors = startActors(api, systemClock, log);
  return {
    url: api.url,
    dataDir: folder.path,
    kubeconfigPath,
    api,
    people: actors.people,
    save: () => api.save(),
    stop: async () => {
      await actors.stop();
      await api.stop();
    },
  };
}
