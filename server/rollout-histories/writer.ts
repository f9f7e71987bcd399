import 'server-only';
import { AppError } from '@/lib/errors';
import { type JsonObject } from '@/lib/kube/json';
import { outcomes } from '@/lib/ledger/record';
import { rolloutHistoryName, rolloutHistoryOf, type RouteSpecs } from '@/lib/ledger/rollout-history';
import { anyRecord } from '@/server/archive/any-record';
import { type Archive, type ListedRecord } from '@/server/archive/archive';
import { type Clock } from '@/server/cluster/clock';
import { type Transport } from '@/server/cluster/transport';
import { type Keys } from '@/server/keys';
import { type Logger } from '@/server/log';
import { inTurns } from '@/server/in-turns';
import { maskInPieces } from '@/server/mask';
import { recordItem } from '@/server/reads/record-answer';
import { type HistoryObject, HistoryObjects } from '@/server/rollout-histories/history-objects';
import { readRouteSpecs } from '@/server/rollout-histories/route-specs';

/** `unserved`: the cluster has no such kind. */
export interface WriterState {
  state: 'waiting' | 'writing' | 'unserved' | 'failing';
  reason: string | null;
}

export interface RolloutHistoryWriterOptions {
  transport: Pick<Transport, 'json'>;
  clusterId: () => string;
  /** Empty: the whole cluster. */
  namespaces: readonly string[];
  /** Null while this process does not record: then another one writes, or nobody can. */
  archive: () => Pick<Archive, 'search' | 'body'> | null;
  keys: Keys;
  log: Logger;
  clock: Clock;
}

/** Records are written when they are over: nobody waits for it. */
const PASS_MS = 15_000;
const DAY_MS = 24 * 3_600_000;
/** Older ones are not written any more. */
const REACH_MS = 30 * DAY_MS;
/** Of each workload, the latest: etcd is no archive. */
const KEPT_PER_WORKLOAD = 20;
/** So long after its end what led to the pods of a release counts as it was then. */
const FRESH_MS = 10 * 60_000;
const PAGE_SIZE = 100;
const RECORDS_MAX = 5_000;

/**
 * Writes each rollout that is over into the cluster as a RolloutHistory, once. Every pass compares what the archive has
 * with what the cluster has, so a rollout that ended while nothing could be written follows later. Names are made from
 * the record, and so a second process or a repeated attempt meets its own object.
 * https://github.com/openkruise/rollouts/blob/master/docs/proposals/20221101-rollout-history.md
 */
export class RolloutHistoryWriter {
  readonly #options: RolloutHistoryWriterOptions;
  readonly #objects: HistoryObjects;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #state: WriterState = { state: 'waiting', reason: null };

  constructor(options: RolloutHistoryWriterOptions) {
    this.#options = options;
    this.#objects = new HistoryObjects(options.transport);
  }

