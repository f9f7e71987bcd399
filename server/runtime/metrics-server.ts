import 'server-only';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '@/server/shared/config-error';
import type { Metrics } from '@/server/runtime/metrics';

/** Prometheus needs one. */
const CONNECTIONS_MAX = 20;

/**
 * Serves `/metrics` and nothing else, without a sign-in and under any host name, on a port of its own, which a network can
 * close to everyone but Prometheus.
 */
export class MetricsServer {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Throws ConfigError where the port can't be listened on. */
  static async start(
    metrics: Pick<Metrics, 'text' | 'contentType'>,
    { host, port }: { host: string; port: number },
  ): Promise<MetricsServer> {
    const server = createServer((request, response) => {
      if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
        response.writeHead(404, { 'Content-Type': 'text/plain' }).end('Only /metrics is here.\n');
        return;
      }
      metrics.text().then(
        (text) => response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text),
        () => response.writeHead(500).end(),
      );
    });
    server.maxConnections = CONNECTIONS_MAX;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(new ConfigError([`SHIPLOG_METRICS_PORT: cannot listen on ${host}:${port} (${error.code}).`]));
    });
    server.listen(port, host, resolve);
    await promise;
    return new MetricsServer(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
