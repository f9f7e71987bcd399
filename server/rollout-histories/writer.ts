import 'server-only';
import { AppError, messageOf } from '@/lib/errors';
import type { JsonObject } from '@/lib/kube/json';
import { outcomes } from '@/lib/api/record-values';
import { rolloutHistoryName, buildRolloutHistory, type RouteSpecs } from '@/lib/view/kruise-rollout-history';
import type { ListedRecord } from '@/server/archive/records';
import type { RevisionRepository } from '@/server/archive/revisions';
import type { RolloutRepository } from '@/server/archive/rollouts';
import { type Clock, repeat } from '@/server/shared/clock';
import type { Transport } from '@/server/cluster/transport';
import type { Keys } from '@/server/shared/keys';
import type { Logger } from '@/server/shared/log';
import { recordItem } from '@/server/views/record-item';
import { type HistoryObject, HistoryObjects } from '@/server/rollout-histories/history-objects';
import type { Masked } from '@/lib/masked';
import { ROUTE_TYPES } from '@/lib/rollout/openkruise/traffic';
import type { RouteRef } from '@/lib/rollout/routed-traffic';
import { objectAt } from '@/lib/kube/read';
import { resourcePath } from '@/lib/kube/resource';
import type { Mask } from '@/server/shared/mask';

/** `unserved`: the cluster has no such kind. */
export interface WriterState {
  state: 'waiting' | 'writing' | 'unserved' | 'failing';
  reason: string | null;
}

interface HistorySource {
  rollouts: Pick<RolloutRepository, 'search'>;
  revisions: Pick<RevisionRepository, 'body'>;
}

export interface RolloutHistoryWriterOptions {
  transport: Pick<Transport, 'json'>;
  clusterId: () => string;
  /** Empty: the whole cluster. */
  namespaces: readonly string[];
  /** Null while this process does not record: then another one writes, or none can. */
  archive: () => HistorySource | null;
  keys: Keys;
  log: Logger;
  clock: Clock;
}

/** Records are written after their end: no viewer waits for it. */
const INTERVAL_MS = 15_000;
const DAY_MS = 24 * 3_600_000;
/** Older ones are not written any more. */
const AGE_MAX_MS = 30 * DAY_MS;
/** Of each workload, the latest: etcd is no archive. */
const HISTORIES_PER_WORKLOAD = 20;
/**
 * This long after the end of a rollout, the objects that lead to its pods still count as they were at its
 * end.
 */
const ROUTES_FRESH_MS = 10 * 60_000;
const PAGE_SIZE = 100;
const RECORDS_MAX = 5_000;

