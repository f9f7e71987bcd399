import type { Json, JsonObject } from '@/lib/kube/json';
import { type Clock, systemClock } from '@/server/shared/clock';
import type { ClusterTransport, Transport } from '@/server/cluster/transport';
import type { Logger } from '@/server/shared/log';
import { listOrEmptyAt, numberOrZeroAt, textOrEmptyAt } from '@/sandbox/api/objects/stored-object';
import { timeText } from '@/sandbox/controllers/objects/time';
import { sendWrite } from '@/sandbox/seed-history';
import { FLEET } from '@/sandbox/seed/fleet/fleet';
import { CHANGE_CAUSE, RESTARTED_AT, workloadPath } from '@/sandbox/seed/seed-writes';
import { ivanPetrov, leaBrandt, majaLind, pipeline, using } from '@/sandbox/seed/story';
import type { WorkloadSeed } from '@/sandbox/seed/workload';

/** Short, so that a viewer of a new sandbox soon sees a change. */
const FIRST_AFTER_MS = 12_000;
/** Time between two activities: frequent enough to be seen, rare enough not to disturb the viewer. */
const PAUSE_MIN_MS = 60_000;
const PAUSE_MAX_MS = 150_000;
/** Long enough for a rollout in one cluster to end before the next one starts. */
const NEXT_CLUSTER_AFTER_MS = 30_000;

/** Of a hundred activities 70 ship a new version, 15 scale, the rest restart. */
const NEW_VERSIONS = 0.7;
const VERSIONS_AND_SCALES = 0.85;

type Pick = <T>(items: readonly T[]) => T | undefined;

const REASONS = ['small fixes', 'newer base image', 'clearer messages', 'fewer queries', 'tidier metrics'];

/** One of the clusters in which things happen. */
export interface ActiveCluster {
  /** Of a user who may impersonate. */
  readonly people: ClusterTransport;
  /** Whether it gets the version that the cluster before it has just replaced. */
  readonly isBehind: boolean;
}

/**
 * Starts the background activity: a new version every few minutes, a restart, one pod more or less. Clusters get the same
 * change one after the other.
 */
export function startBackgroundActivity(
  clusters: readonly ActiveCluster[],
  log: Logger,
  clock: Clock = systemClock,
  random: () => number = Math.random,
): BackgroundTask {
  const pick: Pick = (items) => items[Math.floor(random() * items.length)];
  const run = async (signal: AbortSignal) => {
    const attempt = (work: () => Promise<void>) =>
      work().catch((error: unknown) => {
        if (!signal.aborted) log.debug('No activity in the sandbox.', { error });
      });
    for (let waitMs = FIRST_AFTER_MS; ; waitMs = PAUSE_MIN_MS + random() * (PAUSE_MAX_MS - PAUSE_MIN_MS)) {
      await Promise.all(clusters.map(({ people }) => attempt(() => expireEvents(people, clock.now()))));
      await clock.sleep(waitMs, signal);
      const workload = pick(FLEET.filter(({ isLively }) => isLively));
      if (workload === undefined) return;
      const change = changeOf(workload, random(), pick);
      for (const [index, cluster] of clusters.entries()) {
        if (index > 0) await clock.sleep(NEXT_CLUSTER_AFTER_MS, signal);
        await attempt(() => change(cluster, clock.now()));
      }
    }
  };
  return startBackgroundTask(run, log);
}

/** Makes a change to a workload in one cluster after the other. */
function changeOf(workload: WorkloadSeed, chance: number, pick: Pick) {
  const isVersion = chance < NEW_VERSIONS;
  const person = pick([majaLind, ivanPetrov, leaBrandt]) ?? majaLind;
  const by = isVersion ? pipeline : using('patch', person);
  const reason = pick(REASONS) ?? '';
  const path = workloadPath(workload);
  /** In the cluster before. */
  let images: { readonly before: string; readonly after: string } | undefined;
  /** In the first cluster the version after the one that runs now, whichever user deployed that. */
  const ship = (present: Json, isBehind: boolean): JsonObject => {
    const [main] = listOrEmptyAt(present, 'spec', 'template', 'spec', 'containers');
    const before = textOrEmptyAt(main, 'image');
    const image = (isBehind ? images?.before : images?.after) ?? nextVersion(before);
    images = { before, after: image };
    const tag = image.slice(image.lastIndexOf(':') + 1);
    return {
      metadata: { annotations: { [CHANGE_CAUSE]: `${titleOf(workload.app.name)} ${tag}: ${reason}` } },
      spec: { template: { spec: { containers: [{ name: textOrEmptyAt(main, 'name'), image }] } } },
    };
  };
  return async ({ people, isBehind }: ActiveCluster, at: number): Promise<void> => {
    const present = await people.json({ method: 'GET', path });
    const patch = isVersion
      ? ship(present, isBehind)
      : chance < VERSIONS_AND_SCALES
        ? { spec: { replicas: otherSize(workload, present) } }
        : { spec: { template: { metadata: { annotations: { [RESTARTED_AT]: timeText(at) } } } } };
    await sendWrite(people, { do: 'patch', at, by, path, patch, type: 'strategic-merge' });
  };
}

function otherSize({ replicas = 1 }: WorkloadSeed, present: Json): number {
  return numberOrZeroAt(present, 'spec', 'replicas') > replicas ? replicas : replicas + 1;
}

/** Increases the last number of the tag; an image without one stays as it is. */
function nextVersion(image: string): string {
  return image.replace(/\d+$/, (last) => String(Number(last) + 1));
}

function titleOf(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ');
}

/** The default of API servers (`--event-ttl`). */
const EVENT_TTL_MS = 3_600_000;

/** Deletes the events that were not repeated for an hour; `now` in milliseconds since the epoch. */
async function expireEvents(transport: Transport, now: number): Promise<void> {
  const answer = await transport.json({ method: 'GET', path: '/api/v1/events' });
  for (const event of listOrEmptyAt(answer, 'items')) {
    const last =
      textOrEmptyAt(event, 'lastTimestamp') || textOrEmptyAt(event, 'metadata', 'creationTimestamp');
    if (Date.parse(last) > now - EVENT_TTL_MS) continue;
    const path = `/api/v1/namespaces/${textOrEmptyAt(event, 'metadata', 'namespace')}/events/${textOrEmptyAt(event, 'metadata', 'name')}`;
    await transport.json({ method: 'DELETE', path });
  }
}

/** Work that goes on until it is stopped. */
export interface BackgroundTask {
  /** Resolves when no writes are pending. */
  stop(): Promise<void>;
}

/** Runs it until the signal that it gets; whatever else ends it is logged. */
export function startBackgroundTask(
  run: (signal: AbortSignal) => Promise<void>,
  log: Logger,
): BackgroundTask {
  const end = new AbortController();
  const running = run(end.signal).catch((error: unknown) => {
    if (!end.signal.aborted) log.warn('The sandbox has stopped making progress.', { error });
  });
  return {
    stop: async () => {
      end.abort(new Error('The sandbox stops.'));
      await running;
    },
  };
}
