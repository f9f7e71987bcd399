import 'server-only';
import { randomUUID } from 'node:crypto';
import { AppError } from '@/lib/errors';
import { type Lease } from '@/server/archive/lease';
import { ArchiveKeeper } from '@/server/archive/archive-keeper';
import { openArchive } from '@/server/archive/open';
import { RetentionSchedule } from '@/server/archive/retention-schedule';
import { Audit } from '@/server/audit/audit';
import { AuditJournal } from '@/server/audit/audit-journal';
import { loadCredentials } from '@/server/cluster/credentials';
import { KnownClusters } from '@/server/cluster/known-clusters';
import { type LiveCluster } from '@/server/cluster/live-cluster';
import { NotificationDispatcher } from '@/server/notifications/dispatcher';
import { Notices } from '@/server/notifications/notices';
import { createSender } from '@/server/notifications/send';
import { ClusterRuntime } from '@/server/runtime/cluster-runtime';
import { Metrics } from '@/server/runtime/metrics';
import { prepareDataDir, readConfig, type Config } from '@/server/shared/config';
import { IdempotencyStore } from '@/server/shared/idempotency-store';
import { Keys } from '@/server/shared/keys';
import { createLogger, type Logger } from '@/server/shared/log';
import { ignoreBrokenPipes } from '@/server/shared/log-streams';
import { anonymousViewer, type Viewer } from '@/server/shared/viewer';
import { StreamHub } from '@/server/stream/hub';

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
  clusters: readonly ClusterRuntime[];
  /** Copies the audit file into the archive. */
  journal: AuditJournal;
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
  const notices = new Notices(config.webhooks, {
    mask: keys.mask,
    publicUrl: config.publicUrl,
    sandbox: config.sandbox,
  });
  const audit = Audit.open(config.dataDir);
  const journal = new AuditJournal({ audit, log });
  const hub = new StreamHub(randomUUID().slice(0, 8));
  const archiveKeeper: ArchiveKeeper = new ArchiveKeeper({
    open: (onProgress) => openArchive(config, onProgress),
    onArchive: (archive) => {
      journal.attach(archive.actions);
      for (const each of clusters) each.record(archive);
    },
    onState: () => hub.resync(),
    log,
  });
  const known = new KnownClusters(config.dataDir);
  const shared = { config, log, keys, known, audit, journal, archiveKeeper, notices, hub };
  const only = new ClusterRuntime(loadCredentials(config.cluster), shared);
  const clusters = [only];
  const sender = createSender();
  const dispatcher = new NotificationDispatcher({
    webhooks: config.webhooks,
    outbox: () => archiveKeeper.archive?.outbox ?? null,
    leases: () => leasesOf(clusters),
    send: sender.send,
    log,
  });
  const retention = new RetentionSchedule({
    archive: () => (leasesOf(clusters).length === 0 ? null : archiveKeeper.archive),
    retention: config.retention,
    serverNow: () => serverNow(only.cluster),
    log,
  });
  const metrics = new Metrics({
    clusters: () => clusters.map(({ cluster }) => cluster),
    hub,
    notifications: () => dispatcher.counts,
  });
  audit.onAppend(({ action: { cluster, resource, namespace, name } }) => {
    hub.publish([{ cluster, resource, namespace, name }]);
  });
  for (const each of clusters) each.start();
  const archiveTried = archiveKeeper.start();
  // SQLite migrates its schema without a turn of the event loop: better before the first request than during one.
  if (config.databaseUrl === undefined) await archiveTried;
  else void archiveTried;
  dispatcher.start();
  retention.start();
  const running: Runtime = {
    config,
    log,
    clusters,
    journal,
    hub,
    metrics,
    edge: {
      log,
      keys,
      publicUrl: config.publicUrl,
      idempotency: new IdempotencyStore(),
      viewerOf: () => viewerOf(config, only.cluster),
    },
    stop: async () => {
      hub.close();
      await dispatcher.stop();
      await sender.close();
      await retention.stop();
      await Promise.all(clusters.map((each) => each.stop()));
      await journal.stop();
      await archiveKeeper.stop();
      audit.close();
    },
  };
  stopOnSignals(running);
  return running;
}

function leasesOf(clusters: readonly ClusterRuntime[]): Lease[] {
  return clusters.flatMap(({ lease }) => (lease === null ? [] : [lease]));
}

/** The API server's clock, in milliseconds since the epoch. */
async function serverNow({ transport }: LiveCluster): Promise<number | null> {
  await transport.text({ method: 'GET', path: '/version' });
  return transport.serverDateMs;
}

function viewerOf({ anonymous, readOnly }: Config, { self }: LiveCluster): Viewer {
  if (anonymous !== null) return anonymousViewer(anonymous);
  const { id, name, isProcess } = self;
  return readOnly ? { id, name, isProcess, readOnly: 'configured' } : self;
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