/**
 * Writes each ended rollout into the cluster as a RolloutHistory, once. Every pass compares the archive with
 * the cluster, so a rollout that ended while writes were impossible follows later. Names are derived from the
 * record, so that a second process or a repeated attempt finds its own object.
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
    const { signal } = this.#stopping;
    this.#running = repeat(() => this.reconcile(), INTERVAL_MS, this.#options.clock, signal);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** One comparison, with the writes that follow from it. */
  async reconcile(): Promise<void> {
    const archive = this.#options.archive();
    if (archive === null) {
      this.#setState('waiting', null);
      return;
    }
    try {
      const existing = await this.#listExisting();
      const { wanted, problem, isWhole } = await this.#writeMissing(archive, existing);
      // The desired objects are known only from an archive that was read to its end, without a stop or a
      // failure.
      if (isWhole) await this.#prune(existing, wanted);
      this.#setState(problem === null ? 'writing' : 'failing', problem);
    } catch (error) {
      const isUnserved = error instanceof AppError && error.code === 'not_found';
      if (isUnserved) this.#setState('unserved', 'The cluster has no RolloutHistory of rollouts.kruise.io.');
      else this.#setState('failing', messageOf(error));
    }
  }

  async #listExisting(): Promise<Map<string, HistoryObject>> {
    const { namespaces } = this.#options;
    const existing = new Map<string, HistoryObject>();
    for (const namespace of namespaces.length === 0 ? [undefined] : namespaces) {
      for (const object of await this.#objects.list(namespace))
        existing.set(`${object.namespace}/${object.name}`, object);
    }
    return existing;
  }

  /** With the first error, if any: one forbidden namespace must not block the others. */
  async #writeMissing(
    archive: HistorySource,
    existing: ReadonlyMap<string, HistoryObject>,
  ): Promise<{ wanted: ReadonlySet<string>; problem: string | null; isWhole: boolean }> {
    const wanted = new Set<string>();
    const failedNamespaces = new Set<string>();
    let problem: string | null = null;
    let isRead = false;
    for await (const listed of this.#desiredRecords(archive.rollouts)) {
      if (this.#stopping.signal.aborted) break;
      if (listed === 'end') {
        isRead = true;
        break;
      }
      const { namespace } = listed.record.workload;
      const key = `${namespace}/${rolloutHistoryName(listed.record)}`;
      wanted.add(key);
      const known = existing.get(key);
      if (known?.isCompleted === true || failedNamespaces.has(namespace)) continue;
      try {
        const body = await archive.revisions.body(listed.record.to.hash);
        const template = body === null ? null : await this.#options.keys.mask.template(body);
        const answer = recordItem(listed, [], this.#options.keys);
        const routes = await this.#routeSpecs(listed.record);
        const object = withoutTime(buildRolloutHistory(answer, template, routes));
        if (known === undefined) await this.#objects.create(object, this.#options.keys.id);
        await this.#objects.complete(object);
      } catch (error) {
        problem ??= `${namespace}: ${messageOf(error)}`;
        failedNamespaces.add(namespace);
      }
    }
    return { wanted, problem, isWhole: isRead && problem === null && !this.#stopping.signal.aborted };
  }

  /** Later they tell nothing of the rollout any more. */
  async #routeSpecs({ progressiveRollout, endedAt, workload }: ListedRecord['record']): Promise<RouteSpecs> {
    const { transport, keys, clock } = this.#options;
    const isFresh = endedAt !== null && clock.now() - Date.parse(endedAt) < ROUTES_FRESH_MS;
    if (progressiveRollout === null || !isFresh) return new Map();
    return readRouteSpecs(transport, workload.namespace, progressiveRollout.routes, keys.mask);
  }

  /** Ended rollouts, latest start first, up to the limit of each workload; `end` where none was left out. */
  async *#desiredRecords(rollouts: HistorySource['rollouts']): AsyncGenerator<ListedRecord | 'end'> {
    const { clusterId, clock, namespaces } = this.#options;
    const counts = new Map<string, number>();
    let cursor: string | null = null;
    for (let read = 0; read < RECORDS_MAX; read += PAGE_SIZE) {
      const page: Awaited<ReturnType<typeof rollouts.search>> = await rollouts.search({
        clusters: [{ cluster: clusterId(), scopes: null }],
        namespaces: namespaces.length === 0 ? null : namespaces,
        outcomes,
        sinceMs: clock.now() - AGE_MAX_MS,
        limit: PAGE_SIZE,
        cursor,
      });
      for (const listed of page.items) {
        const { uid } = listed.record.workload;
        const count = (counts.get(uid) ?? 0) + 1;
        counts.set(uid, count);
        if (count <= HISTORIES_PER_WORKLOAD) yield listed;
      }
      cursor = page.nextCursor;
      if (cursor === null) {
        yield 'end';
        return;
      }
    }
  }

  /** Deletes Shiplog's own objects beyond the latest ones of each workload, and no desired one. */
  async #prune(existing: ReadonlyMap<string, HistoryObject>, wanted: ReadonlySet<string>): Promise<void> {
    const { id } = this.#options.keys;
    for (const objects of Map.groupBy(existing, ([, { workloadUid }]) => workloadUid).values()) {
      const latestFirst = objects.toSorted(([, a], [, b]) => (a.endedAt < b.endedAt ? 1 : -1));
      for (const [key, object] of latestFirst.slice(HISTORIES_PER_WORKLOAD)) {
        if (this.#stopping.signal.aborted) return;
        if (object.writer === id && !wanted.has(key)) await this.#objects.remove(object);
      }
    }
  }

  #setState(state: WriterState['state'], reason: string | null): void {
    if (this.#state.state === state && this.#state.reason === reason) return;
    const isBad = state === 'failing' || state === 'unserved';
    const write = isBad ? this.#options.log.warn : this.#options.log.info;
    write(`writing RolloutHistories: ${state}`, reason === null ? {} : { reason });
    this.#state = { state, reason };
  }
}

/** The API server sets its creation time. */
function withoutTime(object: JsonObject): JsonObject {
  const { creationTimestamp: _time, ...metadata } = object.metadata as JsonObject;
  return { ...object, metadata };
}

/** A record is complete without them, so a slow answer is dropped. */
const TIMEOUT_MS = 5_000;

/**
 * By kind, the specs of the objects that led requests to the pods of a rollout, masked, read as the process.
 * Missing, unserved and forbidden objects are left out.
 */
async function readRouteSpecs(
  transport: Pick<Transport, 'json'>,
  namespace: string,
  routes: readonly { kind: string; name: string }[],
  mask: Mask,
): Promise<RouteSpecs> {
  const specs = new Map<string, Masked<JsonObject>>();
  for (const type of ROUTE_TYPES) {
    const route = routes.find(({ kind }) => kind === type.kind);
    if (route === undefined) continue;
    const spec = await readSpec(transport, namespace, { type, name: route.name });
    if (spec !== undefined) specs.set(type.kind, await mask.template(spec));
  }
  return specs;
}

async function readSpec(
  transport: Pick<Transport, 'json'>,
  namespace: string,
  { type, name }: RouteRef,
): Promise<JsonObject | undefined> {
  for (const version of type.versions) {
    try {
      const path = resourcePath(type, version, namespace, name);
      const object = await transport.json({ method: 'GET', path, timeoutMs: TIMEOUT_MS });
      return objectAt(object, 'spec');
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }
  return undefined;
}
