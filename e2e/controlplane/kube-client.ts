import { Agent, request } from 'undici';
import type { JsonObject } from '@/lib/kube/json';

/** The API server refused a request of the test equipment. */
export class KubeError extends Error {
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.name = 'KubeError';
    this.status = status;
    this.reason = reason;
  }
}

type PatchType = 'json-patch' | 'merge-patch' | 'strategic-merge-patch';

interface ListAnswer {
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
  items: JsonObject[];
}

/** Plain JSON over one keep-alive pool: for tests and seeds, without a kubectl process per call. */
export interface KubeClient {
  get<T = JsonObject>(path: string): Promise<T>;
  list(path: string): Promise<ListAnswer>;
  create<T = JsonObject>(path: string, body: object): Promise<T>;
  replace<T = JsonObject>(path: string, body: object): Promise<T>;
  patch<T = JsonObject>(path: string, body: object, type?: PatchType): Promise<T>;
  /** Deletes and returns; a missing object is no error. */
  remove(path: string, options?: object): Promise<void>;
  /** Body of any GET as text, `/readyz` for example. */
  text(path: string): Promise<string>;
  close(): Promise<void>;
}

/**
 * @param token undefined sends none, for a proxy that authenticates itself.
 * @param ca PEM; undefined trusts the system's authorities.
 */
export function kubeClient(
  server: string,
  token: string | undefined,
  ca: string | undefined,
  connections = 16,
): KubeClient {
  const agent = new Agent({ connections, allowH2: false, connect: ca === undefined ? {} : { ca } });
  const send = async (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
    type = 'json',
  ) => {
    const answer = await request(server + path, {
      method,
      dispatcher: agent,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        'user-agent': 'shiplog-seed',
        ...(body === undefined ? {} : { 'content-type': `application/${type}` }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 400) throw errorFrom(method, path, answer.statusCode, text);

    return text;
  };
  const json = async <T>(text: Promise<string>): Promise<T> => JSON.parse(await text) as T;

  return {
    get: (path) => json(send('GET', path)),
    list: (path) => json(send('GET', path)),
    create: (path, body) => json(send('POST', path, body)),
    replace: (path, body) => json(send('PUT', path, body)),
    patch: (path, body, type = 'merge-patch') => json(send('PATCH', path, body, `${type}+json`)),
    remove: async (path, options) => {
      await send('DELETE', path, options).catch((error: unknown) => {
        if (!(error instanceof KubeError && error.status === 404)) throw error;
      });
    },
    text: (path) => send('GET', path),
    close: () => agent.destroy(),
  };
}

function errorFrom(method: string, path: string, status: number, text: string): KubeError {
  let reason = '';
  let message = text;
  try {
    const parsed = JSON.parse(text) as { reason?: string; message?: string };
    reason = parsed.reason ?? '';
    message = parsed.message ?? text;
  } catch {
    // Not every answer is a Status object: /readyz answers in plain text.
  }

  return new KubeError(status, reason, `${method} ${path}: ${status} ${message}`);
}

export async function createNamespace(client: KubeClient, name: string): Promise<void> {
  await client.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}
