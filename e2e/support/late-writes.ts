import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Agent, request } from 'undici';

/** A stretch of network that can lose the answer to a write and bring the write itself later. */
export interface LateWrites {
  /** In place of the API server's. */
  readonly server: string;
  /** The next patch loses its connection without an answer, and waits here. */
  holdNext(): void;
  /** Brings what waits to the API server, and resolves to the status that this answers. */
  deliver(): Promise<number>;
  close(): Promise<void>;
}

export async function openLateWrites(api: { url: string; ca: string }): Promise<LateWrites> {
  const agent = new Agent({ allowH2: false, connect: { ca: api.ca }, bodyTimeout: 0, headersTimeout: 0 });
  let isHolding = false;
  let held: (() => Promise<number>) | undefined;

  async function pass(asked: IncomingMessage, body: Buffer) {
    const { host: _host, connection: _connection, ...headers } = asked.headers;
    return request(`${api.url}${asked.url ?? '/'}`, {
      method: asked.method as 'GET',
      headers,
      dispatcher: agent,
      ...(body.length > 0 && { body }),
    });
  }

  async function answer(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of asked) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if (isHolding && asked.method === 'PATCH' && asked.url?.includes('dryRun=') === false) {
      isHolding = false;
      held = async () => (await pass(asked, body)).statusCode;
      asked.socket.resetAndDestroy();
      return;
    }
    const { statusCode, headers, body: stream } = await pass(asked, body);
    response.writeHead(statusCode, headers as Record<string, string>);
    response.on('close', () => stream.destroy());
    stream.on('error', () => response.destroy());
    stream.pipe(response);
  }

  const server = createServer((asked, response) => {
    answer(asked, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    holdNext: () => {
      isHolding = true;
    },
    deliver: async () => {
      if (held === undefined) throw new Error('no write waits');
      return held();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await agent.destroy();
    },
  };
}
