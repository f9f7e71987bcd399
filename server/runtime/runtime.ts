import 'server-only';
import { randomUUID } from 'node:crypto';
import { AppError } from '@/lib/errors';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import { OrphanedActions } from '@/server/actions/orphaned-actions';
import { createActions, type Actions } from '@/server/actions/service';
import { openArchive } from '@/server/archive/open';
import { Audit } from '@/server/audit/audit';
import { AuditJournal } from '@/server/audit/audit-journal';
import { loadCredentials } from '@/server/cluster/credentials';
import { systemClock } from '@/server/shared/clock';
import { KnownClusters } from '@/server/cluster/known-clusters';
import { LiveCluster } from '@/server/cluster/live-cluster';
import { prepareDataDir, readConfig, type Config } from '@/server/shared/config';
import { Keys } from '@/server/shared/keys';
import { createLogger, type Logger } from '@/server/shared/log';
import { ignoreBrokenPipes } from '@/server/shared/log-streams';
import { Metrics } from '@/server/runtime/metrics';
import { NotificationDispatcher } from '@/server/notifications/dispatcher';
import { Notices } from '@/server/notifications/notices';
import { createSender } from '@/server/notifications/send';
import { streamState } from '@/server/reads/cluster';
import { type ReadContext } from '@/server/reads/context';
import { ConfigObjects } from '@/server/recorder/config-objects';
import { LatestRecordSummaries } from '@/server/reads/latest-record-summaries';
import { RecordSummaryUpdater } from '@/server/reads/record-summary-updater';
import { type RunningControllers, startControllers } from '@/server/controllers/controllers';
import { RecordKeeper } from '@/server/recorder/record-keeper';
import { ownActions } from '@/server/recorder/own-actions';
import { SharedActions } from '@/server/recorder/shared-actions';
import { IdempotencyStore } from '@/server/shared/idempotency-store';
import { RolloutViews } from '@/server/reads/rollout-view';
import { ChangeSummaries } from '@/server/reads/change-summaries';
import { ViewCache } from '@/server/reads/workload-view';
import { RolloutHistoryWriter } from '@/server/rollout-histories/writer';
import { StreamHub } from '@/server/stream/hub';
import { anonymousViewer, type Viewer } from '@/server/shared/viewer';

/** What every route needs before it is known which it is. */
export interface Edge {
  log: Logger;
  keys: Pick<Keys, 'mask'>;
  publicUrl: string | undefined;
  idempotency: IdempotencyStore;
  /** The viewer that the request acts for. */
  viewerOf(request: Request): Viewer | Promise<Viewer>;
}

/** Objects that live as long as the process. */
export interface Runtime {
  config: Config;
  log: Logger;
  cluster: LiveCluster;
  reads: ReadContext;
  actions: Actions;
  /** Copies the audit file into the archive. */
  journal: AuditJournal;
  recordKeeper: RecordKeeper;
  /** Undefined where none is configured. */
  controllers: RunningControllers | undefined;
  hub: StreamHub;
  metrics: Metrics;
  edge: Edge;
  stop(): Promise<void>;
}

/** The instrumentation and the routes are separate bundles: only globalThis is common to both. */
const slot = Symbol.for('shiplog.runtime');
type Slot = { [slot]?: Promise<Runtime> };

/** A stop must end before a supervisor kills the process; 5 s is the promise. */
const STOP_TIMEOUT_MS = 4_000;

/** How soon the page gets a state that changed by the passing of time alone. */
const TICK_MS = 15_000;

export async function startRuntime(): Promise<Runtime> {
  return ((globalThis as Slot)[slot] ??= create());
}

/** The services of the running process. Throws where a route is reached before the start or outside the server. */
export async function runtime(): Promise<Runtime> {
  const running = (globalThis as Slot)[slot];
  if (running === undefined) throw new AppError('internal', 'Shiplog has not been started.');
  return running;
}

