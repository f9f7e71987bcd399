import 'server-only';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { RecorderState } from '@/lib/records/recorder-state';
import type { LiveCluster } from '@/server/cluster/live-cluster';
import { withTimeout } from '@/server/archive/with-timeout';
import type { UnverifiedChecks } from '@/server/identity/unverified-checks';
import { version } from '@/server/shared/version';
import type { StreamHub } from '@/server/stream/hub';

interface Measured {
  readonly cluster: LiveCluster;
  readonly recorderState: RecorderState;
}

export interface MetricsSources {
  clusters: () => readonly Measured[];
  /** Whether the configuration of the clusters is in force. */
  isConfigured: () => boolean;
  /** Of credentials that are not known yet. */
  checks: Pick<UnverifiedChecks, 'counts' | 'waiting'>;
  hub: StreamHub;
  /** Since the start of the process. */
  notifications: () => Readonly<Record<'delivered' | 'failed' | 'givenUp', number>>;
  /** Of all instances with this archive; null while it cannot be read. */
  pendingNotifications: () => Promise<number | null>;
  /** Of the archive; null while it cannot be read. */
  archiveBytes: () => Promise<number | null>;
}

/** Prometheus gives up after 10 s, and would take Shiplog for stopped while only its database hangs. */
const ARCHIVE_TIMEOUT_MS = 2_000;

/** Gauges of prom-client that are named like counters; others have the same numbers by type. */
const misnamed = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** Prometheus metrics of the process. Names and units after https://prometheus.io/docs/practices/naming/ */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requestSeconds: Histogram<'route' | 'status'>;

  constructor(sources: MetricsSources) {
    const { clusters, isConfigured, checks, hub, notifications, pendingNotifications, archiveBytes } =
      sources;
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    for (const name of misnamed) this.#registry.removeSingleMetric(name);
    this.#requestSeconds = new Histogram({
      name: 'shiplog_http_request_duration_seconds',
      help: 'Time to answer a request of the HTTP API.',
      labelNames: ['route', 'status'],
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
      registers,
    });
    const perMeasured = (name: string, help: string, read: (measured: Measured) => number) =>
      new Gauge({
        name,
        help,
        labelNames: ['cluster'],
        registers,
        collect() {
          this.reset();
          for (const each of clusters()) this.set({ cluster: each.cluster.identity.name }, read(each));
        },
      });
    const perCluster = (name: string, help: string, read: (cluster: LiveCluster) => number) =>
      perMeasured(name, help, ({ cluster }) => read(cluster));
    perMeasured(
      'shiplog_recorder_active',
      '1 while rollouts are recorded, by this instance or another.',
      ({ recorderState: { state } }) => (state === 'recording' || state === 'standby' ? 1 : 0),
    );
    perCluster('shiplog_cluster_connected', '1 while the API server is reachable.', ({ connection }) =>
      connection.state === 'connected' ? 1 : 0,
    );
    perCluster('shiplog_cache_workloads', 'Workloads in the cache.', ({ cache }) => cache.workloadCount);
    perCluster(
      'shiplog_cache_sources',
      'ReplicaSets and ControllerRevisions in the cache.',
      ({ cache }) => cache.sourceCount,
    );
    perCluster('shiplog_cache_pods', 'Pods in the cache.', ({ cache }) => cache.podCount);
    perCluster('shiplog_cache_events', 'Events in the cache.', ({ cache }) => cache.eventCount);
    perCluster('shiplog_cache_bodies', 'Distinct template bodies in the cache.', ({ bodies }) => bodies.size);
    perCluster(
      'shiplog_cache_body_bytes',
      'Compressed bytes of all template bodies.',
      ({ bodies }) => bodies.bytes,
    );
    new Counter({
      name: 'shiplog_api_server_requests_total',
      help: 'Requests sent to the API server.',
      labelNames: ['cluster'],
      registers,
      collect() {
        this.reset();
        for (const { cluster } of clusters())
          this.inc({ cluster: cluster.identity.name }, cluster.transport.stats.requests);
      },
    });
    perCluster(
      'shiplog_api_server_connections_open',
      'Open connections to the API server.',
      ({ transport }) => transport.stats.connectionsOpen,
    );
    perCluster(
      'shiplog_api_server_streams_open',
      'Open watches and log streams to the API server.',
      ({ transport }) => transport.stats.openStreams,
    );
    new Gauge({
      name: 'shiplog_build_info',
      help: 'Always 1; its label is the version of Shiplog.',
      labelNames: ['version'],
      registers,
    }).set({ version }, 1);
    new Gauge({
      name: 'shiplog_clusters_configuration_valid',
      help: '1 while the configuration of the clusters is in force, 0 while an earlier one is.',
      registers,
      collect() {
        this.set(isConfigured() ? 1 : 0);
      },
    });
    new Gauge({
      name: 'shiplog_stream_clients',
      help: 'Open streams to browsers.',
      registers,
      collect() {
        this.set(hub.size);
      },
    });
    new Counter({
      name: 'shiplog_credential_checks_total',
      help: 'Checks of unverified credentials by result; limited ones were answered 429 without a check.',
      labelNames: ['result'],
      registers,
      collect() {
        this.reset();
        for (const [result, count] of Object.entries(checks.counts)) this.inc({ result }, count);
      },
    });
    new Gauge({
      name: 'shiplog_credential_checks_waiting',
      help: 'Unverified credentials that wait for their check.',
      registers,
      collect() {
        this.set(checks.waiting);
      },
    });
    const ofArchive = (name: string, help: string, read: () => Promise<number | null>) =>
      new Gauge({
        name,
        help: `${help}; not a number while the archive cannot be read.`,
        registers,
        async collect() {
          this.set((await withTimeout(read(), ARCHIVE_TIMEOUT_MS).catch(() => null)) ?? NaN);
        },
      });
    ofArchive('shiplog_archive_size_bytes', 'Size of the archive', archiveBytes);
    ofArchive(
      'shiplog_notifications_pending',
      'Notifications that wait for their delivery',
      pendingNotifications,
    );
    new Counter({
      name: 'shiplog_notifications_total',
      help: 'Notifications by result; failed ones are retried.',
      labelNames: ['result'],
      registers,
      collect() {
        this.reset();
        const { delivered, failed, givenUp } = notifications();
        this.inc({ result: 'delivered' }, delivered);
        this.inc({ result: 'failed' }, failed);
        this.inc({ result: 'given_up' }, givenUp);
      },
    });
  }

  observe(route: string, status: number, seconds: number): void {
    this.#requestSeconds.observe({ route, status }, seconds);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
