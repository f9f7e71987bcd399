import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A server of this test alone on the loopback interface; returns its address. */
export async function listen(
  answer: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
): Promise<string> {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers a query of Prometheus with one sample; null: with none. */
export function sample(value: number | null): string {
  const result = value === null ? [] : [{ metric: {}, value: [0, String(value)] }];
  return JSON.stringify({ status: 'success', data: { resultType: 'vector', result } });
}
