import { Socket } from 'node:net';
import { Agent, buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import type { ConnectionSettings } from '@/server/cluster/credentials';

const options = {
  // Over HTTP/2 undici joins repeated headers, and with them the groups of an impersonation.
  allowH2: false,
  // Below the 60 s after which common load balancers silently drop an idle connection.
  keepAliveTimeout: 20_000,
  keepAliveMaxTimeout: 50_000,
} as const;

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Connections for requests. Over HTTP/1.1 each serves one request at a time; further ones wait for their turn.
 * Each watch has a connection of its own besides, so that neither kind waits for the other.
 */
const REQUEST_CONNECTIONS_MAX = 16;

interface Dispatchers {
  readonly fingerprint: string;
  readonly requests: Dispatcher;
  readonly priority: Dispatcher;
}

/** The connections to one API server; renewed when certificates change, while running requests complete. */
export class ConnectionPool {
  #current: Dispatchers | undefined;
  readonly #retiring = new Set<Dispatcher>();
  /** Those that are still being opened too: undici leaves them to themselves when it is destroyed. */
  readonly #sockets = new Set<Socket>();
  #opened = 0;
  #open = 0;

  get opened(): number {
    return this.#opened;
  }

  get open(): number {
    return this.#open;
  }

  /** With priority, a request gets a connection at once, however many are open. */
  dispatcherFor(connection: ConnectionSettings, fingerprint: string, hasPriority: boolean): Dispatcher {
    if (this.#current?.fingerprint !== fingerprint) {
      if (this.#current !== undefined) this.#retire(this.#current);
      this.#current = {
        fingerprint,
        requests: this.#makeDispatcher(connection, REQUEST_CONNECTIONS_MAX),
        priority: this.#makeDispatcher(connection, undefined),
      };
    }
    return hasPriority ? this.#current.priority : this.#current.requests;
  }

  async destroy(): Promise<void> {
    const all = new Set(this.#retiring);
    if (this.#current !== undefined) all.add(this.#current.requests).add(this.#current.priority);
    const destroyed = Promise.all([...all].map((dispatcher) => dispatcher.destroy()));
    for (const socket of this.#sockets) socket.destroy();
    await destroyed;
  }

  #retire({ requests, priority }: Dispatchers): void {
    for (const dispatcher of [requests, priority]) {
      this.#retiring.add(dispatcher);
      const onClosed = () => this.#retiring.delete(dispatcher);
      // It rejects where it is destroyed before its last request has ended.
      dispatcher.close().then(onClosed, onClosed);
    }
  }

  #makeDispatcher(connection: ConnectionSettings, connectionsMax: number | undefined): Dispatcher {
    const all = { ...options, ...(connectionsMax !== undefined && { connections: connectionsMax }) };
    const dispatcher =
      connection.type === 'direct'
        ? new Agent({ ...all, connect: this.#connector(connection.connect) })
        : new ProxyAgent({
            ...all,
            uri: connection.uri,
            connectTimeout: CONNECT_TIMEOUT_MS,
            requestTls: { ...connection.requestTls, allowH2: false },
            clientFactory: (origin) => new Pool(origin, { connect: this.#connector({}) }),
          });
    dispatcher.on('connect', () => {
      this.#opened += 1;
      this.#open += 1;
    });
    dispatcher.on('disconnect', () => {
      this.#open -= 1;
    });
    return dispatcher;
  }

  #connector(settings: buildConnector.BuildOptions): buildConnector.connector {
    const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, allowH2: false, ...settings });
    return (target, callback) => {
      // Undeclared, but what it does.
      const socket: unknown = connect(target, callback);
      if (!(socket instanceof Socket)) return;
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    };
  }
}
