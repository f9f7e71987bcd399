import 'server-only';
import { AppError } from '@/lib/errors';
import { showUnseenCharacters } from '@/lib/format/unseen-characters';
import type { KubeObject } from '@/lib/kube/object';
import type { RolloutSystem } from '@/lib/rollout/system';
import { rolloutSystems } from '@/lib/rollout/systems/table';
import type { WorkloadKind } from '@/lib/workloads/kind';
import { resourcePath, type ResourceType } from '@/lib/kube/resource';
import type { Workload } from '@/lib/history/workload';
import { RightsChanges } from '@/server/cluster/rights-changes';
import { AccessReviews } from '@/server/cluster/access';
import { ViewerAccess } from '@/server/cluster/viewer-access';
import { backgroundTransport } from '@/server/cluster/background-transport';
import { BEHIND_AFTER_MS, behindOf } from '@/server/cluster/behind';
import { BodyStore } from '@/server/cluster/body-store';
import type { ResourceState, WorkloadKey } from '@/server/cluster/cache';
import { systemClock, type Clock } from '@/server/shared/clock';
import type { Cluster, Connection, FreshSource, FreshWorkload } from '@/server/cluster/cluster';
import type { ClusterIdentity, Confirm, FoundIdentity } from '@/server/cluster/cluster-identity';
import { IndexedCache } from '@/server/cluster/indexed-cache';
import type { Credentials } from '@/server/cluster/credentials';
import { discoverIdentity } from '@/server/cluster/discovery';
import { EventFilter } from '@/server/cluster/event-filter';
import { FirstLists } from '@/server/cluster/first-lists';
import { Heartbeat } from '@/server/cluster/heartbeat';
import { assertCanImpersonate } from '@/server/cluster/impersonation';
import {
  ingestSource,
  ingestWorkload,
  SemanticIds,
  temporaryContext,
  type IngestContext,
} from '@/server/cluster/ingest';
import type { KnownClusters } from '@/server/cluster/known-clusters';
import { Listeners } from '@/server/cluster/listeners';
import { OwnerHistories } from '@/server/cluster/owner-histories';
import { OwnerWatcher } from '@/server/cluster/owner-watcher';
import { Reflector, type ReflectorState } from '@/server/cluster/reflector';
import { RolloutIndex, type RolloutKey } from '@/server/cluster/rollout-index';
import { resourceReaders } from '@/server/cluster/resource-readers';
import type { ObjectReader } from '@/server/cluster/object-reader';
import { notSignedIn } from '@/server/cluster/not-signed-in';
import { readObject } from '@/server/cluster/read-object';
import { ServedResources } from '@/server/cluster/served-resources';
import {
  type ClusterTransport,
  createTransport,
  type Transport,
  type ViewerTransport,
} from '@/server/cluster/transport';
import type { ArgoPlace } from '@/server/shared/cluster-entry';
import { type Logger, withFields } from '@/server/shared/log';
import { isPrivateUrl } from '@/server/shared/private-url';
import type { Semaphore } from '@/server/shared/semaphore';
import { processCredential, type Viewer } from '@/server/shared/viewer';

export interface LiveClusterOptions {
  credentials: Credentials;
  /** Of the cluster, as people know it. Default: that of the context. */
  name?: string;
  /** Of the cluster, given by its operator. Default: it is discovered. */
  id?: string;
  readOnly: boolean;
  /** Empty: the whole cluster. */
  namespaces: readonly string[];
  /** Default: nothing tells where an Argo CD is. */
  argocd?: ArgoPlace;
  kinds: readonly WorkloadKind[];
  /** How many kinds of owners are followed besides those of the table. Default: as `OwnerDiscovery` has it. */
  ownerKindsMax?: number;
  /** Recording systems and progressive rollouts to follow. Default: all. */
  systems?: readonly RolloutSystem[];
  /** How often the stores are compared with the API server's own lists. Default: as the reflector has it. */
  compareEveryMs?: number;
  /**
   * Asked each time that the API server answers something else about itself. Default: it is read under the id that was
   * found first.
   */
  confirm?: Confirm | undefined;
  /** Remembers which cluster an address led to. Default: nothing does. */
  known?: KnownClusters;
  /** Shared by the clusters of the process: how many first lists are read at a time. Default: any number. */
  firstLists?: Semaphore;
  /** Default: over the network, with the credentials. */
  transport?: ClusterTransport;
  log: Logger;
  clock?: Clock;
}

