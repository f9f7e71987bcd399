import 'server-only';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type LiveCluster } from '@/server/cluster/live-cluster';
import { type StreamHub } from '@/server/stream/hub';

export interface MetricsSources {
  cluster: LiveCluster;
  hub: StreamHub;
  /** Since the start of the process. */
  notifications: () => Readonly<Record<'delivered' | 'failed' | 'givenUp', number>>;
}

/** Prometheus metrics of the process. Names and units after https://prometheus.io/docs/practices/naming/ */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requestSeconds: Histogram<'route' | 'status'>;

  constructor({ cluster, hub, notifications }: MetricsSources) {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#requestSeconds = new Histogram({
      name: 'shiplog_http_request_duration_seconds',
      help: 'Time to answer a request of the HTTP API.',
      labelNames: ['route', 'status'],
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
      registers,
    });
    const gauge = (name: string, help: string, read: () => number) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      });
    gauge('shiplog_cluster_connected', '1 while the API server is reachable.', () =>
      cluster.connection.state === 'connected' ? 1 : 0,
    );
    gauge('shiplog_cache_workloads', 'Workloads in the cache.', () => cluster.cache.workloadCount);
    gauge(
      'shiplog_cache_sources',
      'ReplicaSets and ControllerRevisions in the cache.',
      () => cluster.cache.sourceCount,
    );
    gauge('shiplog_cache_pods', 'Pods in the cache.', () => cluster.cache.podCount);
    gauge('shiplog_cache_events', 'Events in the cache.', () => cluster.cache.eventCount);
    gauge('shiplog_cache_bodies', 'Distinct template bodies in the cache.', () => cluster.bodies.size);
    gauge('shiplog_cache_body_bytes', 'Compressed bytes of all template bodies.', () => cluster.bodies.bytes);
    gauge('shiplog_stream_clients', 'Open streams to browsers.', () => hub.size);
    gauge(
      'shiplog_api_server_requests_total',
      'Requests sent to the API server.',
      () => cluster.transport.stats.requests,
    );
    gauge(
      'shiplog_api_server_connections_open',
      'Open connections to the API server.',
      () => cluster.transport.stats.connectionsOpen,
    );
    gauge(
      'shiplog_api_server_streams_open',
      'Open watches and log streams to the API server.',
      () => cluster.transport.stats.openStreams,
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
