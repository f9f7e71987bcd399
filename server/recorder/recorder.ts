import 'server-only';
import { nameKey } from '@/lib/kube/name-key';
import type { RecorderState } from '@/lib/records/recorder-state';
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError, messageOf } from '@/lib/errors';
import type { RecorderMemory, ObservationResult, Watch } from '@/lib/records/observation';
import { observe, observeDeletion } from '@/lib/records/observe';
import type { RevisionRef, WorkloadIncarnation } from '@/lib/api/incarnation';
import type { RolloutEvent, RolloutRecord } from '@/lib/api/record';
import type { TemplateFacts, Workload } from '@/lib/history/workload';
import type { Archive, IncarnationRecording } from '@/server/archive/archive';
import type { Lease } from '@/server/archive/lease';
import type { Notice } from '@/server/archive/outbox';
import type { WorkloadTarget } from '@/lib/rollout/rollout-facts';
import type { WorkloadKey } from '@/server/cluster/cache';
import type { RolloutKey } from '@/server/cluster/rollout-index';
import { systemClock, type Clock, repeat } from '@/server/shared/clock';
import type { Cluster } from '@/server/cluster/cluster';
import type { Keys } from '@/server/shared/keys';
import type { Logger } from '@/server/shared/log';
import { holdsSecret } from '@/server/shared/masking/json-walk';
import { type ChangeSummaries, ComparisonPending } from '@/server/views/change-summaries';
import type { WorkloadView } from '@/server/views/workload-view';
import { loadIncarnation, loadMemory, type MemorySource } from '@/server/recorder/load-memory';
import type { AuditedAction } from '@/server/recorder/own-actions';
import { buildObservation } from '@/server/recorder/observation';
import { PendingRecordings } from '@/server/recorder/pending-recordings';
import { observeProgressiveRollout, type ProgressiveState } from '@/server/recorder/progressive-rollout';
import { TemplateHashes } from '@/server/recorder/template-hashes';
import { type PastTemplate, createTools } from '@/server/recorder/tools';
import { isoTime } from '@/lib/format/time';

/** What a recorder uses of the archive. */
export interface RecorderArchive extends MemorySource {
  record: Archive['record'];
  leases: Pick<Archive['leases'], 'acquire' | 'release'>;
  clusters: Pick<Archive['clusters'], 'saw'>;
  workloads: MemorySource['workloads'] & Pick<Archive['workloads'], 'currentIncarnations'>;
  revisions: MemorySource['revisions'] & Pick<Archive['revisions'], 'body' | 'unmaskedBodies'>;
}

export interface RecorderOptions {
  cluster: Cluster;
  archive: RecorderArchive;
  keys: Keys;
  summaries: Pick<ChangeSummaries, 'betweenNow' | 'compareNow'>;
  view: (workload: Workload) => WorkloadView;
  /** Actions through Shiplog that may have begun a rollout of the workload. */
  actionsOf: (workload: Workload) => readonly AuditedAction[];
  /** Resolves when {@link actionsOf} knows the actions of other processes; null: it does already. Never rejects. */
  loadActions?: (workload: Workload) => Promise<void> | null;
  /** Changes of the ConfigMaps and Secrets that the workload's template names; empty where they are not followed. */
  configChangesOf: (workload: Workload) => readonly RolloutEvent[];
  /** The notices for records that are about to replace what the memory has. */
  noticesOf?: (before: RecorderMemory, records: readonly RolloutRecord[], nowMs: number) => readonly Notice[];
  log: Logger;
  clock?: Clock;
  /** Receives what the archive has just stored. */
  onRecorded?: (recordings: readonly IncarnationRecording[]) => void;
  /** Called when {@link Recorder.state} has changed. */
  onState?: (state: RecorderState) => void;
}

/** Changes are written together: a rollout changes many times a second. */
const TICK_MS = 500;
/** A third of the lease, so that one failure does not lose it. */
const RENEW_MS = 3_000;
/** How often the archive learns that the cluster is still observed. */
const NOTE_CLUSTER_MS = 3_600_000;
/** What time alone changes: a pod that takes too long, a change cause without a change. */
const SWEEP_MS = 15_000;
/** An API server that gives neither its version nor the uid of kube-system. */
const IDENTITY_TIMEOUT_MS = 30_000;
/** Recordings in one transaction: a review that is saved meanwhile has to wait for its end. */
const BATCH_MAX = 100;
/** Work for which a request may have to wait. */
const SLICE_MS = 5;

