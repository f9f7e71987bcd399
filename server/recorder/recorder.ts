import 'server-only';
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '@/lib/errors';
import { type Memory, type Observed, type Watch } from '@/lib/ledger/observation';
import { observe, observeDeletion } from '@/lib/ledger/observe';
import {
  type RevisionRef,
  type RolloutEvent,
  type RolloutRecord,
  type WorkloadLife,
} from '@/lib/ledger/record';
import { type TemplateFacts, type Workload } from '@/lib/workloads/workload';
import {
  type Archive,
  type Lease,
  type Notice,
  type Recording,
  type RetentionPolicy,
} from '@/server/archive/archive';
import { type WorkloadTarget } from '@/lib/rollout/system';
import { type WorkloadKey } from '@/server/cluster/cache';
import { type RolloutKey } from '@/server/cluster/rollout-index';
import { systemClock, type Clock } from '@/server/cluster/clock';
import { type Cluster } from '@/server/cluster/cluster';
import { type Keys } from '@/server/keys';
import { type Logger } from '@/server/log';
import { holdsSecret } from '@/server/mask';
import { type Summaries, Unfinished } from '@/server/reads/summaries';
import { type WorkloadView } from '@/server/reads/view';
import { loadLife, loadMemory, type MemorySource } from '@/server/recorder/memories';
import { type AuditedAction } from '@/server/recorder/own-actions';
import { observationOf } from '@/server/recorder/observation';
import { Pending } from '@/server/recorder/pending';
import { Retention } from '@/server/recorder/retention';
import { releaseOf, type ReleaseSight } from '@/server/recorder/release';
import { TemplateHashes } from '@/server/recorder/template-hashes';
import { type PastTemplate, toolsFor } from '@/server/recorder/tools';

/** Whether rollouts are being recorded, since when, and why not. */
export interface RecorderState {
  /**
   * `starting`: the cluster has yet to be read. `standby`: another process records. `interrupted`: the archive can't be
   * written; what is seen is kept until it can.
   */
  state: 'starting' | 'recording' | 'standby' | 'interrupted';
  /** Milliseconds since the epoch. */
  since: number;
  reason: string | null;
}

export type RecorderArchive = MemorySource &
  Pick<
    Archive,
    'acquire' | 'leaseCluster' | 'release' | 'record' | 'openLives' | 'expire' | 'body' | 'wholeBodies'
  >;

export interface RecorderOptions {
  cluster: Cluster;
  archive: RecorderArchive;
  keys: Keys;
  summaries: Pick<Summaries, 'betweenNow' | 'compareNow'>;
  view: (workload: Workload) => WorkloadView;
  /** Actions through Shiplog that may have begun a rollout of the workload. */
  actionsOf: (workload: Workload) => readonly AuditedAction[];
  /** What has to be waited for before {@link actionsOf} knows the actions of other processes; null: nothing. Never rejects. */
  learnActions?: (workload: Workload) => Promise<void> | null;
  /** Changes of the ConfigMaps and Secrets that the workload's template names; empty where they are not followed. */
  relatedTo: (workload: Workload) => readonly RolloutEvent[];
  retention: RetentionPolicy;
  /** What the API server's clock says, in milliseconds since the epoch; null where it does not tell. */
  serverNow?: () => Promise<number | null>;
  /** What is to be told of records that are about to replace what the memory has. */
  noticesOf?: (before: Memory, records: readonly RolloutRecord[], nowMs: number) => readonly Notice[];
  log: Logger;
  clock?: Clock;
  /** Told of what the archive has just taken. */
  onRecorded?: (recordings: readonly Recording[]) => void;
  /** Told when {@link Recorder.state} has changed. */
  onState?: (state: RecorderState) => void;
}

/** What changes is written together: a rollout changes many times a second. */
const TICK_MS = 500;
/** A third of the lease, so that one failure does not lose it. */
const RENEW_MS = 3_000;
/** What time alone changes: a pod that takes too long, a cause that no change has followed. */
const SWEEP_MS = 15_000;
/** An API server that tells neither its version nor the uid of kube-system. */
const IDENTITY_PATIENCE_MS = 30_000;
/** Recordings in one transaction: its duration is what a review that is saved meanwhile has to wait for. */
const BATCH_MAX = 100;
/** Work that a request may have to wait for. */
const SLICE_MS = 5;

