import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import type { ConnectionSettings } from '@/server/cluster/credentials';

const options = {
  // Over HTTP/2 undici joins repeated headers, and with them the groups of an impersonation.
  allowH2: false,
  connectTimeout: 10_000,
  // Below the 60 s after which common load balancers silently drop an idle connection.
  keepAliveTimeout: 20_000,
  keepAliveMaxTimeout: 50_000,
} as const;

/** The connections to one API server; renewed when certificates change, while running requests complete. */
export class ConnectionPool {
  #current: { fingerprint: string; dispatcher: Dispatcher } | undefined;
  readonly #retiring = new Set<Dispatcher>();
  #opened = 0;
  #open = 0;

  get opened(): number {
    return this.#opened;
  }

  get open(): number {
    return this.#open;
  }

  dispatcherFor(connection: ConnectionSettings, fingerprint: string): Dispatcher {
    if (this.#current?.fingerprint === fingerprint) return this.#current.dispatcher;
    if (this.#current !== undefined) this.#retire(this.#current.dispatcher);
    const dispatcher = makeDispatcher(connection);
    dispatcher.on('connect', () => {
      this.#opened += 1;
      this.#open += 1;
    });
    dispatcher.on('disconnect', () => {
      this.#open -= 1;
    });
    this.#current = { fingerprint, dispatcher };
    return dispatcher;
  }

  async destroy(): Promise<void> {
    const all = [...this.#retiring, ...(this.#current === undefined ? [] : [this.#current.dispatcher])];
    await Promise.all(all.map((dispatcher) => dispatcher.destroy()));
  }

  #retire(dispatcher: Dispatcher): void {
    this.#retiring.add(dispatcher);
    void dispatcher.close().finally(() => this.#retiring.delete(dispatcher));
  }
}

function makeDispatcher(connection: ConnectionSettings): Dispatcher {
  if (connection.type === 'direct') return new Agent({ ...options, connect: connection.connect });
  return new ProxyAgent({
    ...options,
    uri: connection.uri,
    requestTls: { ...connection.requestTls, allowH2: false },
    proxyTls: { allowH2: false },
  });
}