/** How often an unknown identity is requested again while the cluster is unreachable. */
const IDENTITY_RETRY_MS = 2_000;
/** Another cluster may stand behind the address without an outage in between. */
const IDENTITY_CHECK_MS = 60_000;

/** What a page shows of an annotation; a few tools store complete manifests in one. */
const ANNOTATION_CHARS_MAX = 2_000;

interface WatchedResource {
  resource: string;
  /** Undefined: cluster-wide. */
  namespace: string | undefined;
  reflector: Reflector<unknown>;
  /** The problem that was logged last: there may be hundreds of attempts. */
  loggedProblem: string | undefined;
  /** The last read state of each kind of owners. */
  ownerReadState?: string;
}

/** A cluster behind a transport: reflectors fill the cache, and the cache reports the changes. */
export class LiveCluster implements Cluster {
  /** As the process, always. */
  readonly transport: ClusterTransport;
  /** For readers that no request waits for: while the cluster is away, their requests wait until it is back. */
  readonly background: Transport;
  /** Empty unless someone follows the roles. */
  readonly rightsChanges: RightsChanges;
  readonly access: AccessReviews;
  readonly viewerAccess: ViewerAccess;
  readonly self: Viewer;
  readonly cache: IndexedCache;
  readonly rollouts: RolloutIndex;
  readonly bodies = new BodyStore();
  readonly #options: LiveClusterOptions;
  readonly #clock: Clock;
  /** Each line names the cluster. */
  readonly #log: Logger;
  readonly #firstLists: FirstLists | undefined;
  readonly #ingest: IngestContext;
  readonly #watched: WatchedResource[] = [];
  readonly #changeListeners = new Listeners<[readonly WorkloadKey[]]>((error) => this.#onError(error));
  readonly #rolloutListeners = new Listeners<[readonly RolloutKey[]]>((error) => this.#onError(error));
  readonly #connectionListeners = new Listeners<[Connection]>((error) => this.#onError(error));
  readonly #resourceStateListeners = new Listeners<[]>((error) => this.#onError(error));
  readonly #stopping = new AbortController();
  readonly #heartbeat: Heartbeat;
  readonly #served: ServedResources;
  /** Ids of the resources that are followed from the start, where they are served. */
  readonly #initialResources = new Set<string>();
  /** Resources that are followed because revisions name their objects as owners. */
  readonly #owners: OwnerWatcher;
  readonly #events: EventFilter;
  /**
   * Rounds of owner discovery that must end until everything has been read once; null while that is unknown.
   */
  #ownerRounds: number | null = null;
  /** How to follow each resource that may come and go. */
  readonly #startByResource = new Map<string, (version: string) => void>();
  #identity: ClusterIdentity;
  /** Ends the pause before the next question for it. */
  #identityCheck = new AbortController();
  #self: Pick<Viewer, 'id' | 'name' | 'isGuessed'>;
  #connection: Connection;
  #ready = false;
  /** The resources last announced as missing or behind. */
  #announcedStates = '';