/**
 * Keeps the archive up to date with the cache. It reconciles each changed workload at once, and writes in batches;
 * while the archive fails, observations wait. Only the holder of the lease observes and writes.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #clock: Clock;
  readonly #holder = randomUUID();
  readonly #hashes: TemplateHashes;
  readonly #memories = new Map<string, RecorderMemory>();
  /**
   * The last target of workloads whose template nothing in the cluster may record, by uid; read again where changes may
   * have been missed.
   */
  readonly #pastTemplates = new Map<string, PastTemplate>();
  /** Of deleted workloads, until the archive has everything of them. */
  readonly #ended = new Map<string, RecorderMemory>();
  readonly #pending = new PendingRecordings();
  /** Workloads whose actions of other processes are being read. */
  readonly #loadingActions = new Set<string>();
  /** The last known state of each progressive rollout, by its key. */
  readonly #knownRollouts = new Map<string, { uid: string; version: number; workload: WorkloadTarget }>();
  readonly #stopping = new AbortController();
  readonly #unsubscribe: (() => void)[] = [];
  #running: Promise<void> | undefined;
  #lease: Lease | null = null;
  #watch: Watch | null = null;
  #watchLostAt: string | null = null;
  #isCaughtUp = false;
  #renewedAt = -Infinity;
  #sweptAt = 0;
  #notedAt = -Infinity;
  #readyAt: number | null = null;
  #state: RecorderState;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#hashes = new TemplateHashes(options.cluster.cache);
    const now = this.#clock.now();
    this.#state = { state: 'starting', since: now, reason: null };
  }

  get state(): RecorderState {
    return this.#state;
  }

  /** The lease of this process; null while another one records. */
  get lease(): Lease | null {
    return this.#lease;
  }

  /** Returns at once; cluster and archive may both be unreachable. */
  start(): void {
    const { cluster } = this.#options;
    this.#unsubscribe.push(
      cluster.onChange((keys) => this.#onChange(keys)),
      cluster.onRolloutChange((keys) => this.#onRolloutChange(keys)),
      cluster.onConnection(() => this.#updateWatch()),
    );
    const tick = () => this.#tick().catch((error: unknown) => this.#onFailure(error));
    this.#running = repeat(tick, TICK_MS, this.#clock, this.#stopping.signal);
  }

  /** Writes what is pending, and releases the lease. */
  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#stopping.abort();
    await this.#running;
    if (this.#lease === null) return;
    this.#saveOpenRecords();
    try {
      await this.#flush(this.#lease);
      await this.#options.archive.leases.release(this.#lease);
    } catch (error) {
      this.#options.log.warn('the last observations could not be recorded', { reason: messageOf(error) });
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
    this.#setState(this.#isCaughtUp ? 'recording' : 'starting', null);
  }

  /** The lease of this cluster; none while it is not known which one it is. */
  async #renew(now: number): Promise<void> {
    const { archive, cluster } = this.#options;
    if (!this.#isIdentified(now)) return;
    const { id } = cluster.identity;
    // What was recorded under a guess stays with it.
    if (this.#lease !== null && this.#lease.cluster !== id) this.#reset();
    const lease = await archive.leases.acquire(this.#holder, now, id);
    // Each new holder counts one up: after more than one, others have written in between.
    const isAlone = lease !== null && this.#lease !== null && lease.epoch - this.#lease.epoch <= 1;
    if (this.#lease !== null && !isAlone) this.#reset();
    this.#lease = lease;
    this.#renewedAt = now;
    if (lease === null) this.#setState('standby', 'Another instance records this cluster into the archive.');
    else await this.#noteCluster(now);
  }

  /** The archive also serves processes that have never reached the cluster. */
  async #noteCluster(now: number): Promise<void> {
    if (now - this.#notedAt < NOTE_CLUSTER_MS) return;
    const { id, name, aliases = [] } = this.#options.cluster.identity;
    await this.#options.archive.clusters.saw({ id, name, aliases }, now);
    this.#notedAt = now;
  }

  /** The memory may be out of date. */
  #reset(): void {
    this.#lease = null;
    this.#memories.clear();
    this.#ended.clear();
    this.#pending.clear();
    this.#isCaughtUp = false;
  }

  #onFailure(error: unknown): void {
    if (error instanceof AppError && error.code === 'conflict') {
      this.#reset();
      this.#setState('standby', error.message);
      return;
    }
    this.#setState('interrupted', messageOf(error));
  }

  #setState(state: RecorderState['state'], reason: string | null): void {
    if (this.#state.state === state && this.#state.reason === reason) return;
    const since = this.#state.state === state ? this.#state.since : this.#clock.now();
    const { log, onState } = this.#options;
    if (this.#state.state !== state) {
      const write = state === 'interrupted' ? log.warn : log.info;
      write(`recorder: ${state}`, reason === null ? {} : { reason });
    }
    this.#state = { state, since, reason };
    onState?.(this.#state);
  }

  /** A watch begins when everything is read, and ends with the last message from the API server. */
  #updateWatch(): void {
    const { connection, ready } = this.#options.cluster;
    const now = this.#clock.now();
    if (ready) this.#readyAt ??= now;
    const isWatching = ready && connection.state === 'connected' && this.#isIdentified(now);
    if (isWatching === (this.#watch !== null)) return;
    if (this.#watch !== null) {
      this.#watchLostAt = isoTime(connection.observedAt ?? now);
      this.#watch = null;
      return;
    }
    this.#watch = { since: isoTime(now), lostAt: this.#watchLostAt };
    this.#isCaughtUp = false;
  }

  #isIdentified(now: number): boolean {
    const { version } = this.#options.cluster.identity;
    return version !== null || now - (this.#readyAt ?? now) >= IDENTITY_TIMEOUT_MS;
  }

  #onChange(keys: readonly WorkloadKey[]): void {
    if (this.#lease === null || this.#watch === null) return;
    for (const key of keys) {
      const workload = this.#options.cluster.cache.workload(key.resource, key.namespace, key.name);
      if (workload?.uid !== key.uid) this.#handleDeletion(key.uid, key.leavesDependents);
      if (workload !== undefined) this.#reconcile(workload);
    }
  }

  /** A rollout changes without its workload: by an approval, or when it is deleted. */
  #onRolloutChange(keys: readonly RolloutKey[]): void {
    const { cache, rollouts } = this.#options.cluster;
    for (const { resource, namespace, name } of keys) {
      const key = nameKey({ resource, namespace, name });
      const rollout = rollouts.rollout(resource, namespace, name);
      const known = this.#knownRollouts.get(key);
      const version = rollout === undefined ? -1 : rollouts.versionOf(rollout);
      const target = rollout?.workload ?? known?.workload;
      if (rollout === undefined) this.#knownRollouts.delete(key);
      else this.#knownRollouts.set(key, { uid: rollout.uid, version, workload: rollout.workload });
      // The change of its workload has reconciled it already.
      if (known?.uid === rollout?.uid && known?.version === version) continue;
      if (this.#lease === null || this.#watch === null || target?.resource == null) continue;
      const workload = cache.workload(target.resource, namespace, target.name);
      if (workload !== undefined) this.#reconcile(workload);
    }
  }

  /** Reconciles every workload once, and those that the archive has and the cluster does not. */
  async #catchUp(): Promise<void> {
    const { cluster, archive, log } = this.#options;
    const begun = this.#clock.now();
    const watch = this.#watch;
    let sliceEnd = performance.now() + SLICE_MS;
    for (const workload of cluster.cache.workloads()) {
      if (!this.#isRecorded(workload)) continue;
      if (this.#watch !== watch || this.#stopping.signal.aborted) return;
      if (!this.#memories.has(workload.uid)) await this.#loadMemory(workload);
      await this.#loadPastTemplate(workload);
      this.#reconcile(workload);
      if (this.#pending.size >= BATCH_MAX && this.#lease !== null) await this.#flush(this.#lease);
      if (performance.now() < sliceEnd) continue;
      await nextTurn();
      sliceEnd = performance.now() + SLICE_MS;
    }
    for (const incarnation of await archive.workloads.currentIncarnations(cluster.identity.id)) {
      if (this.#exists(incarnation) || !this.#canRead(incarnation.resource, incarnation.namespace)) continue;
      if (!this.#memories.has(incarnation.uid))
        this.#memories.set(incarnation.uid, await loadIncarnation(archive, incarnation));
      this.#handleDeletion(incarnation.uid);
    }
    this.#isCaughtUp = this.#watch === watch;
    log.info('the archive is up to date with the cluster', {
      workloads: this.#memories.size,
      ms: this.#clock.now() - begun,
    });
  }

  async #loadMemory({ resource, namespace, name, uid }: Workload): Promise<void> {
    const { archive, cluster } = this.#options;
    const identity = { cluster: cluster.identity.id, resource, namespace, name, uid };
    const memory = await loadMemory(
      archive,
      identity,
      (one) => this.#memories.get(one) ?? this.#ended.get(one),
    );
    if (!this.#memories.has(uid)) this.#memories.set(uid, memory);
  }

  /** The other side of a change where it was pruned before the change was observed. */
  async #loadPastTemplate(workload: Workload): Promise<void> {
    const { archive, cluster } = this.#options;
    const last = this.#memories.get(workload.uid)?.activations.at(-1)?.revision;
    if (last === undefined || cluster.cache.sourcesOf(workload).some(({ uid }) => uid === last.id)) return;
    const { hash } = last;
    try {
      // A masked one has other values than the cluster had.
      const isUnmasked = (await archive.revisions.unmaskedBodies([hash])).has(hash);
      const template = isUnmasked ? await archive.revisions.body(hash) : null;
      if (template !== null) this.#pastTemplates.set(workload.uid, { hash, template });
    } catch (error) {
      // A damaged one must not prevent the recording of what follows.
      if (isTransient(error)) throw error;
    }
  }

  #exists({ resource, namespace, name, uid }: WorkloadIncarnation): boolean {
    return this.#options.cluster.cache.workload(resource, namespace, name)?.uid === uid;
  }

  /** One workload that can't be processed must not block the others. Large templates are compared first, in slices. */
  #reconcile(workload: Workload): void {
    try {
      this.#observe(workload);
    } catch (error) {
      if (error instanceof ComparisonPending) {
        const retry = () => this.#reconcileAgain(workload);
        error.done.then(retry, (reason: unknown) => this.#logFailure(workload, reason));
      } else this.#logFailure(workload, error);
    }
  }

  /** Its state may have changed meanwhile. */
  #reconcileAgain({ resource, namespace, name, uid }: Workload): void {
    const current = this.#options.cluster.cache.workload(resource, namespace, name);
    if (this.#lease !== null && current?.uid === uid) this.#reconcile(current);
  }

  #logFailure({ namespace, name }: Workload, error: unknown): void {
    this.#options.log.error('a workload could not be observed', { namespace, name, error });
  }

  /** Of a kind that does not report the end of a rollout there is nothing to record. */
  #isRecorded({ resource }: Workload): boolean {
    return this.#options.cluster.cache.kindOf(resource)?.producer === undefined;
  }

  #observe(workload: Workload): void {
    if (!this.#isRecorded(workload)) return;
    const { cluster, keys, summaries, view: viewOf, actionsOf, configChangesOf: relatedTo } = this.#options;
    const memory = this.#memories.get(workload.uid);
    if (this.#watch === null) return;
    if (memory === undefined) {
      this.#loadThenReconcile(workload);
      return;
    }
    // Very many labels take several turns of the event loop as well.
    const masking = keys.mask.prepare(workload.labels);
    if (masking !== null) throw new ComparisonPending(masking);
    const view = viewOf(workload);
    const { resource, source } = view.kind;
    if (
      !this.#canRead(resource.id, workload.namespace) ||
      !this.#canRead(source.resource.id, workload.namespace) ||
      this.#isRolloutUnreadable(memory.record, workload.namespace) ||
      // A rollout may be over when it is first observed, and its record names the person behind it.
      this.#isLoadingActions(workload)
    )
      return;
    const nowMs = this.#clock.now();
    const driving = observeProgressiveRollout(
      { cluster, view: viewOf, hashes: this.#hashes, mask: keys.mask, summaries, nowMs },
      view,
    );
    const observation = buildObservation({
      clusterId: cluster.identity.id,
      cache: cluster.cache,
      hashes: this.#hashes,
      keys,
      view,
      canReadPods: this.#canRead('pods', workload.namespace),
      actions: actionsOf(workload),
      watch: this.#watch,
      configChanges: relatedTo(workload),
      progressiveRollout: driving?.progressiveRollout ?? null,
      at: isoTime(nowMs),
    });
    const unrecorded = (hash: string) =>
      [workload, ...sourcesOf(driving)].find(({ bodyId }) => this.#hashes.of(bodyId) === hash);
    const past = this.#pastTemplates.get(workload.uid);
    const tools = createTools(view.history, cluster.cache, summaries, keys.mask, unrecorded, past);
    this.#commit(memory, observe(memory, observation, tools));
  }

  /** Whether the actions on the workload are being read from the archive; it is reconciled when they are there. */
  #isLoadingActions(workload: Workload): boolean {
    const { uid, resource, namespace, name } = workload;
    if (this.#loadingActions.has(uid)) return true;
    const { cluster, loadActions } = this.#options;
    const loaded = loadActions?.(workload) ?? null;
    if (loaded === null) return false;
    this.#loadingActions.add(uid);
    void loaded.then(() => {
      this.#loadingActions.delete(uid);
      const current = cluster.cache.workload(resource, namespace, name);
      if (current?.uid === uid && this.#lease !== null) this.#reconcile(current);
    });
    return true;
  }

  /** One that is new, or that could not be read before: only the archive knows. */
  #loadThenReconcile(workload: Workload): void {
    if (!this.#isCaughtUp) return;
    this.#loadMemory(workload).then(
      () => {
        const { resource, namespace, name, uid } = workload;
        const current = this.#options.cluster.cache.workload(resource, namespace, name);
        if (current?.uid === uid && this.#memories.has(uid)) this.#reconcile(current);
        else this.#handleDeletion(uid);
      },
      // The next observation starts afresh.
      () => (this.#isCaughtUp = false),
    );
  }

  #handleDeletion(uid: string, leavesDependents = false): void {
    const memory = this.#memories.get(uid);
    if (memory?.incarnation == null || this.#watch === null) return;
    if (!this.#canRead(memory.incarnation.resource, memory.incarnation.namespace)) return;
    const observed = observeDeletion(memory, isoTime(this.#clock.now()), this.#watch, leavesDependents);
    if (observed !== null) {
      this.#commit(memory, observed);
      this.#ended.set(uid, observed.memory);
    }
    this.#memories.delete(uid);
    this.#pastTemplates.delete(uid);
  }

  /** Objects that can't be read prove nothing. */
  #canRead(resource: string, namespace: string): boolean {
    const state = this.#options.cluster.cache.states(namespace).find((entry) => entry.resource === resource);
    return state?.synced === true && state.problem === null;
  }

  /** The driver of an open rollout can't be read: that does not prove that it was deleted. */
  #isRolloutUnreadable(record: RolloutRecord | null, namespace: string): boolean {
    const resource = record?.outcome === null ? record.progressiveRollout?.resource : undefined;
    const state = this.#options.cluster.cache.states(namespace).find((entry) => entry.resource === resource);
    return state !== undefined && (!state.synced || state.problem !== null);
  }

  #commit(before: RecorderMemory, { memory, changes }: ObservationResult): void {
    if (memory.incarnation === null) return;
    this.#memories.set(memory.incarnation.uid, memory);
    this.#keepPastTemplate(memory.incarnation, memory.activations.at(-1)?.revision);
    const notices = this.#options.noticesOf?.(before, changes.records, this.#clock.now());
    this.#pending.add(
      memory.incarnation,
      changes,
      ({ id, hash }) => (before.revisions.has(id) ? null : this.#bodyOf(memory.incarnation?.uid, hash)),
      notices,
      this.#pendingBodies(memory, changes.records, before),
    );
  }

  /** A template that nothing records may be deleted from the cluster before the next one is compared with it. */
  #keepPastTemplate(incarnation: WorkloadIncarnation, last: RevisionRef | undefined): void {
    if (last === undefined || last.id !== null) {
      this.#pastTemplates.delete(incarnation.uid);
      return;
    }
    if (this.#pastTemplates.get(incarnation.uid)?.hash === last.hash) return;
    const { cache } = this.#options.cluster;
    const workload = cache.workload(incarnation.resource, incarnation.namespace, incarnation.name);
    if (workload === undefined || this.#hashes.of(workload.bodyId) !== last.hash) return;
    const template = this.#archivable(workload.bodyId);
    if (template !== null) this.#pastTemplates.set(incarnation.uid, { hash: last.hash, template });
  }

  /** The templates of progressive rollouts that are not recorded yet, and never will be if they are reverted. */
  #pendingBodies({ incarnation }: RecorderMemory, records: readonly RolloutRecord[], before: RecorderMemory) {
    const { cache } = this.#options.cluster;
    const workload =
      incarnation === null
        ? undefined
        : cache.workload(incarnation.resource, incarnation.namespace, incarnation.name);
    return records.flatMap(({ id, to }) => {
      const isSaved = before.record?.id === id && before.record.to.hash === to.hash;
      if (workload === undefined || to.id !== null || isSaved) return [];
      const body = this.#hashes.of(workload.bodyId) === to.hash ? this.#archivable(workload.bodyId) : null;
      return body === null ? [] : [{ hash: to.hash, body }];
    });
  }

  /** Any source of the workload that has it is enough. */
  #bodyOf(uid: string | undefined, hash: string) {
    const { cache } = this.#options.cluster;
    const incarnation = uid === undefined ? undefined : this.#memories.get(uid)?.incarnation;
    const workload =
      incarnation == null
        ? undefined
        : cache.workload(incarnation.resource, incarnation.namespace, incarnation.name);
    if (workload === undefined) return null;
    const source = cache.sourcesOf(workload).find(({ bodyId }) => this.#hashes.of(bodyId) === hash);
    return source === undefined ? null : this.#archivable(source.bodyId);
  }

  /** The content of a Secret never enters the archive; null for a template that contains it. */
  #archivable(bodyId: string) {
    const body = this.#options.cluster.cache.template(bodyId);
    return body === undefined || holdsSecret(body) ? null : body;
  }

  #sweep(now: number): void {
    this.#sweptAt = now;
    const { cache } = this.#options.cluster;
    for (const { incarnation, record, cause } of [...this.#memories.values()]) {
      if (incarnation === null || (record?.outcome !== null && cause?.isAssigned !== false)) continue;
      const workload = cache.workload(incarnation.resource, incarnation.namespace, incarnation.name);
      if (workload?.uid === incarnation.uid) this.#reconcile(workload);
    }
  }

  /** Until when open rollouts were watched: what comes after is a gap for the next recorder. */
  #saveOpenRecords(): void {
    this.#sweep(this.#clock.now());
    for (const { incarnation, record } of this.#memories.values()) {
      if (incarnation === null || record?.outcome !== null) continue;
      this.#pending.add(
        incarnation,
        { incarnation: null, revisions: [], activations: [], records: [record] },
        () => null,
      );
    }
  }

  async #flush(lease: Lease): Promise<void> {
    while (this.#pending.size > 0) {
      const batch = this.#pending.takeBatch(BATCH_MAX);
      try {
        await this.#record(lease, batch);
      } catch (error) {
        this.#pending.putBack(batch);
        throw error;
      }
    }
    this.#ended.clear();
  }

  async #record(lease: Lease, batch: readonly IncarnationRecording[]): Promise<void> {
    const { archive, log, onRecorded } = this.#options;
    const now = this.#clock.now();
    try {
      await archive.record(lease, batch, now);
      onRecorded?.(batch);
    } catch (error) {
      if (isTransient(error)) throw error;
      // One that the archive rejects must not block the others.
      for (const recording of batch) {
        try {
          await archive.record(lease, [recording], now);
          onRecorded?.([recording]);
        } catch (refusal) {
          if (isTransient(refusal)) throw refusal;
          const { namespace, name } = recording.incarnation;
          log.error('a workload could not be recorded', { namespace, name, reason: messageOf(refusal) });
        }
      }
    }
  }
}

/** The database can't be used now, or another process holds the lease: the recordings are not at fault. */
function isTransient(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'archive_unavailable' || error.code === 'conflict');
}

/** Templates of the workloads that were generated for a progressive rollout. */
function sourcesOf(driving: ProgressiveState | null): readonly TemplateFacts[] {
  return driving?.auxiliaries.flatMap(({ history }) => history.revisions.map(({ source }) => source)) ?? [];
}
