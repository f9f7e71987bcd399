import 'server-only';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import type { clusterItemSchema, clusterSchema } from '@/lib/api/cluster';
import type { Answer } from '@/lib/api/common';
import type { BoundEntry } from '@/lib/api/archived-cluster';
import type { RecorderState } from '@/lib/records/recorder-state';
import { OrphanedActions } from '@/server/actions/orphaned-actions';
import { type Actions, createActions } from '@/server/actions/service';
import type { Archive } from '@/server/archive/archive';
import type { ArchiveKeeper } from '@/server/archive/archive-keeper';
import type { Lease } from '@/server/archive/lease';
import type { Audit } from '@/server/audit/audit';
import type { AuditJournal } from '@/server/audit/audit-journal';
import type { Confirm } from '@/server/cluster/cluster-identity';
import type { Credentials } from '@/server/cluster/credentials';
import type { KnownClusters } from '@/server/cluster/known-clusters';
import { LiveCluster } from '@/server/cluster/live-cluster';
import { type RunningControllers, startControllers } from '@/server/controllers/controllers';
import type { Notices } from '@/server/notifications/notices';
import { ChangeSummaries } from '@/server/views/change-summaries';
import { clusterInfo, clusterItem, connectionState } from '@/server/reads/cluster';
import type { ReadContext } from '@/server/views/context';
import type { ViewedCluster } from '@/server/views/fleet';
import type { Hub } from '@/server/views/owner-readings';
import { LatestRecordSummaries, RecordSummaryUpdater } from '@/server/views/latest-record-summaries';
import { RolloutViews } from '@/server/views/rollout-view';
import { ViewCache } from '@/server/views/workload-view';
import { ConfigObjects } from '@/server/recorder/config-objects';
import { ownActions } from '@/server/recorder/own-actions';
import { concerns, type RightsChange } from '@/server/cluster/rights-changes';
import { RightsWatch } from '@/server/cluster/rights-watch';
import { Recorder } from '@/server/recorder/recorder';
import { SharedActions } from '@/server/recorder/shared-actions';
import { RolloutHistoryWriter } from '@/server/rollout-histories/writer';
import { systemClock } from '@/server/shared/clock';
import type { ClusterEntry } from '@/server/shared/cluster-entry';
import type { Config } from '@/server/shared/config';
import type { Keys } from '@/server/shared/keys';
import { type Logger, withFields } from '@/server/shared/log';
import type { Semaphore } from '@/server/shared/semaphore';
import type { Person, Viewer } from '@/server/shared/viewer';
import type { StreamHub } from '@/server/stream/hub';

/** What the clusters of a process have in common. */
interface SharedServices {
  config: Config;
  log: Logger;
  keys: Keys;
  known: KnownClusters;
  audit: Audit;
  journal: AuditJournal;
  archiveKeeper: ArchiveKeeper;
  notices: Notices;
  hub: StreamHub;
  /** Absent where there is one cluster, whose first lists need not wait for others. */
  firstLists: Semaphore | undefined;
  /** Called when the connection of a cluster has changed. */
  onConnection: () => void;
  /** All that are read, this one too. */
  runtimes: () => readonly ClusterRuntime[];
}

/** Without a name in the configuration, an Argo CD is looked for in so many other clusters. */
const HUBS_MAX = 8;

/** How soon the page gets a state that changed by the passing of time alone. */
const TICK_MS = 15_000;

/** Roles and bindings often change several at a time. */
const RIGHTS_PAUSE_MS = 500;

/** Everything that belongs to one cluster: one that is away delays no other. */
export class ClusterRuntime {
  /** Changes with the configuration while its connection stays. */
  entry: ClusterEntry;
  readonly cluster: LiveCluster;
  readonly reads: ReadContext;
  readonly actions: Actions;
  readonly #shared: SharedServices;
  readonly #summaries = new LatestRecordSummaries();
  readonly #rollouts: RolloutViews;
  readonly #sharedActions: SharedActions;
  readonly #summaryUpdater: RecordSummaryUpdater;
  readonly #orphanedActions: OrphanedActions;
  #configObjects: ConfigObjects | undefined;
  #rightsWatch: RightsWatch | undefined;
  #histories: RolloutHistoryWriter | undefined;
  #controllers: RunningControllers | undefined;
  #recorder: Recorder | undefined;
  #tick: NodeJS.Timeout | undefined;
  /** Who a viewer is in other clusters. */
  readonly #persons = new WeakMap<Viewer, Person>();