  constructor(options: LiveClusterOptions) {
    const { credentials, readOnly, kinds } = options;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    const name = options.name ?? credentials.context;
    this.#log = withFields(options.log, { cluster: name });
    this.transport =
      options.transport ?? createTransport({ credentials, readOnly, clock: this.#clock, cluster: name });
    this.#heartbeat = new Heartbeat({
      transport: this.transport,
      clock: this.#clock,
      lastContactAt: () => this.#lastContactAt(),
      isUnreachable: () => this.#connection.state === 'unreachable',
      onUnresponsive: () => this.#updateConnection(),
      onRecovered: (unresponsiveSince) => this.#onRecovered(unresponsiveSince),
    });
    const untilAnswered = (signal: AbortSignal) => this.#heartbeat.untilAnswered(signal);
    this.background = backgroundTransport(this.transport, untilAnswered, this.#stopping.signal);
    if (options.firstLists !== undefined)
      this.#firstLists = new FirstLists(options.firstLists, untilAnswered);
    this.#served = new ServedResources({
      transport: this.background,
      types: distinctTypes([
        ...kinds.flatMap(({ resource, source }) => [resource, source.resource]),
        ...this.#rolloutResources(),
      ]).filter(({ isCustom }) => isCustom === true),
      clock: this.#clock,
      log: this.#log,
      onChange: (type, version) => void this.#serveVersion(type, version),
    });
    this.rightsChanges = new RightsChanges(this.#clock);
    this.access = new AccessReviews({
      changes: this.rightsChanges,
      transport: this.transport,
      transportFor: (viewer) => this.transportFor(viewer),
      clock: this.#clock,
      outage: () => this.#heartbeat.failure,
    });
    this.viewerAccess = new ViewerAccess(this.access, this.#clock, this.#stopping.signal, this.rightsChanges);
    this.#self = {
      id: `context:${credentials.context}`,
      name: showUnseenCharacters(credentials.context),
      isGuessed: true,
    };
    this.self = selfViewer(() => this.#self);
    this.#ingest = {
      bodies: this.bodies,
      semantic: new SemanticIds(this.bodies),
      annotationCharsMax: ANNOTATION_CHARS_MAX,
    };
    const unanswered = { name, server: credentials.server, version: null };
    this.#identity =
      options.id !== undefined && options.confirm === undefined
        ? { ...unanswered, id: options.id }
        : { ...unanswered, id: credentials.clusterHash, isGuessed: true };
    this.guess(options.id ?? options.known?.idOf(credentials.clusterHash));
    this.#connection = {
      state: 'connecting',
      message: null,
      observedAt: null,
      since: this.#clock.now(),
    };
    this.cache = new IndexedCache({
      kinds,
      bodies: this.bodies,
      semantic: this.#ingest.semantic,
      states: (namespace) => this.#states(namespace),
      now: () => this.#clock.now(),
      onChange: (keys) => {
        this.rollouts.markWorkloadsChanged(keys);
        this.#changeListeners.notify(keys);
      },
      onError: (error) => this.#onError(error),
    });
    const histories = new OwnerHistories(this.cache, {
      readStateOf: (owner, namespace) => this.#owners.readStateOf(owner, namespace),
      onNewType: () => this.#owners.wake(),
    });
    this.cache.extend(histories);
    this.#events = new EventFilter(this.cache);
    this.#owners = new OwnerWatcher({
      transport: this.background,
      cache: this.cache,
      histories,
      ingest: this.#ingest,
      isWatched: (resource) => this.#isWatched(resource),
      begin: (type, reader, namespaced) => this.#startOwnerWatch(type, reader, namespaced),
      end: (type) => this.#stopOwnerWatch(type),
      states: (namespace) => this.#watchedStates(namespace),
      onRound: () => {
        this.#updateResourceStates();
        this.#updateReady();
      },
      clock: this.#clock,
      log: this.#log,
      ...(options.ownerKindsMax !== undefined && { max: options.ownerKindsMax }),
    });
    this.rollouts = new RolloutIndex(
      (keys) => this.#rolloutListeners.notify(keys),
      () => this.#clock.now(),
    );
  }

  get namespaces(): readonly string[] {
    return this.#options.namespaces;
  }

  get argocd(): ArgoPlace {
    return this.#options.argocd ?? { namespaces: [], name: null, cluster: null };
  }

  get identity(): ClusterIdentity {
    return this.#identity;
  }

  /** Takes it, until the API server answers, for the cluster with this id; undefined: for none. */
  guess(formerId: string | undefined): void {
    if (this.#identity.isGuessed !== true) return;
    const { id, name, server, version } = this.#identity;
    this.#identity = { id, name, server, version, isGuessed: true };
    if (formerId !== undefined) this.#identity.formerId = formerId;
  }

  /** What the API server answers about itself now. Throws AppError while it is unreachable. */
  async readIdentity(api: Transport = this.transport): Promise<FoundIdentity> {
    const { credentials, known, id } = this.#options;
    const remembered = id === undefined ? known : undefined;
    const found = await discoverIdentity(api, credentials, remembered, this.#stopping.signal);
    return id === undefined ? found : withGivenId(found, id);
  }

  get connection(): Connection {
    const last = this.#lastContactAt();
    return { ...this.#connection, observedAt: last === 0 ? null : last };
  }

  get ready(): boolean {
    return this.#ready;
  }

  /** Objects in the caches; {@link bodies} has the templates. */
  get objectCount(): number {
    return this.cache.objectCount + this.rollouts.objectCount;
  }

  onChange(listener: (keys: readonly WorkloadKey[]) => void): () => void {
    return this.#changeListeners.add(listener);
  }

  onRolloutChange(listener: (keys: readonly RolloutKey[]) => void): () => void {
    return this.#rolloutListeners.add(listener);
  }

  onConnection(listener: (connection: Connection) => void): () => void {
    return this.#connectionListeners.add(listener);
  }

  /** Calls back when another resource is missing or behind, or no longer is. Returns the unsubscriber. */
  onResourceStates(listener: () => void): () => void {
    return this.#resourceStateListeners.add(listener);
  }

  /** A bug in one part; the others continue. */
  #onError(error: unknown): void {
    this.#log.error('a change of the cluster could not be processed', { error });
  }

  /** Starts every reflector and returns at once: an unreachable cluster is retried, not fatal. */
  start(): void {
    void this.#identify();
    const initialReaders = resourceReaders({
      kinds: this.#options.kinds,
      systems: this.#systems,
      ingest: this.#ingest,
      cache: this.cache,
      rollouts: this.rollouts,
      events: this.#events,
    });
    for (const { type } of initialReaders) this.#initialResources.add(type.id);
    for (const { type, reader } of initialReaders) this.#watch(type, reader);
    for (const { reflector } of this.#watched) reflector.start();
    void this.#served.run(this.#stopping.signal);
    void this.#owners.run(this.#stopping.signal);
    void this.#heartbeat.run(this.#stopping.signal);
  }

  get #systems(): readonly RolloutSystem[] {
    return this.#options.systems ?? rolloutSystems;
  }

  #rolloutResources(): ResourceType[] {
    return this.#systems.flatMap(({ resource, relatedObjects, records }) => [
      resource,
      ...relatedObjects.map((entry) => entry.resource),
      ...(records === null ? [] : [records.resource]),
    ]);
  }

  /** Ends every request at once, whether or not the API server answers. The caches keep their content. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([this.transport.close(), ...this.#watched.map(({ reflector }) => reflector.stop())]);
  }

  transportFor({ credential }: Viewer): ViewerTransport {
    switch (credential.kind) {
      case 'process':
        return this.transport.as(credential);
      case 'impersonate':
        assertCanImpersonate(credential);
        return this.transport.as(credential);
      case 'token':
        assertIsPrivate(this.transport.server);
        return this.transport.as(credential);
      case 'none':
        throw notSignedIn(this.identity.name);
    }
  }

  async readWorkload(
    viewer: Viewer,
    kind: WorkloadKind,
    namespace: string,
    name: string,
  ): Promise<FreshWorkload> {
    const object = await this.#read(viewer, kind.resource, namespace, name);
    return { object, summary: ingestWorkload(kind, object, temporaryContext()) };
  }

  async readSource(
    viewer: Viewer,
    kind: WorkloadKind,
    namespace: string,
    name: string,
  ): Promise<FreshSource> {
    const object = await this.#read(viewer, kind.source.resource, namespace, name);
    return { object, summary: ingestSource(kind.source, object, temporaryContext()) };
  }

  #read(viewer: Viewer, type: ResourceType, namespace: string, name: string): Promise<KubeObject> {
    const version = this.#served.versionOf(type) ?? type.versions[0] ?? 'v1';
    return readObject(this, viewer, type, version, { ...(namespace !== '-' && { namespace }), name });
  }

  #watch(type: ResourceType, reader: ObjectReader<unknown>): void {
    if (type.isCustom === true) {
      this.#startByResource.set(type.id, (version) => this.#follow(type, version, reader));
      return;
    }
    this.#follow(type, type.versions[0] ?? 'v1', reader);
  }

  /** A definition was added or deleted, or serves another version. */
  async #serveVersion(type: ResourceType, version: string | null): Promise<void> {
    const before = this.#watched.filter(({ resource }) => resource === type.id);
    for (const watched of before) this.#watched.splice(this.#watched.indexOf(watched), 1);
    for (const { reflector } of before) {
      await reflector.stop();
      reflector.clear();
    }
    if (version !== null && !this.#stopping.signal.aborted) {
      const follow = this.#startByResource.get(type.id);
      follow?.(version);
      for (const { resource, reflector } of this.#watched) if (resource === type.id) reflector.start();
    }
    this.#updateResourceStates();
    this.#updateReady();
  }

  async #startOwnerWatch(
    type: ResourceType,
    reader: ObjectReader<Workload>,
    namespaced: boolean,
  ): Promise<void> {
    this.#startByResource.set(type.id, (version) => this.#follow(type, version, reader, namespaced));
    this.#events.follow(type);
    await this.#serveVersion(type, type.versions[0] ?? 'v1');
  }

  async #stopOwnerWatch(type: ResourceType): Promise<void> {
    await this.#serveVersion(type, null);
    this.#events.unfollow(type);
    this.#startByResource.delete(type.id);
  }

  /** As a kind of the table, as a rollout, or for another reason: no second reflector may read it. */
  #isWatched(resource: string): boolean {
    return (
      this.#initialResources.has(resource) || this.#watched.some((watched) => watched.resource === resource)
    );
  }

  #follow(type: ResourceType, version: string, reader: ObjectReader<unknown>, namespaced = true): void {
    const { namespaces } = this.#options;
    for (const namespace of namespaces.length === 0 || !namespaced ? [undefined] : namespaces) {
      const reflector = new Reflector<unknown>({
        transport: this.background,
        path: resourcePath(type, version, namespace),
        ingest: (object) => reader.ingest(object),
        onChange: (change) => reader.apply(change),
        onState: (state) => this.#onState(watched, state),
        compareEveryMs: this.#options.compareEveryMs,
        firstLists: this.#firstLists,
        clock: this.#clock,
        log: this.#log,
      });
      const watched: WatchedResource = {
        resource: type.id,
        namespace,
        reflector,
        loggedProblem: undefined,
      };
      this.#watched.push(watched);
    }
  }

  #onState(watched: WatchedResource, state: ReflectorState): void {
    // One that is back means that the others need not wait out their back-off.
    if (state.phase === 'watching' && this.#connection.state === 'unreachable') {
      this.#heartbeat.probeNow();
      for (const { reflector } of this.#watched) {
        if (reflector.state.phase === 'retrying') reflector.retryNow();
      }
    }
    this.#updateConnection();
    this.#updateResourceStates();
    this.#logProblem(watched);
    if (state.unfollowedSince !== undefined) void this.#updateWhenBehind();
    if (this.#owners.reads(watched.resource) && watched.ownerReadState !== readStateOf(state)) {
      watched.ownerReadState = readStateOf(state);
      this.#owners.reconsider(watched.resource);
    }
    this.#updateReady();
  }

  #updateReady(): void {
    if (this.#ready || !this.#served.isDiscovered) return;
    if (!this.#watched.every((watched) => isSettled(watched.reflector.state))) return;
    // The owners of revisions are known once the revisions have been read and checked, and are then read as
    // well.
    this.#ownerRounds ??= this.#owners.nextRound();
    if (this.#owners.rounds < this.#ownerRounds) return;
    this.#ready = true;
    this.#log.info(`cluster ${this.#identity.name} is ready`, { objects: this.objectCount });
    this.#announce();
  }

  /**
   * Logs when one resource of a connected cluster can no longer be followed, and when it can again. What ends by
   * itself in a moment is not worth a line, and an outage has one line for all resources.
   */
  #logProblem(watched: WatchedResource): void {
    const { state, since } = this.#connection;
    if (state !== 'connected') return;
    const { phase, error, unfollowedSince } = watched.reflector.state;
    const { resource, namespace } = watched;
    const where = { resource, ...(namespace === undefined ? {} : { namespace }) };
    if (error === undefined) {
      if (watched.loggedProblem !== undefined) this.#log.info(`watching ${resource} again`, where);
      watched.loggedProblem = undefined;
      return;
    }
    const { code, message } = error;
    const failingSince = Math.max(unfollowedSince ?? Infinity, since);
    const isPassing = phase === 'retrying' && this.#clock.now() - failingSince < BEHIND_AFTER_MS;
    const problem = `${phase} ${code}`;
    if (isPassing || problem === watched.loggedProblem) return;
    watched.loggedProblem = problem;
    this.#log.warn(`cannot watch ${resource}`, { ...where, phase, code, reason: message });
  }

  /** No reflector needs to wait out a back-off any more, or to listen to a connection that died meanwhile. */
  #onRecovered(unresponsiveSince: number): void {
    for (const { reflector } of this.#watched) {
      const { error, lastContactAt } = reflector.state;
      // A reflector that got an answer, if only an error, waits as long as that answer requests.
      if (error?.details.status === undefined) reflector.retryNow();
      if ((lastContactAt ?? 0) < unresponsiveSince) reflector.reopen();
    }
    this.#updateConnection();
  }

  /** Milliseconds since the epoch; 0 for never. */
  #lastContactAt(): number {
    return Math.max(0, ...this.#watched.map(({ reflector }) => reflector.state.lastContactAt ?? 0));
  }

  #updateConnection(): void {
    const states = this.#watched.map(({ reflector }) => reflector.state);
    const broken = states.find((state) => state.phase === 'retrying');
    const reached = states.some((state) => state.phase === 'watching' || isRefused(state));
    const probeFailure = this.#heartbeat.failure;
    const next: Connection['state'] =
      probeFailure !== undefined
        ? 'unreachable'
        : reached && (broken === undefined || states.some((state) => state.phase === 'watching'))
          ? 'connected'
          : broken === undefined
            ? this.#connection.state
            : 'unreachable';
    const message = next === 'unreachable' ? ((probeFailure ?? broken?.error)?.message ?? null) : null;
    if (next === this.#connection.state && message === this.#connection.message) return;
    const isChanged = next !== this.#connection.state;
    const since = isChanged ? this.#clock.now() : this.#connection.since;
    this.#connection = { state: next, message, observedAt: null, since };
    if (isChanged) this.#onConnectionChange();
    this.#announce();
  }

  #onConnectionChange(): void {
    const { state, message } = this.#connection;
    const text = `cluster ${this.#identity.name} is ${state}`;
    if (state === 'unreachable') {
      this.#log.warn(text, { reason: message ?? '' });
      this.#heartbeat.probeNow();
    } else {
      this.#log.info(text);
      this.#identityCheck.abort();
      void this.#updateWhenBehind();
    }
  }

  /** By then it is behind, or followed again. */
  async #updateWhenBehind(): Promise<void> {
    await this.#clock.sleep(BEHIND_AFTER_MS, this.#stopping.signal).catch(() => undefined);
    if (this.#stopping.signal.aborted) return;
    this.#updateResourceStates();
    for (const watched of this.#watched) this.#logProblem(watched);
  }

  #updateResourceStates(): void {
    const parts = JSON.stringify(
      this.#states(undefined).map(({ resource, problem, behind }) => [resource, problem, behind?.since]),
    );
    if (parts === this.#announcedStates) return;
    const isFirst = this.#announcedStates === '';
    this.#announcedStates = parts;
    if (!isFirst) this.#resourceStateListeners.notify();
  }

  #announce(): void {
    this.#connectionListeners.notify(this.connection);
  }

  #states(requestedNamespace: string | undefined): ResourceState[] {
    return [...this.#watchedStates(requestedNamespace), ...this.#owners.skippedStates()];
  }

  #watchedStates(requestedNamespace: string | undefined): ResourceState[] {
    const relevant = this.#watched.filter(
      ({ namespace }) =>
        namespace === undefined || requestedNamespace === undefined || namespace === requestedNamespace,
    );
    const byResource = Map.groupBy(relevant, ({ resource }) => resource);
    return [...byResource].map(([resource, parts]) => ({
      resource,
      synced: parts.every(({ reflector }) => isSettled(reflector.state)),
      problem: problemOf(parts),
      behind: behindOf(
        parts.map(({ reflector }) => reflector.state),
        this.#clock.now(),
      ),
    }));
  }

  async #identify(): Promise<void> {
    const { confirm } = this.#options;
    let last: FoundIdentity | undefined;
    while (!this.#stopping.signal.aborted) {
      try {
        const found = await this.readIdentity(this.background);
        if (last?.id !== found.id || last.hash !== found.hash) await this.#adopt(found);
        last = found;
        if (confirm === undefined) return;
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        this.#log.debug('the cluster is not identified yet', {
          reason: error instanceof Error ? error.message : '',
        });
      }
      this.#identityCheck = new AbortController();
      const signal = AbortSignal.any([this.#stopping.signal, this.#identityCheck.signal]);
      const pauseMs = last === undefined ? IDENTITY_RETRY_MS : IDENTITY_CHECK_MS;
      await this.#clock.sleep(pauseMs, signal).catch(() => undefined);
    }
  }

  async #adopt(found: FoundIdentity): Promise<void> {
    const { confirm, id: givenId } = this.#options;
    const id = confirm === undefined ? found.id : await confirm(found);
    if (id === undefined) return;
    const { name } = this.#identity;
    const aliases = [found.id, ...(found.aliases ?? [])].filter((alias) => alias !== id);
    this.#identity = { id, name, server: found.server, version: found.version, aliases };
    // Another cluster may have the same uid: it is no alias that a start without the given id could rely on.
    if (givenId === undefined) this.#remember(this.#identity);
    const user = await this.access.whoAmI(this.self);
    this.#self = { id: `user:${user.name}`, name: showUnseenCharacters(user.name) };
    this.#announce();
  }

  #remember({ id, aliases = [] }: ClusterIdentity): void {
    const { known, credentials } = this.#options;
    try {
      for (const alias of new Set([credentials.clusterHash, ...aliases])) known?.remember(alias, id);
    } catch (error) {
      this.#log.warn('the identity of the cluster could not be stored', { error });
    }
  }
}

