import { freePort } from '@/e2e/controlplane/ports';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { signedIn, writeLocalKey } from '@/e2e/support/local-key';
import { assertDescribed } from '@/e2e/support/described-answer';

const ownCheckout = fileURLToPath(new URL('../..', import.meta.url));

const START_TIMEOUT_MS = 120_000;
const POLL_MS = 50;

export interface ShiplogOptions {
  /** Absent where SHIPLOG_CLUSTERS names the clusters. */
  kubeconfig?: string;
  /** Reused by two processes of one test; default: a new folder. */
  dataDir?: string;
  port?: number;
  /** The folder of the checkout whose build runs. Default: this one. */
  checkout?: string;
  env?: Record<string, string>;
  /** Wait until every cache is filled. Default true. */
  untilReady?: boolean;
}

type ShiplogRequest = RequestInit & { headers?: Record<string, string> };

/** A running production server. */
export interface Shiplog {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly dataDir: string;
  /** Everything that it wrote to its log so far. */
  log(): string;
  /** Sends SIGTERM and waits; resolves to the milliseconds until the end. */
  stop(signal?: NodeJS.Signals): Promise<number>;
  /** Signed in, as `get` and `post` are. */
  fetch(path: string, init?: ShiplogRequest): Promise<Response>;
  /** GET, parsed; throws where the status is not 200, or the answer is not as the table of routes describes it. */
  get(path: string): Promise<any>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<{ status: number; body: any }>;
}

/** Starts the built server as a process of its own, on a free loopback port. */
export async function startShiplog(options: ShiplogOptions): Promise<Shiplog> {
  const { checkout = ownCheckout } = options;
  const serverPath = join(checkout, '.next/standalone/server.js');
  if (!existsSync(serverPath)) throw new Error('There is no build: run `npm run build` first.');
  const port = options.port ?? (await freePort());
  const isOwnDir = options.dataDir === undefined;
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'shiplog-data-'));
  writeLocalKey(dataDir);
  const child = spawn(process.execPath, [serverPath], {
    env: {
      ...withoutShiplogVariables(process.env),
      NODE_ENV: 'production',
      NEXT_MANUAL_SIG_HANDLE: 'true',
      NEXT_TELEMETRY_DISABLED: '1',
      // Compiling takes a quarter of a start; the cache is shared, as `npm start` does.
      NODE_COMPILE_CACHE: join(checkout, '.cache/compiled'),
      HOSTNAME: '127.0.0.1',
      PORT: String(port),
      KUBECONFIG: options.kubeconfig ?? '',
      SHIPLOG_DATA_DIR: dataDir,
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  const shiplog = handleOf(child, port, dataDir, isOwnDir, output);
  try {
    await until(shiplog, options.untilReady === false ? '/api/healthz' : '/api/readyz', child, output);
  } catch (error) {
    await shiplog.stop('SIGKILL');
    throw error;
  }
  return shiplog;
}

function handleOf(
  child: ChildProcess,
  port: number,
  dataDir: string,
  isOwnDir: boolean,
  output: readonly string[],
): Shiplog {
  const url = `http://127.0.0.1:${port}`;
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    url,
    port,
    pid: child.pid ?? -1,
    dataDir,
    log: () => output.join(''),
    async stop(signal = 'SIGTERM') {
      const start = performance.now();
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await gone;
      if (isOwnDir) rmSync(dataDir, { recursive: true, force: true });
      return performance.now() - start;
    },
    fetch: (path, init) => fetch(url + path, { ...init, headers: { ...signedIn, ...init?.headers } }),
    async get(path) {
      const answer = await fetch(url + path, { headers: signedIn });
      const body: unknown = await answer.json();
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${JSON.stringify(body)}`);
      assertDescribed('GET', path, body);
      return body;
    },
    async post(path, body, headers = {}) {
      const answer = await fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...signedIn, ...headers },
        body: JSON.stringify(body),
      });
      const parsed: unknown = await answer.json();
      if (answer.ok) assertDescribed('POST', path, parsed);
      return { status: answer.status, body: parsed };
    },
  };
}

async function until(
  shiplog: Shiplog,
  path: string,
  child: ChildProcess,
  output: readonly string[],
): Promise<void> {
  const end = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < end) {
    if (child.exitCode !== null) throw new Error(`Shiplog ended at its start:\n${output.join('')}`);
    const answer = await shiplog.fetch(path).catch(() => undefined);
    if (answer?.ok === true) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`${path} was not ready in time:\n${output.join('')}`);
}

/** The settings of the person who runs the tests must not influence them. */
function withoutShiplogVariables(env: NodeJS.ProcessEnv): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('SHIPLOG_')));
}
