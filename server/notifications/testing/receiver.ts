import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Status to answer with, a complete answer, or `silent`: none at all. */
export type ReceiverAnswer = number | 'silent' | ((response: ServerResponse) => void);

/** A receiver on loopback that gives the configured answers: each once, the last one repeatedly. */
export interface Receiver {
  url: string;
  received: Received[];
  answers: ReceiverAnswer[];
  close(): Promise<void>;
}

export async function startReceiver(...answers: ReceiverAnswer[]): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      received.push({ path: request.url ?? '', headers: request.headers, body });
      reply(response, (receiver.answers.length > 1 ? receiver.answers.shift() : receiver.answers[0]) ?? 200);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook?key=s3cret`,
    received,
    answers,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

function reply(response: ServerResponse, answer: ReceiverAnswer): void {
  if (answer === 'silent') return;
  if (typeof answer === 'function') return answer(response);
  response.statusCode = answer;
  response.end('thanks');
}
