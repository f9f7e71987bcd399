import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { systemClock } from '@/server/shared/clock';
import type { Logger } from '@/server/shared/log';
import { clustersFileIn, sandboxesFolder, sandboxFolder } from '@/server/shared/sandbox-folder';
import { writePrivate } from '@/server/shared/write-private';
import {
  type BackgroundTask,
  startBackgroundActivity,
  startBackgroundTask,
} from '@/sandbox/background-activity';
import { type QuietSandbox, startQuietSandbox, type Stoppable } from '@/sandbox/sandbox';
import { CLUSTERS, type ClusterSeed } from '@/sandbox/seed/fleet/fleet';
import { isPlayed, requireNoOtherInstance } from '@/sandbox/state-folder';

export interface Sandboxes extends Stoppable {
  /** The clusters file, for SHIPLOG_CLUSTERS. */
  readonly clustersPath: string;
  readonly kubeconfigPaths: readonly string[];
}

const AWAY_AFTER_MS = 180_000;
const AWAY_MS = 90_000;
const AWAY_AGAIN_AFTER_MS = 600_000;

/** The data directory of one of several sandboxes, below that of Shiplog. */
export function dataDirOf(dataDir: string, { name }: ClusterSeed): string {
  return join(sandboxesFolder(dataDir), name);
}

/** Whether each of the first `count` has a state to continue from. */
export function arePlayed(dataDir: string, count: number): boolean {
  return CLUSTERS.slice(0, count).every((cluster) => isPlayed(dataDirOf(dataDir, cluster)));
}

/** Deletes all state, so that it can be seeded again. Throws ConfigError when another process serves one of them. */
export async function resetSandboxes(dataDir: string): Promise<void> {
  for (const cluster of CLUSTERS) await requireNoOtherInstance(sandboxFolder(dataDirOf(dataDir, cluster)));
  rmSync(sandboxesFolder(dataDir), { recursive: true, force: true });
  mkdirSync(sandboxesFolder(dataDir), { recursive: true, mode: 0o700 });
}

/**
 * Starts the first `count` of {@link CLUSTERS} from their seeded states, with the same new versions in each, one after the
 * other. The last one is away for a while from time to time. Throws ConfigError when another process serves them.
 */
export async function startSandboxes(dataDir: string, count: number, log: Logger): Promise<Sandboxes> {
  const all: (QuietSandbox & ClusterSeed)[] = [];
  for (const cluster of CLUSTERS.slice(0, count))
    all.push({ ...cluster, ...(await startQuietSandbox({ dataDir: dataDirOf(dataDir, cluster), log })) });
  const clusters = all.map(({ people, delayMs }) => ({ people, isBehind: delayMs > 0 }));
  const tasks = [
    startBackgroundActivity(clusters, log),
    ...all.slice(-1).map((last) => startOutages(last, log)),
  ];
  return {
    clustersPath: writePrivate(clustersFileIn(sandboxesFolder(dataDir)), clustersFile(all)),
    kubeconfigPaths: all.map(({ kubeconfigPath }) => kubeconfigPath),
    save: () => all.forEach((sandbox) => sandbox.save()),
    stop: async () => {
      await Promise.all(tasks.map((task) => task.stop()));
      await Promise.all(all.map((sandbox) => sandbox.stop()));
    },
  };
}

function clustersFile(all: readonly (QuietSandbox & ClusterSeed)[]): string {
  return stringify({
    apiVersion: 'shiplog.dev/v1',
    clusters: all.map(({ name, title, stage, kubeconfigPath }) => ({
      name,
      title,
      stage,
      source: { kubeconfig: kubeconfigPath },
    })),
  });
}

/** Breaks every connection of a cluster for a while, from time to time. */
function startOutages({ api }: QuietSandbox, log: Logger): BackgroundTask {
  const run = async (signal: AbortSignal) => {
    for (let waitMs = AWAY_AFTER_MS; ; waitMs = AWAY_AGAIN_AFTER_MS) {
      await systemClock.sleep(waitMs, signal);
      await api.suspend();
      await systemClock.sleep(AWAY_MS, signal);
      await api.resume();
    }
  };
  return startBackgroundTask(run, log);
}
