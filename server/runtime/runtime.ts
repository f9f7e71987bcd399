import 'server-only';
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { AppError } from '@/lib/errors';
import type { Lease } from '@/server/archive/lease';
import { ArchiveKeeper } from '@/server/archive/archive-keeper';
import { openArchive } from '@/server/archive/open';
import { RetentionSchedule } from '@/server/archive/retention-schedule';
import { Audit } from '@/server/audit/audit';
import { AuditJournal } from '@/server/audit/audit-journal';
import { openCredentials } from '@/server/cluster/credentials';
import { KnownClusters } from '@/server/cluster/known-clusters';
import { OwnSecrets } from '@/server/cluster/own-secrets';
import { anonymousIdentity } from '@/server/identity/anonymous';
import { audited } from '@/server/audit/audited-identity';
import type { IdentityProvider } from '@/server/identity/identity';
import { localIdentity, localPerson } from '@/server/identity/local';
import { LocalKey } from '@/server/identity/local-key';
import { Seal } from '@/server/identity/seal';
import { SessionCookies } from '@/server/identity/session-cookies';
import { Sessions } from '@/server/identity/sessions';
import { oidcIdentity } from '@/server/identity/oidc';
import { OpenIdProvider } from '@/server/identity/open-id-provider';
import { isRepeated, peerOf } from '@/server/shared/connections';
import { proxyHeadersIdentity } from '@/server/identity/proxy-headers';
import { proxyJwtIdentity } from '@/server/identity/proxy-jwt';
import { withSeenPeople } from '@/server/identity/seen-people';
import { SignInAttempts } from '@/server/identity/sign-in-attempts';
import { tokenIdentity } from '@/server/identity/token';
import { UnverifiedChecks } from '@/server/identity/unverified-checks';
import { type VerifiedToken, VerifiedTokens } from '@/server/identity/verified-tokens';
import { NotificationDispatcher } from '@/server/notifications/dispatcher';
import { Notices } from '@/server/notifications/notices';
import { createSender } from '@/server/notifications/send';
import type { SharedContext } from '@/server/views/context';
import { ClusterConfiguration } from '@/server/runtime/cluster-configuration';
import { ClusterRuntime } from '@/server/runtime/cluster-runtime';
import { noteMoved } from '@/server/runtime/accept-cluster';
import { Clusters } from '@/server/runtime/clusters';
import { Metrics } from '@/server/runtime/metrics';
import { MetricsServer } from '@/server/runtime/metrics-server';
import { Support } from '@/server/runtime/support';
import { startTracing } from '@/server/runtime/tracing';
import { AddressRanges } from '@/server/shared/address-ranges';
import { prepareDataDir, readConfig, type Config } from '@/server/shared/config';
import { ConfigError } from '@/server/shared/config-error';
import { IdempotencyStore } from '@/server/shared/idempotency-store';
import { Keys } from '@/server/shared/keys';
import { createLogger, defaultFormat, type Logger } from '@/server/shared/log';
import { ignoreBrokenPipes } from '@/server/shared/log-streams';
import { RecentLines } from '@/server/shared/recent-lines';
import { Semaphore } from '@/server/shared/semaphore';
import type { BearerToken } from '@/server/shared/bearer-token';
import { systemClock } from '@/server/shared/clock';
import type { Viewer } from '@/server/shared/viewer';
import { StreamHub } from '@/server/stream/hub';

/** What every route needs before it is known which it is. */
export interface Edge {
  log: Logger;
  keys: Pick<Keys, 'mask'>;
  publicUrl: string | undefined;
  idempotency: IdempotencyStore;
  identity: IdentityProvider;
}

