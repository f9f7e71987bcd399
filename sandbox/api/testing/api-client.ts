import { onTestFinished } from 'vitest';
import { Agent, type Dispatcher, request } from 'undici';
import { type JsonObject, parseJson } from '@/lib/kube/json';
import { showJson } from '@/sandbox/api/objects/stored-object';
import { type SandboxApi, type SandboxApiOptions, startSandboxApi } from '@/sandbox/api/sandbox-api';

interface ApiAnswer {
  readonly code: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
  /** Empty when the response is no JSON object. */
  readonly body: JsonObject;
}

interface CallOptions {
  readonly user?: string;
  readonly body?: JsonObject | JsonObject[] | string;
  readonly contentType?: string;
  readonly headers?: Record<string, string | string[]>;
}

export const JSON_PATCH = 'application/json-patch+json';
export const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';

/** A client of one sandbox, as `admin` by default; both end with the test. */
export class TestApi {
  readonly api: SandboxApi;
  readonly #agent: Agent;

  private constructor(api: SandboxApi) {
    this.api = api;
    this.#agent = new Agent({ allowH2: false, connect: { ca: api.ca } });
  }

  static async start(options: SandboxApiOptions = {}): Promise<TestApi> {
    const test = new TestApi(await startSandboxApi(options));
    onTestFinished(() => test.close());
    return test;
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
    await this.api.stop();
  }

  get(path: string, options?: CallOptions): Promise<ApiAnswer> {
    return this.#call('GET', path, options);
  }

  post(path: string, body: CallOptions['body'], options: CallOptions = {}): Promise<ApiAnswer> {
    return this.#call('POST', path, { ...options, body });
  }

  patch(
    path: string,
    body: CallOptions['body'],
    contentType: string = STRATEGIC,
    options: CallOptions = {},
  ): Promise<ApiAnswer> {
    return this.#call('PATCH', path, { ...options, body, contentType });
  }

  delete(path: string, options?: CallOptions): Promise<ApiAnswer> {
    return this.#call('DELETE', path, options);
  }

  /** Lines of a watch. `next` waits for one; undefined when the response has ended. */
  async watch(path: string, options: CallOptions = {}) {
    const { body } = await this.#send('GET', `${path}${path.includes('?') ? '&' : '?'}watch=1`, options);
    const lines = readLines(body);
    const next = async (): Promise<JsonObject | undefined> => {
      const line = await lines.next();
      return line.done === true ? undefined : line.value;
    };
    return {
      next,
      /** So many lines, each as its type and the name or code of its object. */
      take: async (count: number): Promise<string[]> => {
        const taken: string[] = [];
        while (taken.length < count) taken.push(shortLine(await next()));
        return taken;
      },
      close: () => body.destroy(),
    };
  }

  async #call(method: Dispatcher.HttpMethod, path: string, options: CallOptions = {}): Promise<ApiAnswer> {
    const { statusCode, headers, body } = await this.#send(method, path, options);
    const text = await body.text();
    const parsed = text.startsWith('{') ? parseJson(text) : {};
    return { code: statusCode, headers, text, body: parsed as JsonObject };
  }

  #send(
    method: Dispatcher.HttpMethod,
    path: string,
    { user = 'admin', body, contentType = 'application/json', headers }: CallOptions,
  ): Promise<Dispatcher.ResponseData> {
    const authorization = `Bearer ${this.api.tokens[user] ?? 'none'}`;
    return request(`${this.api.url}${path}`, {
      method,
      dispatcher: this.#agent,
      headers: { authorization, 'content-type': contentType, ...headers },
      body: body === undefined || typeof body === 'string' ? (body ?? null) : JSON.stringify(body),
    });
  }
}

function shortLine(line: JsonObject | undefined): string {
  const { metadata, code } = (line?.object ?? {}) as { metadata?: { name?: string }; code?: number };
  return line === undefined ? 'end' : `${showJson(line.type)} ${metadata?.name ?? code ?? ''}`.trim();
}

async function* readLines(body: AsyncIterable<Buffer>): AsyncGenerator<JsonObject> {
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + chunk.toString('utf8')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as JsonObject;
  }
}

export function configMap(name: string, data: Record<string, string> = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

/** A minimal Deployment with one container. */
export function deployment(name: string, container: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'main', image: 'registry.example.com/web:1', ...container }] },
      },
    },
  };
}