  constructor(
    entry: ClusterEntry,
    credentials: Credentials,
    shared: SharedServices,
    confirm: Confirm | undefined,
  ) {
    const { keys, known, audit, journal, archiveKeeper, notices, hub } = shared;
    const { namespaces, readOnly, links } = entry;
    const config = { ...shared.config, namespaces, readOnly, links };
    this.entry = entry;
    const log = withFields(shared.log, { cluster: entry.name });
    this.#shared = { ...shared, config, log };
    const cluster = new LiveCluster({
      name: entry.name,
      ...(entry.id !== null && { id: entry.id }),
      ...(shared.firstLists !== undefined && { firstLists: shared.firstLists }),
      confirm,
      credentials,
      readOnly,
      namespaces,
      argocd: entry.argocd,
      kinds: workloadKinds,
      compareEveryMs: config.compareEveryMs,
      known,
      log: shared.log,
    });
    this.cluster = cluster;
    const views = new ViewCache(cluster, keys.mask, Date.now, this.#summaries);
    this.#rollouts = new RolloutViews(cluster, views);
    this.reads = {
      cluster,
      keys,
      views,
      rollouts: this.#rollouts,
      get archive() {
        return archiveKeeper.archive;
      },
      archiveProblem: () => this.recorderState.reason,
      summaries: new ChangeSummaries(keys.mask),
      config,
      hubsOf: (viewer) => this.#hubsOf(viewer),
      notices,
      audit,
      now: () => Date.now(),
    };
    const archive = () => archiveKeeper.archive;
    const clusterId = () => cluster.identity.id;
    const isRecording = () => this.recorderState.state === 'recording';
    this.actions = createActions({
      cluster,
      hubsOf: (viewer) => this.#hubsOf(viewer),
      keys,
      audit,
      archive,
      whenArchived: () => journal.settled(),
      log,
    });
    this.#sharedActions = new SharedActions({ audit, archive, clusterId, log });
    this.#summaryUpdater = new RecordSummaryUpdater({
      summaries: this.#summaries,
      cluster,
      archive,
      isRecording,
      publish: (changed) => hub.publish(changed),
      log,
    });
    this.#orphanedActions = new OrphanedActions({
      audit,
      archive,
      clusterId,
      isRecording,
      log,
      now: Date.now,
    });
  }

  /** Whether an entry needs no other connection and cache than this one. */
  isReadAs(entry: ClusterEntry): boolean {
    return connectionOf(entry) === connectionOf(this.entry);
  }

  /** The viewer of a request as this cluster knows them. */
  viewerOf(person: Person): Viewer {
    const { readOnly: isReadOnly } = this.entry;
    const viewer = person.viewerIn({ ...this.entry, self: this.cluster.self });
    const readOnly = person.readOnly ?? (isReadOnly ? 'cluster' : undefined);
    const known = readOnly === undefined ? viewer : { ...viewer, readOnly };
    this.#persons.set(known, person);
    return known;
  }

  /** The clusters in which the Argo CD may be that deploys to this one. */
  #hubsOf(viewer: Viewer): Hub[] {
    const person = this.#persons.get(viewer);
    if (person === undefined) return [];
    const { cluster: named } = this.entry.argocd;
    return this.#shared
      .runtimes()
      .filter((each) => each !== this && (named === null || each.entry.name === named))
      .slice(0, HUBS_MAX)
      .map((each) => ({ cluster: each.cluster, viewer: each.viewerOf(person) }));
  }

  viewedBy(person: Person): ViewedCluster {
    return { entry: this.entry, context: this.reads, viewer: this.viewerOf(person) };
  }

  /** For its row in a list of clusters. */
  itemFor(person: Person, moved: BoundEntry['moved']): Answer<typeof clusterItemSchema> {
    const { objectCount: objects, bodies } = this.cluster;
    const sources = { ...this.#sources(), entry: this.entry, objects, templateBytes: bodies.bytes, moved };
    return clusterItem(sources, this.viewerOf(person));
  }

  infoFor(viewer: Viewer): Answer<typeof clusterSchema> {
    return clusterInfo(this.#sources(), viewer);
  }

  /** For the stream's `state` event. */
  connectionFor(person: Person): Pick<Answer<typeof clusterSchema>, 'connection' | 'ready'> {
    return connectionState(this.cluster, this.viewerOf(person), this.#shared.keys.mask);
  }

  #sources() {
    const { cluster, reads, controllers, recorderState } = this;
    return { cluster, config: this.#shared.config, reads, controllers, recorderState };
  }

  /** Until the archive is open, the reason why nothing is recorded. */
  get recorderState(): RecorderState {
    return this.#recorder?.state ?? this.#shared.archiveKeeper.state;
  }

  /** Null while this process does not record the cluster. */
  get lease(): Lease | null {
    return this.#recorder?.lease ?? null;
  }

  /** Undefined where none is configured. */
  get controllers(): RunningControllers | undefined {
    return this.#controllers;
  }

  /** Returns at once; the cluster may be unreachable. */
  start(): void {
    const { config, log, keys, archiveKeeper } = this.#shared;
    const { cluster } = this;
    const { namespaces } = config;
    this.#publishChanges();
    this.#announceConnection();
    this.#tick = setInterval(() => this.#onTick(), TICK_MS).unref();
    if (config.watchConfig) {
      this.#configObjects = new ConfigObjects({
        transport: cluster.background,
        namespaces,
        templateOf: (bodyId) => cluster.cache.template(bodyId),
        log,
        clock: systemClock,
      });
      this.#configObjects.start();
    }
    if (impersonates(config.auth, this.entry)) this.#followRights();
    cluster.start();
    this.actions.resume();
    if (config.writeRolloutHistory) {
      this.#histories = new RolloutHistoryWriter({
        transport: cluster.transport,
        clusterId: () => cluster.identity.id,
        namespaces,
        archive: () => (this.recorderState.state === 'recording' ? archiveKeeper.archive : null),
        keys,
        log,
        clock: systemClock,
      });
      this.#histories.start();
    }
    this.#controllers = startControllers({
      config,
      transport: cluster.transport,
      clock: systemClock,
      log,
    });
  }

  /** Records into the archive, which has just been opened. */
  record(archive: Archive): void {
    const { keys, log, notices, hub } = this.#shared;
    const { cluster, reads } = this;
    this.#recorder = new Recorder({
      cluster,
      archive,
      keys,
      summaries: reads.summaries,
      view: (workload) => reads.views.view(workload),
      actionsOf: (workload) =>
        ownActions(this.#sharedActions.inNamespace(workload.namespace), cluster.cache, workload),
      loadActions: (workload) => this.#sharedActions.load(workload),
      configChangesOf: (workload) => this.#configObjects?.changesFor(workload) ?? [],
      noticesOf: (before, records, nowMs) => notices.ofRollouts(before, records, nowMs),
      log,
      onRecorded: (recordings) => this.#summaryUpdater.onRecorded(recordings),
      onState: () => {
        hub.resync();
        void this.#summaryUpdater.refresh();
      },
    });
    this.#recorder.start();
  }

  /** To be called before the archive and the audit are closed. */
  async stop(): Promise<void> {
    clearInterval(this.#tick);
    this.actions.stop();
    await this.#histories?.stop();
    await this.#controllers?.stop();
    await this.#recorder?.stop();
    await Promise.all([this.#configObjects?.stop(), this.#rightsWatch?.stop()]);
    await this.cluster.stop();
  }

  #publishChanges(): void {
    const { hub } = this.#shared;
    const { cluster, reads } = this;
    cluster.onChange((changed) => {
      for (const { uid, resource, namespace, name } of changed) {
        if (cluster.cache.workload(resource, namespace, name)?.uid === uid) continue;
        reads.views.forget(uid);
        this.#summaries.forget(uid);
        this.#sharedActions.forget(uid);
      }
      const id = cluster.identity.id;
      hub.publish(
        changed.map(({ resource, namespace, name }) => ({ cluster: id, resource, namespace, name })),
      );
    });
    cluster.onRolloutChange((changed) => {
      const id = cluster.identity.id;
      // The state of a progressive rollout is part of the state of its workload.
      const workloads = changed.flatMap(({ resource, namespace, name }) => {
        const workload = cluster.rollouts.rollout(resource, namespace, name)?.workload;
        return workload?.resource == null
          ? []
          : [{ resource: workload.resource, namespace, name: workload.name }];
      });
      hub.publish([...changed, ...workloads].map((key) => ({ cluster: id, ...key })));
    });
    // Every answer has a member that states so.
    cluster.onResourceStates(() => hub.resync());
  }

  /** Pages of people whose rights may have changed request again what they show. */
  #followRights(): void {
    const { hub, config, log } = this.#shared;
    const { cluster } = this;
    let changes: RightsChange[] = [];
    const announce = () => {
      const announced = changes;
      changes = [];
      hub.resync((person) => announced.some((change) => concerns(change, this.viewerOf(person))));
    };
    this.#rightsWatch = new RightsWatch({
      transport: cluster.background,
      namespaces: config.namespaces,
      onChange: (change) => {
        cluster.rightsChanges.add(change);
        if (changes.length === 0) setTimeout(announce, RIGHTS_PAUSE_MS).unref();
        changes.push(change);
      },
      log,
      clock: systemClock,
    });
    this.#rightsWatch.start();
  }

  #announceConnection(): void {
    const { log } = this.#shared;
    const { cluster, reads } = this;
    cluster.onConnection(() => {
      this.#shared.onConnection();
      if (!cluster.ready) return;
      void this.#summaryUpdater.refresh();
      reads.views
        .warm()
        .catch((error: unknown) => log.error('rows could not be derived in advance', { error }));
    });
  }

  #onTick(): void {
    const { hub } = this.#shared;
    const { cluster, reads } = this;
    void this.#summaryUpdater.refresh();
    void this.#orphanedActions.check();
    hub.publish(
      reads.views
        .outdated()
        .map(({ cluster: id, resource, namespace, name }) => ({ cluster: id, resource, namespace, name })),
    );
    hub.publish(this.#rollouts.outdated().map((key) => ({ cluster: cluster.identity.id, ...key })));
  }
}

/** Whether the process reviews the rights of people whom it impersonates. */
function impersonates({ mode }: Config['auth'], { credential }: ClusterEntry): boolean {
  return credential === 'impersonate' && ['oidc', 'proxy-jwt', 'proxy-headers'].includes(mode);
}

/** What the connection, the cache and what they are used for are made of; titles and stages are only shown. */
function connectionOf({ name, source, id, namespaces, readOnly, links, argocd }: ClusterEntry): string {
  return JSON.stringify({ name, source, id, namespaces, readOnly, links, argocd });
}