/** Objects that live as long as the process. */
export interface Runtime {
  config: Config;
  log: Logger;
  clusters: Clusters;
  configuration: Pick<ClusterConfiguration, 'problem' | 'gap'>;
  /** What reads need, whichever cluster they are about. */
  shared: SharedContext;
  archiveKeeper: Pick<ArchiveKeeper, 'isTried'>;
  /** Copies the audit file into the archive. */
  journal: AuditJournal;
  hub: StreamHub;
  checks: UnverifiedChecks;
  metrics: Metrics;
  support: Pick<Support, 'accepts' | 'report'>;
  edge: Edge;
  stop(): Promise<void>;
}

/** The instrumentation and the routes are separate bundles: only globalThis is common to both. */
const slot = Symbol.for('shiplog.runtime');
type Slot = { [slot]?: Promise<Runtime> };

/** A stop must end before a supervisor kills the process; 5 s is the promise. */
const STOP_TIMEOUT_MS = 4_000;

/** A shift; a person who is on call at night is not signed out in it. */
const SESSION_IDLE_MS = 12 * 3_600_000;
const SESSION_MS = 7 * 24 * 3_600_000;

/** Over all clusters: each holds a whole list in memory for a moment. */
const FIRST_LISTS_MAX = 3;

/**
 * Where the configuration is wrong, the process ends with the list of what is wrong: Next would answer every request with
 * 500 until it is stopped, and a supervisor would take it for running.
 */
export async function startRuntime(): Promise<Runtime> {
  return ((globalThis as Slot)[slot] ??= create().catch(endProcess));
}

function endProcess(error: unknown): never {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
}

/** The services of the running process. Throws where a route is reached before the start or outside the server. */
export async function runtime(): Promise<Runtime> {
  const running = (globalThis as Slot)[slot];
  if (running === undefined) throw new AppError('internal', 'Shiplog has not been started.');
  return running;
}

