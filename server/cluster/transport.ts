import 'server-only';
import { finished, pipeline, type Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip } from 'node:zlib';
import type { Span } from '@opentelemetry/api';
import { type Dispatcher, request as send } from 'undici';
import { AppError } from '@/lib/errors';
import type { Json } from '@/lib/kube/json';
import { parseAnswer } from '@/server/cluster/answer-json';
import { errorOfAnswer, retryAfterMsOf } from '@/server/cluster/api-errors';
import { type Clock, systemClock } from '@/server/shared/clock';
import {
  closedError,
  connectionError,
  isBrokenConnection,
  isUntrustedCertificate,
  timeoutError,
} from '@/server/cluster/connection-errors';
import { ConnectionPool } from '@/server/cluster/connection-pool';
import type { Credentials, RequestAuth } from '@/server/cluster/credentials';
import { Deadline } from '@/server/cluster/deadline';
import { impersonationHeaders } from '@/server/cluster/impersonation';
import { raceWith } from '@/server/cluster/race-with';
import { assertAllowed, isRead } from '@/server/cluster/request-guard';

import { pathTemplate } from '@/server/cluster/path-template';
import { traced, traceHeaders } from '@/server/shared/traced';
import { version } from '@/server/shared/version';
import { type Credential, processCredential } from '@/server/shared/viewer';
import type { KubeRequest } from '@/server/cluster/kube-request';
import { isOnThisMachine } from '@/server/shared/private-url';
import { splitLines } from '@/server/cluster/watch-event';

/** Lines of an answer that remains open. Leaving the iteration or calling `close` ends the connection. */
export interface LineStream {
  readonly lines: AsyncIterable<string>;
  close(): void;
}

interface TransportStats {
  readonly connectionsOpened: number;
  readonly connectionsOpen: number;
  readonly requests: number;
  readonly retries: number;
  readonly failures: number;
  readonly openStreams: number;
}

/**
 * Sends requests to one API server as the process. Every failure is an AppError, except that an aborted `signal` throws
 * its own reason.
 */
export interface Transport {
  /** Address of the API server, without user-info. */
  readonly server: string;
  /** The parsed answer; integers that a double cannot hold survive. */
  json(request: KubeRequest): Promise<Json>;
  text(request: KubeRequest): Promise<string>;
  stream(request: KubeRequest): Promise<LineStream>;
  /** Ends every exchange and closes every connection at once. No request is possible afterwards. */
  close(): Promise<void>;
  readonly stats: TransportStats;
  /** The time of the API server's clock in its latest answer; null where no answer had one. */
  readonly serverDateMs: number | null;
}

/** Sends requests with the credential of one viewer. A 401 of their own token has `details.credential: 'viewer'`. */
export type ViewerTransport = Pick<Transport, 'json' | 'text'>;

export interface ClusterTransport extends Transport {
  /** Shares connections, bounds and statistics. A viewer's is `Cluster.transportFor`, which checks the identity too. */
  as(credential: Credential): ViewerTransport;
}

export interface TransportOptions {
  readonly credentials: Credentials;
  /** Lets only reads and access reviews pass. */
  readonly readOnly: boolean;
  readonly clock?: Clock;
  /** Its name in traces. */
  readonly cluster?: string | undefined;
  /** Whether to request compressed answers; default: unless the API server is on this machine. */
  readonly compress?: boolean;
}

const TIMEOUT_MS = 30_000;
const JSON_BYTES_MAX = 256 * 1024 * 1024;
const TEXT_BYTES_MAX = 4 * 1024 * 1024;
const ATTEMPTS_MAX = 4;
/** API Priority and Fairness requests 1 s, rarely more; a caller with a longer wait gets an error instead. */
const RETRY_WAIT_MAX_MS = 10_000;

type Answer = Dispatcher.ResponseData;

type SentRequest = KubeRequest & { readonly credential: Credential };

export function createTransport(options: TransportOptions): ClusterTransport {
  return new HttpTransport(options);
}

