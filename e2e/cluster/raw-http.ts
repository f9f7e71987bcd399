import { request } from 'node:http';
import { signedIn } from '@/e2e/support/local-key';
import type { Shiplog } from '@/e2e/support/shiplog';

interface RawRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** Sends the body in chunks, without a length. */
  chunked?: boolean;
}

interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;

  json(): any;
}

/** A signed-in request with exactly these headers: fetch guards Host, Origin and the like. */
export function sendRaw(
  { port }: Shiplog,
  path: string,
  { method = 'GET', headers = {}, body, chunked = false }: RawRequest = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const length =
      body === undefined || chunked ? {} : { 'content-length': Buffer.byteLength(body).toString() };
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        headers: { ...length, ...signedIn, ...headers },
        agent: false,
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (part: string) => (text += part));
        answer.on('error', reject);
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            text,
            json: () => JSON.parse(text) as unknown,
          }),
        );
      },
    );
    // A server may answer and close the connection before it has read a body that is too long.
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') reject(error);
    });
    sent.end(body);
  });
}

/** A POST of JSON as a script sends it. */
export function postRaw(
  shiplog: Shiplog,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<RawAnswer> {
  return sendRaw(shiplog, path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}