async function create(): Promise<Runtime> {
  ignoreBrokenPipes();
  const config = readConfig(process.env, undefined, { cluster: true });
  const problems = new RecentLines();
  const log = createLogger({
    level: config.logLevel,
    format: config.logFormat ?? defaultFormat(),
    names: config.masks.names ?? [],
    onProblem: (line) => problems.add(line),
  });
  for (const warning of config.warnings) log.warn(warning);
  const tracing = await startTracing(process.env, log);
  prepareDataDir(config.dataDir);
  const keys = Keys.load(config.dataDir, config.masks);
  const notices = new Notices(config.webhooks, {
    mask: keys.mask,
    publicUrl: config.publicUrl,
    sandbox: config.sandbox,
    clusterName: (id) => (clusters.isListed ? (clusters.find(id)?.entry.name ?? null) : null),
  });
  const audit = Audit.open(config.dataDir);
  const journal = new AuditJournal({ audit, log });
  const hub = new StreamHub(randomUUID().slice(0, 8));
  const archiveKeeper: ArchiveKeeper = new ArchiveKeeper({
    open: async (onProgress) => {
      const archive = await openArchive(config, onProgress);
      // Before anyone can read it: rights in a cluster apply to the records that belong to its entry.
      try {
        await clusters.useArchive(archive.clusters);
        return archive;
      } catch (error) {
        await archive.close();
        throw error;
      }
    },
    onArchive: (archive) => {
      journal.attach(archive.actions);
      for (const each of clusters.all) each.record(archive);
    },
    onState: () => hub.resync(),
    log,
  });
  const known = new KnownClusters(config.dataDir);
  const onConnection = () => hub.announce('state', (viewer) => clusters.streamState(viewer));
  const isListed = config.clusters.kind !== 'one';
  const firstLists = isListed ? new Semaphore(FIRST_LISTS_MAX) : undefined;
  const services = {
    config,
    log,
    keys,
    known,
    audit,
    journal,
    archiveKeeper,
    notices,
    hub,
    onConnection,
    runtimes: () => clusters.all,
    firstLists,
  };
  let ownSecrets: OwnSecrets | undefined;
  const secrets = () => (ownSecrets ??= OwnSecrets.open());
  const clusters: Clusters = new Clusters({
    isListed,
    open: async (entry, confirm) => {
      const credentials = await openCredentials(entry.source, (name, context) =>
        secrets().loadKubeConfig(name, context),
      );
      return new ClusterRuntime(entry, credentials, services, confirm);
    },
    start: (runtime) => {
      runtime.start();
      if (archiveKeeper.archive !== null) runtime.record(archiveKeeper.archive);
    },
    onChange: () => hub.resync(),
    onMoved: (moved) => noteMoved(moved, { audit, keys, log }),
    log,
  });
  const shared: SharedContext = {
    keys,
    config,
    get archive() {
      return archiveKeeper.archive;
    },
    archiveProblem: () => archiveKeeper.state.reason,
    notices,
    audit,
    now: Date.now,
  };
  const configuration = new ClusterConfiguration({
    config,
    clusters,
    secrets,
    log,
    onProblem: () => hub.resync(),
  });
  const sender = createSender();
  const dispatcher = new NotificationDispatcher({
    webhooks: config.webhooks,
    outbox: () => archiveKeeper.archive?.outbox ?? null,
    leases: () => leasesOf(clusters.all),
    send: sender.send,
    log,
  });
  const retention = new RetentionSchedule({
    archive: () => (leasesOf(clusters.all).length === 0 ? null : archiveKeeper.archive),
    retention: config.retention,
    serverNow: () => serverNow(clusters.all),
    log,
  });
  const checks = new UnverifiedChecks({
    clock: systemClock,
    trusted: new AddressRanges(config.trustedProxies),
  });
  const metrics = new Metrics({
    clusters: () => clusters.all,
    checks,
    isConfigured: () => configuration.problem === null,
    hub,
    notifications: () => dispatcher.counts,
    pendingNotifications: async () => {
      const states = await archiveKeeper.archive?.outbox.states();
      return states?.reduce((sum, { waiting }) => sum + waiting, 0) ?? null;
    },
    archiveBytes: async () => (await archiveKeeper.archive?.sizeBytes()) ?? null,
  });
  const metricsServer =
    config.metricsPort === undefined
      ? null
      : await MetricsServer.start(metrics, { host: config.host, port: config.metricsPort });
  audit.onAppend(({ action: { cluster, resource, namespace, name } }) => {
    hub.publish([{ cluster, resource, namespace, name }]);
  });
  await configuration.start();
  const archiveTried = archiveKeeper.start();
  // SQLite migrates its schema without a turn of the event loop: better before the first request than during one.
  if (config.databaseUrl === undefined) await archiveTried;
  else void archiveTried;
  dispatcher.start();
  retention.start();
  const localKey = LocalKey.load(config.dataDir);
  const support = new Support({
    ...{ config, env: process.env, localKey, clusters, configuration, shared },
    ...{ archiveKeeper, journal, metrics, problems },
  });
  const identity = createIdentity(config, { log, keys, localKey, clusters, archiveKeeper, checks });
  const noting = withSeenPeople(identity, {
    ...{ repository: () => archiveKeeper.archive?.people ?? null, mask: keys.mask, now: Date.now },
    namesOf: (person) => [person, ...clusters.all.map((each) => each.viewerOf(person))],
  });
  const running: Runtime = {
    config,
    log,
    clusters,
    configuration,
    shared,
    archiveKeeper,
    journal,
    hub,
    checks,
    metrics,
    support,
    edge: {
      log,
      keys,
      publicUrl: config.publicUrl,
      idempotency: new IdempotencyStore(),
      identity: audited(noting, { audit, log, mask: keys.mask, now: Date.now }),
    },
    stop: async () => {
      hub.close();
      await metricsServer?.stop();
      await dispatcher.stop();
      await sender.close();
      await retention.stop();
      await configuration.stop();
      await clusters.stop();
      await ownSecrets?.close();
      await journal.stop();
      await archiveKeeper.stop();
      audit.close();
      await tracing?.stop();
    },
  };
  stopOnSignals(running);
  return running;
}

