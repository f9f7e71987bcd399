import { isJsonObject, type JsonObject } from '@/lib/kube/json';
import type { ClusterTransport } from '@/server/cluster/transport';
import { sandboxFolder } from '@/server/shared/sandbox-folder';
import { type Logger, silentLogger } from '@/server/shared/log';
import type { Clock } from '@/server/shared/clock';
import { listOrEmptyAt, textOrEmptyAt } from '@/sandbox/api/objects/stored-object';
import { type SandboxApi, startSandboxApi } from '@/sandbox/api/sandbox-api';
import { startActors } from '@/sandbox/actors';
import { openStateFolder, requireNoOtherInstance } from '@/sandbox/state-folder';
import { FLEET } from '@/sandbox/seed/fleet/fleet';
import { collectionOf, pathOf, type WorkloadSeed } from '@/sandbox/seed/workload';
import { supportingObjectsOf } from '@/sandbox/seed/supporting-objects';
import { type SeedWrite, seedWritesOf } from '@/sandbox/seed/seed-writes';

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
  /** Starts before the first write, and stops after the last. */
  readonly observer?: (stage: { api: SandboxApi; clock: Clock; folder: string }) => Promise<SeedObserver>;
}

/** An observer of the seeding; the clock waits for it. */
export interface SeedObserver {
  /** To be called before each write, when everything before it is settled. */
  before(write: SeedWrite): void;
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
  const api = await startSandboxApi({
    clock,
    persistDir: folder.path,
    // What an interrupted seeding has saved is discarded.
    saves: 'atEnd',
    ...(seed !== undefined && { seed }),
    historyMax: 1_000,
  });
  const observer = await options.observer?.({ api, clock, folder: folder.path });
  const actors = startActors(api, clock, log, end - HOUR_MS);
  const { people, controllers } = actors;
  /** The controllers are idle before and after each write, so that the same writes give the same history. */
  const advanceTo = async (at: number) => {
    for (;;) {
      await controllers.idle();
      await observer?.settled();
      const next = controllers.nextTimer();
      if (next === undefined || next > at) break;
      clock.advanceTo(next);
    }
    clock.advanceTo(at);
  };
  try {
    for (const write of writes.toSorted((a, b) => a.at - b.at)) {
      await advanceTo(write.at);
      observer?.before(write);
      await sendWrite(people, write);
    }
    await advanceTo(end);
  } finally {
    await actors.stop();
    await observer?.stop();
    await api.stop();
  }
  folder.markSeeded();
}

/** Sends one write, as the user of that write. Throws AppError. */
export async function sendWrite(people: ClusterTransport, write: SeedWrite): Promise<void> {
  const transport = people.as({ kind: 'impersonate', user: write.by.user, groups: ['system:masters'] });
  const remove = (path: string) => transport.json({ method: 'DELETE', path });
  const send = (method: 'POST' | 'PATCH', path: string, body: JsonObject, type = 'json') =>
    transport.json({
      method,
      path,
      body: JSON.stringify(body),
      query: { fieldManager: write.by.manager },
      contentType: `application/${type}`,
    });
  switch (write.do) {
    case 'create':
      await send('POST', collectionOf(write.object), write.object);
      return;
    case 'apply':
      await send('PATCH', pathOf(write.object), write.object, 'apply-patch+yaml');
      return;
    case 'patch':
      await send('PATCH', write.path, write.patch, `${write.type}-patch+json`);
      return;
    case 'delete':
      await remove(write.path);
      return;
    case 'deletePods':
      for (const path of await oldestPods(people, write)) await remove(path);
      return;
    default: {
      const unknown: never = write;
      throw new RangeError(`no way to do ${JSON.stringify(unknown)}`);
    }
  }
}

/** Paths of the pods to delete, in the order of their nodes. */
async function oldestPods(
  transport: ClusterTransport,
  { namespace, selector, count }: SeedWrite & { do: 'deletePods' },
): Promise<string[]> {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const answer = await transport.json({ method: 'GET', path, query: { labelSelector: selector } });
  return listOrEmptyAt(answer, 'items')
    .filter(isJsonObject)
    .toSorted((a, b) =>
      textOrEmptyAt(a, 'spec', 'nodeName') < textOrEmptyAt(b, 'spec', 'nodeName') ? -1 : 1,
    )
    .slice(0, count)
    .map((pod) => `${path}/${textOrEmptyAt(pod, 'metadata', 'name')}`);
}

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** Stops until it is moved from one moment of the seeded history to the next. */
class SeedClock implements Clock {
  readonly #sleepers = new Set<Sleeper>();
  #now: number;

  constructor(startMs: number) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sleeper = { at: this.#now + ms, wake: resolve };
    this.#sleepers.add(sleeper);
    const abort = () => {
      this.#sleepers.delete(sleeper);
      reject(signal.reason as Error);
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    return promise;
  }

  /** Advances to `ms` since the epoch, never back, and wakes every sleeper that is due. */
  advanceTo(ms: number): void {
    this.#now = Math.max(this.#now, ms);
    for (const sleeper of [...this.#sleepers]) {
      if (sleeper.at > this.#now) continue;
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
  }
}
