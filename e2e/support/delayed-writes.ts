import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, request } from 'undici';

/** A network link that can lose the answer to a write and deliver the write itself later. */
export interface DelayedWriteProxy {
  /** Replaces the API server's address. */
  readonly server: string;
  /** The next patch loses its connection without an answer, and is held here. */
  holdNext(): void;
  /** Delivers the held write to the API server, and resolves to the status of its answer. */
  deliver(): Promise<number>;
  close(): Promise<void>;
}

export async function openDelayedWriteProxy(api: { url: string; ca: string }): Promise<DelayedWriteProxy> {
  const agent = new Agent({ allowH2: false, connect: { ca: api.ca }, bodyTimeout: 0, headersTimeout: 0 });
  let isHolding = false;
  let delayedWrite: (() => Promise<number>) | undefined;

  async function forward(incoming: IncomingMessage, body: Buffer) {
    const { host: _host, connection: _connection, ...headers } = incoming.headers;
    return request(`${api.url}${incoming.url ?? '/'}`, {
      method: incoming.method as 'GET',
      headers,
      dispatcher: agent,
      ...(body.length > 0 && { body }),
    });
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if (isHolding && incoming.method === 'PATCH' && incoming.url?.includes('dryRun=') === false) {
      isHolding = false;
      delayedWrite = async () => (await forward(incoming, body)).statusCode;
      incoming.socket.resetAndDestroy();
      return;
    }
    const { statusCode, headers, body: stream } = await forward(incoming, body);
    response.writeHead(statusCode, headers as Record<string, string>);
    response.on('close', () => stream.destroy());
    stream.on('error', () => response.destroy());
    stream.pipe(response);
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    holdNext: () => {
      isHolding = true;
    },
    deliver: async () => {
      if (delayedWrite === undefined) throw new Error('no write waits');
      return delayedWrite();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await agent.destroy();
    },
  };
}