function leasesOf(clusters: readonly ClusterRuntime[]): Lease[] {
  return clusters.flatMap(({ lease }) => (lease === null ? [] : [lease]));
}

/** The clock of an API server that answers, in milliseconds since the epoch. */
async function serverNow(clusters: readonly ClusterRuntime[]): Promise<number | null> {
  const connected = clusters.find(({ cluster }) => cluster.connection.state === 'connected') ?? clusters[0];
  if (connected === undefined) return null;
  const { transport } = connected.cluster;
  await transport.text({ method: 'GET', path: '/version' });
  return transport.serverDateMs;
}

/** On a machine that knows the user of the process by a number alone, that number. */
function localUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'local');
  }
}

interface IdentitySources {
  log: Logger;
  keys: Keys;
  localKey: LocalKey;
  clusters: Clusters;
  archiveKeeper: ArchiveKeeper;
  checks: UnverifiedChecks;
}

function createIdentity(config: Config, sources: IdentitySources): IdentityProvider {
  const { log, keys, localKey, clusters, archiveKeeper, checks } = sources;
  const { auth, claims, port, publicUrl } = config;
  const readOnly = config.readOnly ? 'configured' : undefined;
  const seal = new Seal(config.sessionSecrets ?? [keys.sessionSecret]);
  const sessions = new Sessions({
    repository: () => archiveKeeper.archive?.sessions ?? null,
    seal,
    times: { idleMs: SESSION_IDLE_MS, totalMs: SESSION_MS },
    clock: systemClock,
    checks,
  });
  const cookies = new SessionCookies({ publicUrl, port }, seal);
  switch (auth.mode) {
    case 'anonymous':
      return anonymousIdentity(auth);
    case 'local':
      return localIdentity(
        localPerson(() => clusters.all[0]?.cluster.self ?? { id: 'process', name: localUser() }, readOnly),
        auth.requiresKey ? localKey : null,
        port,
      );
    case 'token':
      return tokenIdentity({
        tokens: new VerifiedTokens({
          verify: (cluster, token) => verifyToken(clusters, cluster, token),
          checks,
          now: Date.now,
        }),
        sessions,
        cookies,
        lifeMs: SESSION_IDLE_MS,
        now: Date.now,
        readOnly,
      });
    case 'oidc':
      return oidcIdentity({
        provider: new OpenIdProvider({ ...auth, claims }),
        sessions,
        attempts: new SignInAttempts(seal, { publicUrl: auth.publicUrl, port }),
        checks,
        cookies,
        credentials: () => new Set(clusters.all.map(({ entry }) => entry.credential)),
        totalMs: SESSION_MS,
        clock: systemClock,
        log,
        readOnly,
      });
    case 'proxy-jwt':
      return proxyJwtIdentity({ ...auth, claims, readOnly });
    case 'proxy-headers':
      return proxyHeadersIdentity({ ...auth, peerOf, isRepeated, readOnly });
    default: {
      const unknown: never = auth;
      return unknown;
    }
  }
}

/** Who the API server takes the token for. Which clusters there are is not told to a person who is not signed in. */
async function verifyToken(
  clusters: Clusters,
  name: string | undefined,
  token: BearerToken,
): Promise<VerifiedToken> {
  const { all } = clusters;
  const found = name === undefined ? all[0] : clusters.find(name);
  if (name === undefined && all.length > 1)
    throw new AppError('bad_request', 'cluster: name the cluster that the token is for.', {
      field: 'cluster',
    });
  if (found === undefined) throw new AppError('unauthorized', 'No such cluster.');
  const viewer: Viewer = { id: '', name: '', isProcess: false, credential: { kind: 'token', token } };
  const { name: user } = await found.cluster.access.whoAmI(viewer);
  if (user === 'system:anonymous') throw new AppError('unauthorized', 'The token has no user.');
  return { cluster: found.entry.name, user };
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