/**
 * The process's own identity, from the API server: two processes that share an archive are the same author
 * only where they are the same user.
 */
function selfViewer(known: () => Pick<Viewer, 'id' | 'name' | 'isGuessed'>): Viewer {
  return {
    credential: processCredential,
    isProcess: true,
    get id() {
      return known().id;
    },
    get name() {
      return known().name;
    },
    get isGuessed() {
      return known().isGuessed === true;
    },
  };
}

/** The id that was found is no alias: the operator gives another one because it leads to another cluster too. */
function withGivenId(found: FoundIdentity, id: string): FoundIdentity {
  return { ...found, id, isStated: true, aliases: (found.aliases ?? []).filter((alias) => alias !== id) };
}

function distinctTypes(types: readonly ResourceType[]): ResourceType[] {
  return [...new Map(types.map((type) => [type.id, type])).values()];
}

function readStateOf({ synced, phase }: ReflectorState): string {
  return `${synced} ${phase === 'forbidden' || phase === 'unserved'}`;
}

function isRefused(state: ReflectorState): boolean {
  return state.phase === 'forbidden' || state.phase === 'unserved';
}

function isSettled(state: ReflectorState): boolean {
  return state.synced || isRefused(state);
}

function problemOf(parts: readonly WatchedResource[]): string | null {
  const refused = parts.filter(({ reflector }) => isRefused(reflector.state));
  const [first] = refused;
  if (first === undefined) return null;
  const { error, phase } = first.reflector.state;
  const where =
    first.namespace === undefined ? '' : ` in ${refused.map(({ namespace }) => namespace ?? '').join(', ')}`;
  const why = error instanceof AppError ? error.message : phase;
  const advice =
    phase === 'forbidden' && first.namespace === undefined
      ? ' Request that permission, or set SHIPLOG_NAMESPACES to the namespaces that you can read.'
      : '';
  return `${first.resource} cannot be read${where}: ${why}${why.endsWith('.') ? '' : '.'}${advice}`;
}

/** Everyone between Shiplog and the API server could read a token that is sent without TLS. */
function assertIsPrivate(server: string): void {
  if (isPrivateUrl(server)) return;
  throw new AppError(
    'forbidden',
    'Nothing was sent to the cluster: its API server has no TLS, and your token would be readable on the way. Have its address in the kubeconfig begin with https.',
  );
}