class HttpTransport implements ClusterTransport {
  readonly server: string;
  readonly #credentials: Credentials;
  readonly #readOnly: boolean;
  readonly #clock: Clock;
  readonly #cluster: string | undefined;
  readonly #encoding: string;
  readonly #pool = new ConnectionPool();
  /**
   * For tokens of viewers. On a connection with the client certificate of the process, or on one that resumes its TLS
   * session, the API server takes every request for the process, whatever token it has.
   * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#authentication-strategies
   */
  readonly #tokenPool = new ConnectionPool();
  readonly #streams = new Set<() => void>();
  /** Of every exchange that has not ended. */
  readonly #deadlines = new Set<Deadline>();
  #isClosed = false;
  #requests = 0;
  #retries = 0;
  #failures = 0;
  #serverDateMs: number | null = null;

  constructor({ credentials, readOnly, clock, cluster, compress }: TransportOptions) {
    this.server = credentials.server;
    this.#credentials = credentials;
    this.#readOnly = readOnly;
    this.#clock = clock ?? systemClock;
    this.#cluster = cluster;
    // On this machine compression costs both sides more than the bytes do.
    this.#encoding = (compress ?? !isOnThisMachine(credentials.server)) ? 'gzip' : 'identity';
  }

  get serverDateMs(): number | null {
    return this.#serverDateMs;
  }

  get stats(): TransportStats {
    return {
      connectionsOpened: this.#pool.opened + this.#tokenPool.opened,
      connectionsOpen: this.#pool.open + this.#tokenPool.open,
      requests: this.#requests,
      retries: this.#retries,
      failures: this.#failures,
      openStreams: this.#streams.size,
    };
  }

  as(credential: Credential): ViewerTransport {
    return {
      json: (request) => this.#json({ ...request, credential }),
      text: (request) => this.#text({ ...request, credential }),
    };
  }

  json(request: KubeRequest): Promise<Json> {
    return this.#json({ ...request, credential: processCredential });
  }

  text(request: KubeRequest): Promise<string> {
    return this.#text({ ...request, credential: processCredential });
  }

