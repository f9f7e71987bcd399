import { Agent, request } from 'undici';
import { tokenOf } from '@/e2e/controlplane/users';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { isJsonObject, type Json, type JsonObject, parseJson } from '@/lib/kube/json';
import type { SandboxApi } from '@/sandbox/api/sandbox-api';

export interface RawCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: string | object;
  readonly type?: string;
  readonly accept?: string;
}

interface RawAnswer {
  readonly code: number;
  readonly warnings: string;
  readonly body: JsonObject;
}

export type RawServer = ReturnType<typeof rawServer>;

export function realServer({ server, ca }: ControlPlane): RawServer {
  return rawServer(server, tokenOf('seeder'), ca);
}

export function sandboxServer({ url, tokens, ca }: SandboxApi): RawServer {
  return rawServer(url, tokens.seeder ?? '', ca);
}

/** One API server, requested without a client library. */
function rawServer(url: string, token: string, ca: string) {
  const agent = new Agent({ allowH2: false, connect: { ca } });
  return {
    call: async ({ method, path, body, type = 'application/json', accept }: RawCall): Promise<RawAnswer> => {
      const answer = await request(url + path, {
        method,
        dispatcher: agent,
        headers: {
          authorization: `Bearer ${token}`,
          'user-agent': 'shiplog-test',
          ...(body === undefined ? {} : { 'content-type': type }),
          ...(accept === undefined ? {} : { accept }),
        },
        body: body === undefined || typeof body === 'string' ? (body ?? null) : JSON.stringify(body),
      });
      const warnings = String(answer.headers.warning ?? '');
      return { code: answer.statusCode, warnings, body: asObject(await answer.body.text()) };
    },
    close: () => agent.destroy(),
  };
}

/** All lines of a stream, as of a watch. */
function asObject(text: string): JsonObject {
  const parsed = parsedOrNone(text);
  if (isJsonObject(parsed)) return parsed;
  const lines = text.trim().split('\n').map(parsedOrNone);
  return lines.every(isJsonObject) ? { lines } : { text };
}

function parsedOrNone(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
