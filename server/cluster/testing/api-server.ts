import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type KeyPair, renewedPair, testPair } from '@/server/cluster/testing/key-pairs';

/** One request as it came over the wire. */
interface Received {
  readonly method: string;
  readonly url: string;
  readonly httpVersion: string;
  /** Header lines in order, names in lower case. */
  readonly lines: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** Common name of the client certificate. */
  readonly certificate: string | undefined;
  readonly socket: Socket;
}

export type Handler = (received: Received, answer: ServerResponse) => void;

/** An HTTPS server on loopback that offers HTTP/2 too, as API servers do. */
export interface FakeApiServer {
  readonly url: string;
  readonly received: Received[];
  handler: Handler;
  /** Connections accepted so far. */
  readonly connections: number;
  readonly openConnections: number;
  close(): Promise<void>;
}

export async function startApiServer(handler: Handler, pair: KeyPair = testPair): Promise<FakeApiServer> {
  const server = createSecureServer({
    ...pair,
    allowHTTP1: true,
    requestCert: true,
    rejectUnauthorized: false,
    ca: [testPair.cert, renewedPair.cert],
  });
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('secureConnection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
  });
  const api = {
    url: '',
    received: [] as Received[],
    handler,
    get connections() {
      return connections;
    },
    get openConnections() {
      return sockets.size;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  // Over HTTP/2 request and answer would be other classes of the same shape.
  server.on('request', (request: unknown, answer: unknown) => {
    void receive(request as IncomingMessage).then((received) => {
      api.received.push(received);
      api.handler(received, answer as ServerResponse);
    });
  });
  await listen(server);
  return Object.assign(api, { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

/** Answers with a JSON body. */
export function answerJson(
  answer: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  answer.writeHead(status, { 'content-type': 'application/json', ...headers });
  answer.end(JSON.stringify(body));
}

/** Answers with an error, as an API server does. */
export function answerStatus(
  answer: ServerResponse,
  code: number,
  reason: string,
  message: string,
  retryAfter?: string,
): void {
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message };
  answerJson(answer, code, body, retryAfter === undefined ? {} : { 'retry-after': retryAfter });
}

async function receive(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const { rawHeaders } = request;
  const lines: [string, string][] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    lines.push([rawHeaders[index]?.toLowerCase() ?? '', rawHeaders[index + 1] ?? '']);
  }
  const socket = request.socket as TLSSocket;
  return {
    method: request.method ?? '',
    url: request.url ?? '',
    httpVersion: request.httpVersion,
    lines,
    body: Buffer.concat(chunks).toString('utf8'),
    certificate: commonNameOf(socket),
    socket,
  };
}

function commonNameOf(socket: TLSSocket): string | undefined {
  const name: unknown = socket.getPeerCertificate().subject?.CN;
  return typeof name === 'string' ? name : undefined;
}

function listen(server: Http2SecureServer): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
}