  async #json(request: SentRequest): Promise<Json> {
    const text = await this.#readAll(request, request.maxBytes ?? JSON_BYTES_MAX);
    try {
      return parseAnswer(text);
    } catch (error) {
      const message = `${this.server} answered ${request.path} with something that is not JSON; check that the address in the kubeconfig is an API server.`;
      throw new AppError('cluster_error', message, { path: request.path }, error);
    }
  }

  #text(request: SentRequest): Promise<string> {
    return this.#readAll({ accept: '*/*', ...request }, request.maxBytes ?? TEXT_BYTES_MAX);
  }

  async stream(request: KubeRequest): Promise<LineStream> {
    const deadline = this.#begin(request);
    const close = () => {
      deadline.abort();
      this.#deadlines.delete(deadline);
      this.#streams.delete(close);
    };
    try {
      this.#streams.add(close);
      const body = await this.#exchange(
        { ...request, credential: processCredential, hasPriority: true },
        'identity',
        (answer) => Promise.resolve(answer.body),
        deadline,
      );
      deadline.disarm();
      // A caller that closes before reading leaves the body without a listener.
      body.on('error', () => undefined);
      return { lines: this.#linesOf(body, request, deadline.signal, close), close };
    } catch (error) {
      close();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const deadline of this.#deadlines) deadline.abort();
    await Promise.all([this.#pool.destroy(), this.#tokenPool.destroy()]);
  }

  #begin({ timeoutMs = TIMEOUT_MS, signal }: KubeRequest): Deadline {
    const deadline = new Deadline(timeoutMs, signal);
    this.#deadlines.add(deadline);
    return deadline;
  }

  /** Ends quietly when closed by Shiplog; a break by the server is thrown. */
  async *#linesOf(
    body: Readable,
    request: KubeRequest,
    signal: AbortSignal,
    close: () => void,
  ): AsyncGenerator<string> {
    try {
      yield* splitLines(body);
    } catch (error) {
      if (signal.aborted) return;
      throw error instanceof AppError ? error : connectionError(this.server, request, error);
    } finally {
      close();
    }
  }

  async #readAll(request: SentRequest, maxBytes: number): Promise<string> {
    const deadline = this.#begin(request);
    try {
      return await this.#exchange(
        request,
        this.#encoding,
        (answer) => readText(answer, maxBytes, request.onBegin),
        deadline,
      );
    } finally {
      deadline.release();
      this.#deadlines.delete(deadline);
    }
  }

  /** One request with its retries. */
  async #exchange<T>(
    request: SentRequest,
    encoding: string,
    read: (answer: Answer) => Promise<T>,
    deadline: Deadline,
  ): Promise<T> {
    assertAllowed(request, this.#readOnly);
    if (this.#isClosed) throw closedError(this.server, request, 'not_sent');
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#traced(request, attempt, (span) =>
          this.#attempt(request, encoding, read, deadline.signal, span),
        );
      } catch (error) {
        const failure = this.#failureOf(error, request, deadline);
        const waitMs =
          attempt < ATTEMPTS_MAX && !this.#isClosed
            ? this.#waitBefore(attempt, request, failure, error)
            : undefined;
        if (waitMs === undefined) {
          this.#failures += 1;
          throw failure;
        }
        this.#retries += 1;
        await this.#wait(waitMs, request, deadline, failure);
      }
    }
  }

  /** Of a stream the span ends where its lines begin. */
  #traced<T>(
    { method, path }: SentRequest,
    attempt: number,
    work: (span: Span | undefined) => Promise<T>,
  ): Promise<T> {
    return traced(() => {
      const template = pathTemplate(path);
      const { hostname, port } = new URL(this.server);
      const attributes = {
        'http.request.method': method,
        'url.template': template,
        'server.address': hostname,
        ...(port === '' ? {} : { 'server.port': Number(port) }),
        ...(this.#cluster === undefined ? {} : { 'k8s.cluster.name': this.#cluster }),
        ...(attempt === 1 ? {} : { 'http.request.resend_count': attempt - 1 }),
      };
      return { name: `${method} ${template}`, kind: 'CLIENT', attributes };
    }, work);
  }

  /** An aborted request throws its own reason. */
  #failureOf(error: unknown, request: KubeRequest, deadline: Deadline): AppError {
    request.signal?.throwIfAborted();
    if (this.#isClosed) return closedError(this.server, request, 'unknown');
    if (deadline.expired) return timeoutError(this.server, request, request.timeoutMs ?? TIMEOUT_MS);
    return error instanceof AppError ? error : connectionError(this.server, request, error);
  }

  async #attempt<T>(
    request: SentRequest,
    encoding: string,
    read: (answer: Answer) => Promise<T>,
    signal: AbortSignal,
    span: Span | undefined,
  ): Promise<T> {
    const hasToken = request.credential.kind === 'token';
    const auth = await raceWith(
      signal,
      hasToken ? this.#credentials.anonymous() : this.#credentials.current(),
    );
    const pool = hasToken ? this.#tokenPool : this.#pool;
    this.#requests += 1;
    const sent = send(this.server + request.path + queryOf(request), {
      dispatcher: pool.dispatcherFor(auth.connection, auth.fingerprint, request.hasPriority === true),
      method: request.method,
      headers: {
        ...auth.headers,
        ...identityHeaders(request.credential, auth),
        ...traceHeaders(),
        'user-agent': `shiplog/${version}`,
        accept: request.accept ?? 'application/json',
        'accept-encoding': encoding,
        ...(request.body === undefined ? {} : { 'content-type': request.contentType ?? 'application/json' }),
      },
      ...(request.body === undefined ? {} : { body: request.body }),
      signal,
      // After a DELETE with a body undici would close the connection, for servers that leave such bodies unread.
      reset: false,
      // The deadline of the exchange covers both, and a watch may legitimately be silent.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    // A request that still waits for its connection would heed the signal only once it has one.
    const answer = await raceWith(signal, sent);
    span?.setAttribute('http.response.status_code', answer.statusCode);
    this.#serverDateMs = dateOf(answer.headers.date) ?? this.#serverDateMs;
    if (answer.statusCode >= 200 && answer.statusCode < 300) return read(answer);
    const body = await readText(answer, TEXT_BYTES_MAX);
    const retryAfter = answer.headers['retry-after'];
    throw errorOfAnswer(
      this.server,
      request,
      answer.statusCode,
      body,
      Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
    );
  }

  /** Milliseconds to wait before a retry, or undefined when a retry is not allowed. */
  #waitBefore(attempt: number, request: KubeRequest, failure: AppError, cause: unknown): number | undefined {
    const isUnauthorized =
      failure.code === 'unauthorized' &&
      failure.details.status === 401 &&
      failure.details.credential !== 'viewer';
    // The kubeconfig may have the certificates of a new authority by now.
    if (attempt === 1 && (isUnauthorized || isUntrustedCertificate(cause))) {
      this.#credentials.renew();
      return 0;
    }
    // 429 guarantees that nothing was executed; 503 does not.
    const mayWait = failure.code === 'rate_limited' || (failure.details.status === 503 && isRead(request));
    if (mayWait) {
      if (request.mayWait === false) return undefined;
      const retryAfterMs = retryAfterMsOf(failure) ?? (failure.code === 'rate_limited' ? 1000 : undefined);
      return retryAfterMs !== undefined && retryAfterMs <= RETRY_WAIT_MAX_MS ? retryAfterMs : undefined;
    }
    return isRead(request) && isBrokenConnection(cause) && attempt < 3 ? 0 : undefined;
  }

  async #wait(waitMs: number, request: KubeRequest, deadline: Deadline, failure: AppError): Promise<void> {
    if (waitMs === 0) return;
    try {
      await this.#clock.sleep(waitMs, deadline.signal);
    } catch {
      request.signal?.throwIfAborted();
      throw failure;
    }
  }
}