  get state(): WriterState {
    return this.#state;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.pass();
      await this.#options.clock.sleep(PASS_MS, signal).catch(() => undefined);
    }
  }

  /** One comparison, with the writes that follow from it. */
  async pass(): Promise<void> {
    const archive = this.#options.archive();
    if (archive === null) {
      this.#become('waiting', null);
      return;
    }
    try {
      const present = await this.#present();
      const { wanted, problem, isWhole } = await this.#write(archive, present);
      // What is wanted is known only of an archive that was read to its end, without a stop or a failure.
      if (isWhole) await this.#prune(present, wanted);
      this.#become(problem === null ? 'writing' : 'failing', problem);
    } catch (error) {
      const isUnserved = error instanceof AppError && error.code === 'not_found';
      if (isUnserved) this.#become('unserved', 'The cluster has no RolloutHistory of rollouts.kruise.io.');
      else this.#become('failing', textOf(error));
    }
  }

  async #present(): Promise<Map<string, HistoryObject>> {
    const { namespaces } = this.#options;
    const present = new Map<string, HistoryObject>();
    for (const namespace of namespaces.length === 0 ? [undefined] : namespaces) {
      for (const object of await this.#objects.list(namespace))
        present.set(`${object.namespace}/${object.name}`, object);
    }
    return present;
  }

  /** With what went wrong first, if anything did: one namespace that is closed must not keep the others out. */
  async #write(
    archive: Pick<Archive, 'search' | 'body'>,
    present: ReadonlyMap<string, HistoryObject>,
  ): Promise<{ wanted: ReadonlySet<string>; problem: string | null; isWhole: boolean }> {
    const wanted = new Set<string>();
    const closed = new Set<string>();
    let problem: string | null = null;
    let isRead = false;
    for await (const listed of this.#wanted(archive)) {
      if (this.#stopping.signal.aborted) break;
      if (listed === 'end') {
        isRead = true;
        break;
      }
      const { namespace } = listed.record.workload;
      const key = `${namespace}/${rolloutHistoryName(listed.record)}`;
      wanted.add(key);
      const known = present.get(key);
      if (known?.isCompleted === true || closed.has(namespace)) continue;
      try {
        const body = await archive.body(listed.record.to.hash);
        const template = body === null ? null : await inTurns(maskInPieces(body, this.#options.keys));
        const answer = recordItem(listed, [], this.#options.keys);
        const routes = await this.#routeSpecs(listed.record);
        const object = withoutTime(rolloutHistoryOf(answer, template, routes));
        if (known === undefined) await this.#objects.create(object, this.#options.keys.id);
        await this.#objects.complete(object);
      } catch (error) {
        problem ??= `${namespace}: ${textOf(error)}`;
        closed.add(namespace);
      }
    }
    return { wanted, problem, isWhole: isRead && problem === null && !this.#stopping.signal.aborted };
  }

  /** Later they tell nothing of the release any more. */
  async #routeSpecs({ release, endedAt, workload }: ListedRecord['record']): Promise<RouteSpecs> {
    const { transport, keys, clock } = this.#options;
    const isFresh = endedAt !== null && clock.now() - Date.parse(endedAt) < FRESH_MS;
    if (release === null || !isFresh) return new Map();
    return readRouteSpecs(transport, workload.namespace, release.routes, keys);
  }

  /** Rollouts that are over, latest start first, so many of each workload as are kept; `end` where none was left out. */
  async *#wanted(archive: Pick<Archive, 'search'>): AsyncGenerator<ListedRecord | 'end'> {
    const { clusterId, clock, namespaces } = this.#options;
    const taken = new Map<string, number>();
    let cursor: string | null = null;
    for (let read = 0; read < RECORDS_MAX; read += PAGE_SIZE) {
      const page: Awaited<ReturnType<Archive['search']>> = await archive.search({
        ...anyRecord,
        cluster: clusterId(),
        namespaces: namespaces.length === 0 ? null : namespaces,
        outcomes,
        sinceMs: clock.now() - REACH_MS,
        limit: PAGE_SIZE,
        cursor,
      });
      for (const listed of page.items) {
        const { uid } = listed.record.workload;
        const count = (taken.get(uid) ?? 0) + 1;
        taken.set(uid, count);
        if (count <= KEPT_PER_WORKLOAD) yield listed;
      }
      cursor = page.nextCursor;
      if (cursor === null) {
        yield 'end';
        return;
      }
    }
  }

  /** Of each workload what we wrote beyond the latest ones goes, and nothing that is wanted. */
  async #prune(present: ReadonlyMap<string, HistoryObject>, wanted: ReadonlySet<string>): Promise<void> {
    const { id } = this.#options.keys;
    for (const objects of Map.groupBy(present, ([, { workloadUid }]) => workloadUid).values()) {
      const latestFirst = objects.toSorted(([, a], [, b]) => (a.endedAt < b.endedAt ? 1 : -1));
      for (const [key, object] of latestFirst.slice(KEPT_PER_WORKLOAD)) {
        if (this.#stopping.signal.aborted) return;
        if (object.writer === id && !wanted.has(key)) await this.#objects.remove(object);
      }
    }
  }

  #become(state: WriterState['state'], reason: string | null): void {
    if (this.#state.state === state && this.#state.reason === reason) return;
    const isBad = state === 'failing' || state === 'unserved';
    const say = isBad ? this.#options.log.warn : this.#options.log.info;
    say(`writing RolloutHistories: ${state}`, reason === null ? {} : { reason });
    this.#state = { state, reason };
  }
}

/** When it was created is for the API server to say. */
function withoutTime(object: JsonObject): JsonObject {
  const { creationTimestamp: _time, ...metadata } = object.metadata as JsonObject;
  return { ...object, metadata };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