/**
 * Keeps the archive up to date with the cache. Each change is looked at when it comes, and written in batches; where the
 * archive fails, what was seen waits. Only the holder of the lease looks and writes.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #clock: Clock;
  readonly #holder = randomUUID();
  readonly #hashes: TemplateHashes;
  readonly #memories = new Map<string, Memory>();
  /** Of the last target of workloads that nothing in the cluster may record, by uid; looked up where changes may have been missed. */
  readonly #past = new Map<string, PastTemplate>();
  readonly #pending = new Pending();
  /** Workloads of which it is being asked who acted on them. */
  readonly #learning = new Set<string>();
  /** What was known last of each rollout in steps, by its place. */
  readonly #steppers = new Map<string, { uid: string; version: number; workload: WorkloadTarget }>();
  readonly #stopping = new AbortController();
  readonly #unsubscribe: (() => void)[] = [];
  #running: Promise<void> | undefined;
  #lease: Lease | null = null;
  #watch: Watch | null = null;
  #lost: string | null = null;
  #isCaughtUp = false;
  #renewedAt = -Infinity;
  #sweptAt = 0;
  readonly #retention: Retention;
  #readyAt: number | null = null;
  #state: RecorderState;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#hashes = new TemplateHashes(options.cluster.cache);
    const now = this.#clock.now();
    this.#retention = new Retention({ ...options, clock: this.#clock });
    this.#state = { state: 'starting', since: now, reason: null };
  }

  get state(): RecorderState {
    return this.#state;
  }

  /** What this process records under; null while another one does. */
  get lease(): Lease | null {
    return this.#lease;
  }

  /** Returns at once; cluster and archive may both be out of reach. */
  start(): void {
    const { cluster } = this.#options;
    this.#unsubscribe.push(
      cluster.onChange((keys) => this.#onChange(keys)),
      cluster.onRolloutChange((keys) => this.#onRolloutChange(keys)),
      cluster.onConnection(() => this.#updateWatch()),
    );
    this.#running = this.#run();
  }

  /** Writes what is pending, and gives the lease back. */
  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#stopping.abort();
    await this.#running;
    await this.#retention.stop();
    if (this.#lease === null) return;
    this.#keepOpen();
    try {
      await this.#flush(this.#lease);
      await this.#options.archive.release(this.#lease);
    } catch (error) {
      this.#options.log.warn('what was seen last is not recorded', { reason: textOf(error) });
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#tick();
      } catch (error) {
        this.#onFailure(error);
      }
      await this.#clock.sleep(TICK_MS, signal).catch(() => undefined);
    }
  }

  async #tick(): Promise<void> {
    this.#updateWatch();
    const now = this.#clock.now();
    if (this.#lease === null || now - this.#renewedAt >= RENEW_MS) await this.#renew(now);
    if (this.#lease === null) return;
    if (this.#watch !== null && !this.#isCaughtUp) await this.#catchUp();
    if (now - this.#sweptAt >= SWEEP_MS) this.#sweep(now);
    await this.#flush(this.#lease);
    this.#retention.look(this.#lease);
    this.#become(this.#isCaughtUp ? 'recording' : 'starting', null);
  }

  async #renew(now: number): Promise<void> {
    const { archive } = this.#options;
    const { id, isGuessed } = this.#options.cluster.identity;
    const cluster = isGuessed === true ? '' : id;
    const lease = await archive.acquire(this.#holder, now, cluster);
    // Each taking over counts one up: after more than one, others have written in between.
    const isAlone = lease !== null && this.#lease !== null && lease.epoch - this.#lease.epoch <= 1;
    if (this.#lease !== null && !isAlone) this.#forget();
    this.#lease = lease;
    this.#renewedAt = now;
    if (lease === null) this.#standBy(cluster, await archive.leaseCluster());
  }

  /** Beside one that records the same cluster; one that records another does not stand in for this one. */
  #standBy(cluster: string, theirs: string | null): void {
    if (theirs === null || cluster === '' || theirs === cluster) {
      this.#become('standby', 'Another Shiplog records into the same archive.');
      return;
    }
    this.#become(
      'interrupted',
      `Another Shiplog records cluster ${theirs} into the same archive, and an archive records one cluster at a time. This cluster, ${cluster}, is not recorded: give this Shiplog a data directory or database of its own.`,
    );
  }

  /** What was remembered may be out of date. */
  #forget(): void {
    this.#lease = null;
    this.#memories.clear();
    this.#pending.clear();
    this.#isCaughtUp = false;
  }

  #onFailure(error: unknown): void {
    if (error instanceof AppError && error.code === 'conflict') {
      this.#forget();
      this.#become('standby', error.message);
      return;
    }
    this.#become('interrupted', textOf(error));
  }

  #become(state: RecorderState['state'], reason: string | null): void {
    if (this.#state.state === state && this.#state.reason === reason) return;
    const since = this.#state.state === state ? this.#state.since : this.#clock.now();
    const { log, onState } = this.#options;
    if (this.#state.state !== state) {
      const say = state === 'interrupted' ? log.warn : log.info;
      say(`recorder: ${state}`, reason === null ? {} : { reason });
    }
    this.#state = { state, since, reason };
    onState?.(this.#state);
  }

  /** A watch begins when everything is read and heard of, and ends with the last word from the API server. */
  #updateWatch(): void {
    const { connection, ready } = this.#options.cluster;
    const now = this.#clock.now();
    if (ready) this.#readyAt ??= now;
    const isWatching = ready && connection.state === 'connected' && this.#isIdentified(now);
    if (isWatching === (this.#watch !== null)) return;
    if (this.#watch !== null) {
      this.#lost = timeOf(connection.observedAt ?? now);
      this.#watch = null;
      return;
    }
    this.#watch = { since: timeOf(now), lost: this.#lost };
    this.#isCaughtUp = false;
  }

  #isIdentified(now: number): boolean {
    const { version } = this.#options.cluster.identity;
    return version !== null || now - (this.#readyAt ?? now) >= IDENTITY_PATIENCE_MS;
  }

  #onChange(keys: readonly WorkloadKey[]): void {
    if (this.#lease === null || this.#watch === null) return;
    for (const key of keys) {
      const workload = this.#options.cluster.cache.workload(key.resource, key.namespace, key.name);
      if (workload?.uid !== key.uid) this.#gone(key.uid);
      if (workload !== undefined) this.#look(workload);
    }
  }

  /** A rollout changes without its workload: by an approval, or when it is deleted. */
  #onRolloutChange(keys: readonly RolloutKey[]): void {
    const { cache, rollouts } = this.#options.cluster;
    for (const { resource, namespace, name } of keys) {
      const key = `${resource}/${namespace}/${name}`;
      const rollout = rollouts.rollout(resource, namespace, name);
      const known = this.#steppers.get(key);
      const version = rollout === undefined ? -1 : rollouts.versionOf(rollout);
      const target = rollout?.workload ?? known?.workload;
      if (rollout === undefined) this.#steppers.delete(key);
      else this.#steppers.set(key, { uid: rollout.uid, version, workload: rollout.workload });
      // Its workload has been looked at when that changed.
      if (known?.uid === rollout?.uid && known?.version === version) continue;
      if (this.#lease === null || this.#watch === null || target?.resource == null) continue;
      const workload = cache.workload(target.resource, namespace, target.name);
      if (workload !== undefined) this.#look(workload);
    }
  }

  /** Looks at every workload once, and for those that the archive has and the cluster has no more. */
  async #catchUp(): Promise<void> {
    const { cluster, archive, log } = this.#options;
    const begun = this.#clock.now();
    const watch = this.#watch;
    let sliceEnd = performance.now() + SLICE_MS;
    for (const workload of cluster.cache.workloads()) {
      if (!this.#isRecorded(workload)) continue;
      if (this.#watch !== watch || this.#stopping.signal.aborted) return;
      if (!this.#memories.has(workload.uid)) await this.#remember(workload);
      await this.#recall(workload);
      this.#look(workload);
      if (this.#pending.size >= BATCH_MAX && this.#lease !== null) await this.#flush(this.#lease);
      if (performance.now() < sliceEnd) continue;
      await nextTurn();
      sliceEnd = performance.now() + SLICE_MS;
    }
    for (const life of await archive.openLives(cluster.identity.id)) {
      if (this.#isThere(life)) continue;
      if (!this.#memories.has(life.uid)) this.#memories.set(life.uid, await loadLife(archive, life));
      this.#gone(life.uid);
    }
    this.#isCaughtUp = this.#watch === watch;
    log.info('the archive is up to date with the cluster', {
      workloads: this.#memories.size,
      ms: this.#clock.now() - begun,
    });
  }

  async #remember({ resource, namespace, name, uid }: Workload): Promise<void> {
    const { archive, cluster } = this.#options;
    const named = { cluster: cluster.identity.id, resource, namespace, name, uid };
    const memory = await loadMemory(archive, named);
    if (!this.#memories.has(uid)) this.#memories.set(uid, memory);
  }

  /** What a change is compared with when its other side was pruned before anybody saw the change. */
  async #recall(workload: Workload): Promise<void> {
    const { archive, cluster } = this.#options;
    const last = this.#memories.get(workload.uid)?.activations.at(-1)?.revision;
    if (last === undefined || cluster.cache.sourcesOf(workload).some(({ uid }) => uid === last.id)) return;
    const { hash } = last;
    try {
      // A masked one has other values than the cluster had.
      const template = (await archive.wholeBodies([hash])).has(hash) ? await archive.body(hash) : null;
      if (template !== null) this.#past.set(workload.uid, { hash, template });
    } catch (error) {
      // One that is damaged must not keep what follows from being recorded.
      if (isPassing(error)) throw error;
    }
  }

  #isThere({ resource, namespace, name, uid }: WorkloadLife): boolean {
    return this.#options.cluster.cache.workload(resource, namespace, name)?.uid === uid;
  }

  /** One workload that can't be understood must not keep the others out. Large templates are compared first, in turns. */
  #look(workload: Workload): void {
    try {
      this.#see(workload);
    } catch (error) {
      if (error instanceof Unfinished) {
        const again = () => this.#lookAgain(workload);
        error.done.then(again, (reason: unknown) => this.#cannotLook(workload, reason));
      } else this.#cannotLook(workload, error);
    }
  }

  /** At what has become of it meanwhile. */
  #lookAgain({ resource, namespace, name, uid }: Workload): void {
    const present = this.#options.cluster.cache.workload(resource, namespace, name);
    if (this.#lease !== null && present?.uid === uid) this.#look(present);
  }

  #cannotLook({ namespace, name }: Workload, error: unknown): void {
    this.#options.log.error('a workload cannot be looked at', { namespace, name, error });
  }

  /** Of a kind that does not tell when a rollout is over there is nothing to record. */
  #isRecorded({ resource }: Workload): boolean {
    return this.#options.cluster.cache.kindOf(resource)?.tellsEnd !== false;
  }

  #see(workload: Workload): void {
    if (!this.#isRecorded(workload)) return;
    const { cluster, keys, summaries, view: viewOf, actionsOf, relatedTo } = this.#options;
    const memory = this.#memories.get(workload.uid);
    if (this.#watch === null) return;
    if (memory === undefined) {
      this.#meet(workload);
      return;
    }
    const view = viewOf(workload);
    const { resource, source } = view.kind;
    if (
      !this.#canRead(resource.id, workload.namespace) ||
      !this.#canRead(source.resource.id, workload.namespace) ||
      this.#isHidden(memory.record, workload.namespace) ||
      // A rollout may be over at the first look, and who wrote its template is recorded with it.
      this.#isLearning(workload)
    )
      return;
    const nowMs = this.#clock.now();
    const sight = releaseOf({ cluster, view: viewOf, hashes: this.#hashes, keys, summaries, nowMs }, view);
    const observation = observationOf({
      clusterId: cluster.identity.id,
      cache: cluster.cache,
      hashes: this.#hashes,
      keys,
      view,
      seesPods: this.#canRead('pods', workload.namespace),
      actions: actionsOf(workload),
      watch: this.#watch,
      related: relatedTo(workload),
      release: sight?.release ?? null,
      at: timeOf(nowMs),
    });
    const unrecorded = (hash: string) =>
      [workload, ...sourcesOf(sight)].find(({ bodyId }) => this.#hashes.of(bodyId) === hash);
    const past = this.#past.get(workload.uid);
    const tools = toolsFor(view.history, cluster.cache, summaries, unrecorded, past);
    this.#take(memory, observe(memory, observation, tools));
  }

  /** Whether the archive is being asked who acted on the workload; the workload is looked at when it has answered. */
  #isLearning(workload: Workload): boolean {
    const { uid, resource, namespace, name } = workload;
    if (this.#learning.has(uid)) return true;
    const { cluster, learnActions } = this.#options;
    const learned = learnActions?.(workload) ?? null;
    if (learned === null) return false;
    this.#learning.add(uid);
    void learned.then(() => {
      this.#learning.delete(uid);
      const present = cluster.cache.workload(resource, namespace, name);
      if (present?.uid === uid && this.#lease !== null) this.#look(present);
    });
    return true;
  }

  /** One that is new, or that could not be read before: only the archive knows. */
  #meet(workload: Workload): void {
    if (!this.#isCaughtUp) return;
    this.#remember(workload).then(
      () => {
        const { resource, namespace, name, uid } = workload;
        const present = this.#options.cluster.cache.workload(resource, namespace, name);
        if (present?.uid === uid && this.#memories.has(uid)) this.#look(present);
        else this.#gone(uid);
      },
      // The next look begins from the start.
      () => (this.#isCaughtUp = false),
    );
  }

  #gone(uid: string): void {
    const memory = this.#memories.get(uid);
    if (memory?.life == null || this.#watch === null) return;
    if (!this.#canRead(memory.life.resource, memory.life.namespace)) return;
    const observed = observeDeletion(memory, timeOf(this.#clock.now()), this.#watch);
    if (observed !== null) this.#take(memory, observed);
    this.#memories.delete(uid);
    this.#past.delete(uid);
  }

  /** Nothing is concluded from objects that can't be read. */
  #canRead(resource: string, namespace: string): boolean {
    const state = this.#options.cluster.cache.states(namespace).find((entry) => entry.resource === resource);
    return state?.synced === true && state.problem === null;
  }

  /** What steps an open rollout is there, and can't be read: that is no reason to think that it is gone. */
  #isHidden(record: RolloutRecord | null, namespace: string): boolean {
    const resource = record?.outcome === null ? record.release?.resource : undefined;
    const state = this.#options.cluster.cache.states(namespace).find((entry) => entry.resource === resource);
    return state !== undefined && (!state.synced || state.problem !== null);
  }

  #take(before: Memory, { memory, changes }: Observed): void {
    if (memory.life === null) return;
    this.#memories.set(memory.life.uid, memory);
    this.#keepPast(memory.life, memory.activations.at(-1)?.revision);
    const notices = this.#options.noticesOf?.(before, changes.records, this.#clock.now());
    this.#pending.add(
      memory.life,
      changes,
      ({ id, hash }) => (before.revisions.has(id) ? null : this.#bodyOf(memory.life?.uid, hash)),
      notices,
      this.#pendingBodies(memory, changes.records, before),
    );
  }

  /** A template that nothing records may be gone from the cluster before the next one is compared with it. */
  #keepPast(life: WorkloadLife, last: RevisionRef | undefined): void {
    if (last === undefined || last.id !== null) {
      this.#past.delete(life.uid);
      return;
    }
    if (this.#past.get(life.uid)?.hash === last.hash) return;
    const { cache } = this.#options.cluster;
    const asked = cache.workload(life.resource, life.namespace, life.name);
    if (asked === undefined || this.#hashes.of(asked.bodyId) !== last.hash) return;
    const template = this.#archivable(asked.bodyId);
    if (template !== null) this.#past.set(life.uid, { hash: last.hash, template });
  }

  /** The templates of releases that nothing has recorded so far, and that nothing will have where they are taken back. */
  #pendingBodies({ life }: Memory, records: readonly RolloutRecord[], before: Memory) {
    const { cache } = this.#options.cluster;
    const workload = life === null ? undefined : cache.workload(life.resource, life.namespace, life.name);
    return records.flatMap(({ id, to }) => {
      const isKept = before.record?.id === id && before.record.to.hash === to.hash;
      if (workload === undefined || to.id !== null || isKept) return [];
      const body = this.#hashes.of(workload.bodyId) === to.hash ? this.#archivable(workload.bodyId) : null;
      return body === null ? [] : [{ hash: to.hash, body }];
    });
  }

  /** Any source of the workload that has it will do. */
  #bodyOf(uid: string | undefined, hash: string) {
    const { cache } = this.#options.cluster;
    const life = uid === undefined ? undefined : this.#memories.get(uid)?.life;
    const workload = life == null ? undefined : cache.workload(life.resource, life.namespace, life.name);
    if (workload === undefined) return null;
    const source = cache.sourcesOf(workload).find(({ bodyId }) => this.#hashes.of(bodyId) === hash);
    return source === undefined ? null : this.#archivable(source.bodyId);
  }

  /** What a Secret holds never enters the archive; null where the template stands and falls with it. */
  #archivable(bodyId: string) {
    const body = this.#options.cluster.cache.template(bodyId);
    return body === undefined || holdsSecret(body) ? null : body;
  }

  #sweep(now: number): void {
    this.#sweptAt = now;
    const { cache } = this.#options.cluster;
    for (const { life, record, cause } of [...this.#memories.values()]) {
      if (life === null || (record?.outcome !== null && cause?.isGiven !== false)) continue;
      const workload = cache.workload(life.resource, life.namespace, life.name);
      if (workload?.uid === life.uid) this.#look(workload);
    }
  }

  /** Until when open rollouts were watched: what comes after is a gap for whoever goes on. */
  #keepOpen(): void {
    this.#sweep(this.#clock.now());
    for (const { life, record } of this.#memories.values()) {
      if (life === null || record?.outcome !== null) continue;
      this.#pending.add(life, { life: null, revisions: [], activations: [], records: [record] }, () => null);
    }
  }

  async #flush(lease: Lease): Promise<void> {
    while (this.#pending.size > 0) {
      const batch = this.#pending.take(BATCH_MAX);
      try {
        await this.#record(lease, batch);
      } catch (error) {
        this.#pending.putBack(batch);
        throw error;
      }
    }
  }

  async #record(lease: Lease, batch: readonly Recording[]): Promise<void> {
    const { archive, log, onRecorded } = this.#options;
    const now = this.#clock.now();
    try {
      await archive.record(lease, batch, now);
      onRecorded?.(batch);
    } catch (error) {
      if (isPassing(error)) throw error;
      // One that the archive refuses must not keep the others out.
      for (const recording of batch) {
        try {
          await archive.record(lease, [recording], now);
          onRecorded?.([recording]);
        } catch (refusal) {
          if (isPassing(refusal)) throw refusal;
          const { namespace, name } = recording.life;
          log.error('a workload cannot be recorded', { namespace, name, reason: textOf(refusal) });
        }
      }
    }
  }
}

/** The database can't be used now, or is another's: nothing about what was to be written. */
function isPassing(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'archive_unavailable' || error.code === 'conflict');
}

/** Templates of the workloads that a system made for a release. */
function sourcesOf(sight: ReleaseSight | null): readonly TemplateFacts[] {
  return sight?.auxiliaries.flatMap(({ history }) => history.revisions.map(({ source }) => source)) ?? [];
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