function identityHeaders(
  credential: Credential,
  auth: RequestAuth,
): Record<string, string | readonly string[]> {
  switch (credential.kind) {
    case 'process':
      return impersonationHeaders(auth.impersonate);
    case 'impersonate':
      return impersonationHeaders(credential);
    case 'token':
      return { Authorization: credential.token.authorization() };
  }
}

function dateOf(header: string | string[] | undefined): number | null {
  const ms = typeof header === 'string' ? Date.parse(header) : NaN;
  return Number.isNaN(ms) ? null : ms;
}

function queryOf({ query }: KubeRequest): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined) parameters.append(name, value);
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/**
 * Chunks become text as they arrive: gathered bytes would pass through memory once more, outside of the heap.
 */
function readText(answer: Answer, maxBytes: number, onBegin?: (text: string) => void): Promise<string> {
  const compressed = answer.headers['content-encoding'] === 'gzip';
  const source: Readable = compressed ? pipeline(answer.body, createGunzip(), () => undefined) : answer.body;
  const decoder = new StringDecoder('utf8');
  const parts: string[] = [];
  let bytes = 0;
  source.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      source.destroy(tooLarge(maxBytes));
      return;
    }
    const part = decoder.write(chunk);
    if (parts.length === 0) onBegin?.(part);
    parts.push(part);
  });
  return new Promise((resolve, reject) => {
    finished(source, { writable: false }, (error) => {
      if (error) return reject(error);
      try {
        resolve(parts.join('') + decoder.end());
      } catch {
        // Longer than a string can be; an error that is thrown in here would never reach the caller.
        reject(tooLarge(maxBytes));
      }
    });
  });
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('too_large', `The API server's answer is longer than ${maxBytes} bytes.`, { maxBytes });
}