async function create(): Promise<Runtime> {
  ignoreBrokenPipes();
  const config = readConfig(process.env);
  const log = createLogger({ level: config.logLevel, names: config.masks.names ?? [] });
  for (const warning of config.warnings) log.warn(warning);
  prepareDataDir(config.dataDir);
  const keys = Keys.load(config.dataDir, config.masks);
  const cluster = new LiveCluster({
    credentials: loadCredentials(config.cluster),
    readOnly: config.readOnly,
    namespaces: config.namespaces,
    kinds: workloadKinds,
    compareEveryMs: config.compareEveryMs,
    known: new KnownClusters(config.dataDir),
    log,
  });
  const summaries = new LatestRecordSummaries();
  const views = new ViewCache(cluster, keys.mask, Date.now, summaries);
  const rollouts = new RolloutViews(cluster, views);
  const reads: ReadContext = {
    cluster,
    keys,
    views,
    rollouts,
    archive: null,
    archiveProblem: () => recordKeeper.state.reason,
    summaries: new ChangeSummaries(keys.mask),
    config,
    now: () => Date.now(),
  };
  const notices = new Notices(config.webhooks, {
    mask: keys.mask,
    publicUrl: config.publicUrl,
    sandbox: config.sandbox,
  });
  reads.notices = notices;
  const audit = Audit.open(config.dataDir);
  reads.audit = audit;
  const journal = new AuditJournal({ audit, log });
  const actions = createActions({
    cluster,
    keys,
    audit,
    archive: () => reads.archive ?? null,
    whenArchived: () => journal.settled(),
    log,
  });
  const hub = new StreamHub(randomUUID().slice(0, 8));
  const sender = createSender();
  const dispatcher: NotificationDispatcher = new NotificationDispatcher({
    webhooks: config.webhooks,
    outbox: () => reads.archive?.outbox ?? null,
    lease: () => recordKeeper.lease,
    send: sender.send,
    log,
  });
  const metrics = new Metrics({ cluster, hub, notifications: () => dispatcher.counts });
  const summaryUpdater: RecordSummaryUpdater = new RecordSummaryUpdater({
    summaries,
    cluster,
    archive: () => reads.archive ?? null,
    isRecording: () => recordKeeper.state.state === 'recording',
    publish: (changed) => hub.publish(changed),
    log,
  });
  const configObjects = config.watchConfig ? startConfigObjects(cluster, config, log) : undefined;
  const sharedActions = new SharedActions({
    audit,
    archive: () => reads.archive ?? null,
    clusterId: () => cluster.identity.id,
    log,
  });
  const recordKeeper = new RecordKeeper({
    cluster,
    keys,
    summaries: reads.summaries,
    view: (workload) => reads.views.view(workload),
    actionsOf: (workload) =>
      ownActions(sharedActions.inNamespace(workload.namespace), cluster.cache, workload),
    loadActions: (workload) => sharedActions.load(workload),
    configChangesOf: (workload) => configObjects?.changesFor(workload) ?? [],
    retention: config.retention,
    serverNow: async () => {
      await cluster.transport.text({ method: 'GET', path: '/version' });
      return cluster.transport.serverDateMs;
    },
    noticesOf: (before, records, nowMs) => notices.ofRollouts(before, records, nowMs),
    log,
    open: (onProgress) => openArchive(config, onProgress),
    onArchive: (archive) => {
      reads.archive = archive;
      journal.attach(archive.actions);
    },
    onRecorded: (recordings) => summaryUpdater.onRecorded(recordings),
    onState: () => {
      hub.resync();
      void summaryUpdater.refresh();
    },
  });
  cluster.onChange((changed) => {
    for (const { uid, resource, namespace, name } of changed) {
      if (cluster.cache.workload(resource, namespace, name)?.uid === uid) continue;
      reads.views.forget(uid);
      summaries.forget(uid);
      sharedActions.forget(uid);
    }
    const id = cluster.identity.id;
    hub.publish(changed.map(({ resource, namespace, name }) => ({ cluster: id, resource, namespace, name })));
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
  audit.onAppend(({ action: { cluster: id, resource, namespace, name } }) => {
    hub.publish([{ cluster: id, resource, namespace, name }]);
  });
  const orphanedActions = new OrphanedActions({
    audit,
    archive: () => reads.archive ?? null,
    clusterId: () => cluster.identity.id,
    isRecording: () => recordKeeper.state.state === 'recording',
    log,
    now: Date.now,
  });
  const tick = setInterval(() => {
    void summaryUpdater.refresh();
    void orphanedActions.check();
    hub.publish(
      reads.views
        .outdated()
        .map(({ cluster: id, resource, namespace, name }) => ({ cluster: id, resource, namespace, name })),
    );
    hub.publish(rollouts.outdated().map((key) => ({ cluster: cluster.identity.id, ...key })));
  }, TICK_MS).unref();
  cluster.onConnection((connection) => {
    const write = connection.state === 'unreachable' ? log.warn : log.info;
    write(`cluster ${cluster.identity.name} is ${connection.state}`, {
      reason: connection.message ?? '',
      ready: cluster.ready,
    });
    hub.announce('state', (viewer) => streamState(cluster, viewer, keys.mask));
    if (cluster.ready) {
      void summaryUpdater.refresh();
      reads.views
        .warm()
        .catch((error: unknown) => log.error('rows could not be derived in advance', { error }));
    }
  });
  // Every answer has a member that states so.
  cluster.onResourceStates(() => hub.resync());
  cluster.start();
  actions.resume();
  const archiveTried = recordKeeper.start();
  // SQLite migrates its schema without a turn of the event loop: better before the first request than during one.
  if (config.databaseUrl === undefined) await archiveTried;
  else void archiveTried;
  dispatcher.start();
  const histories = config.writeRolloutHistory
    ? new RolloutHistoryWriter({
        transport: cluster.transport,
        clusterId: () => cluster.identity.id,
        namespaces: config.namespaces,
        archive: () => (recordKeeper.state.state === 'recording' ? (reads.archive ?? null) : null),
        keys,
        log,
        clock: systemClock,
      })
    : undefined;
  histories?.start();
  const controllers = startControllers({ config, transport: cluster.transport, clock: systemClock, log });
  const running: Runtime = {
    config,
    log,
    cluster,
    reads,
    actions,
    journal,
    recordKeeper,
    controllers,
    hub,
    metrics,
    edge: {
      log,
      keys,
      publicUrl: config.publicUrl,
      idempotency: new IdempotencyStore(),
      viewerOf: () => viewerOf(config, cluster),
    },
    stop: async () => {
      clearInterval(tick);
      hub.close();
      actions.stop();
      await dispatcher.stop();
      await sender.close();
      await journal.stop();
      await histories?.stop();
      await controllers?.stop();
      await recordKeeper.stop();
      await configObjects?.stop();
      audit.close();
      await cluster.stop();
    },
  };
  stopOnSignals(running);
  return running;
}

function viewerOf({ anonymous, readOnly }: Config, { self }: LiveCluster): Viewer {
  if (anonymous !== null) return anonymousViewer(anonymous);
  const { id, name, isProcess } = self;
  return readOnly ? { id, name, isProcess, readOnly: 'configured' } : self;
}

function startConfigObjects(cluster: LiveCluster, { namespaces }: Config, log: Logger): ConfigObjects {
  const objects = new ConfigObjects({
    transport: cluster.transport,
    namespaces,
    templateOf: (bodyId) => cluster.cache.template(bodyId),
    log,
    clock: systemClock,
  });
  objects.start();
  return objects;
}

/** Next waits for open streams without end; with NEXT_MANUAL_SIG_HANDLE Shiplog decides the order of the stop. */
function stopOnSignals(running: Runtime): void {
  const { log } = running;
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    log.info(`stopping on ${signal}`);
    setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref();
    running.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error('did not stop cleanly', { reason: String(error) });
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', onSignal);
  process.once('SIGINT', onSignal);
}
