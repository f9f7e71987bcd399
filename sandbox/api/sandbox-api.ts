import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Clock } from '@/server/shared/clock';
import { AccessTable, DEFAULT_USERS, type SandboxUser } from '@/sandbox/api/access';
import { type ApiCore, IdSource } from '@/sandbox/api/api-core';
import type { AuditRecord } from '@/sandbox/api/api-request';
import { newToken, TokenTable } from '@/sandbox/api/authenticate';
import { BUILTIN_KINDS, REVIEW_KINDS } from '@/sandbox/api/builtin-kinds';
import { Churn, CONTROL_PATH, control, type ControlCommand } from '@/sandbox/api/control';
import { serveCustomKinds } from '@/sandbox/api/custom-kinds';
import { Faults } from '@/sandbox/api/faults';
import { GarbageCollector } from '@/sandbox/api/garbage';
import { issueLoopbackCertificate, kubeconfigText } from '@/sandbox/api/kubeconfig';
import { ObjectStore } from '@/sandbox/api/object-store';
import { KindTable } from '@/sandbox/api/objects/resource-kind';
import { persist } from '@/sandbox/api/persistence';
import type { LogSource } from '@/sandbox/api/pod-log';
import { answer } from '@/sandbox/api/sandbox-server';
import { WatchStreams } from '@/sandbox/api/watches';
import { createObject, decodeObject } from '@/sandbox/api/write-object';

export interface SandboxApiOptions {
  /** Any free port by default. */
  readonly port?: number;
  /** Only `now` is used: for the times in objects. Timeouts of connections run on real time. */
  readonly clock?: Pick<Clock, 'now'>;
  /** Uids and generated names are the same for the same seed and order of writes. Random by default. */
  readonly seed?: number;
  readonly users?: readonly SandboxUser[];
  /** Log lines of containers; without it containers have none. */
  readonly logs?: LogSource;
  /** Number of changes stored for watches. */
  readonly historyMax?: number;
  /**
   * Directory in which the objects are saved, and from which the next start restores them. Without it they
   * are only in memory.
   */
  readonly persistDir?: string;
  /** `always`, the default: within a second of each change. */
  readonly saves?: 'always' | 'atEnd';
  /** Called for every request. */
  readonly audit?: (entry: AuditRecord) => void;
}

export interface SandboxApi {
  readonly url: string;
  /** PEM of the authority that signed the server's certificate; changes with `renewCertificate`. */
  readonly ca: string;
  /** Bearer token by name of the user. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly store: ObjectStore;
  readonly watches: WatchStreams;
  readonly faults: Faults;
  /** Address and token of the control endpoint; see `control.ts`. */
  readonly controlUrl: string;
  readonly controlToken: string;
  /** Executes a command without HTTP. */
  control(command: ControlCommand): void;
  /**
   * YAML text of a kubeconfig with one context for that user. Throws RangeError on a user without a token.
   */
  kubeconfig(user: string): string;
  /** Saves the objects now, if persistence is on. */
  save(): void;
  /** Breaks every connection and rejects new ones until resumed, as if the process had died. */
  suspend(): Promise<void>;
  resume(): Promise<void>;
  /** New connections get a certificate of another authority. */
  renewCertificate(): Promise<void>;
  stop(): Promise<void>;
}

/** Two sandboxes are two clusters: Shiplog tells clusters apart by the uid of kube-system. */
const SEEDS = 2 ** 48 - 1;

const SYSTEM_NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** Starts an API server on loopback that holds its objects in memory. */
export async function startSandboxApi(options: SandboxApiOptions = {}): Promise<SandboxApi> {
  const { clock = { now: Date.now }, seed = randomInt(SEEDS), users = DEFAULT_USERS } = options;
  const skew = { ms: 0 };
  const core = createCore(() => clock.now() + skew.ms, seed, options.historyMax);
  const { store, ids, now } = core;
  const empty = store.version;
  const { persistDir, saves } = options;
  const persistence = persistDir === undefined ? undefined : persist(persistDir, store, ids, saves);
  serveCustomKinds(core);
  if (store.version === empty) createSystemNamespaces(core);
  const tokens = Object.fromEntries(users.map(({ name }) => [name, newToken()]));
  const table = new TokenTable();
  for (const user of users) table.add(tokens[user.name] ?? '', user);
  const faults = new Faults();
  const watches = new WatchStreams(core, faults);
  const controlParts = { faults, watches, store, ids, now, tokens: table, churn: new Churn(store), skew };
  const parts = {
    core,
    tokens: table,
    access: new AccessTable(users),
    watches,
    logs: options.logs ?? (() => undefined),
    control: controlParts,
    controlToken: newToken(),
    audit: options.audit,
  };
  let certificate = await issueLoopbackCertificate();
  const server = createServer(certificate, (request, response) => void answer(parts, request, response));
  const sockets = socketsOf(server);
  const port = await listen(server, options.port ?? 0);
  const url = `https://127.0.0.1:${port}`;
  return {
    url,
    get ca() {
      return certificate.cert;
    },
    tokens,
    store,
    watches,
    faults,
    controlUrl: `${url}${CONTROL_PATH}`,
    controlToken: parts.controlToken,
    control: (command) => control(controlParts, command),
    kubeconfig: (user) => {
      const token = tokens[user];
      if (token === undefined) throw new RangeError(`the sandbox has no user ${user}`);
      return kubeconfigText({ server: url, ca: certificate.cert, user, token });
    },
    save: () => persistence?.save(),
    suspend: () => close(server, sockets),
    resume: async () => {
      await listen(server, port);
    },
    renewCertificate: async () => {
      certificate = await issueLoopbackCertificate();
      server.setSecureContext(certificate);
    },
    stop: async () => {
      controlParts.churn.stop();
      await close(server, sockets);
      persistence?.stop();
    },
  };
}

function createCore(now: () => number, seed: number, historyMax: number | undefined): ApiCore {
  const core = {
    store: new ObjectStore(historyMax),
    kinds: new KindTable(BUILTIN_KINDS, REVIEW_KINDS),
    ids: new IdSource(String(seed)),
    now,
    collectGarbage: () => collector.run(),
  };
  const collector = new GarbageCollector(core);
  return core;
}

function createSystemNamespaces(core: ApiCore): void {
  const kind = core.kinds.find('namespaces');
  if (kind === undefined) return;
  for (const name of SYSTEM_NAMESPACES) {
    const draft = decodeObject({ kind, namespace: '', name }, 'v1', { metadata: { name } });
    createObject(core, kind, draft, {
      manager: 'kube-apiserver',
      dryRun: false,
      version: 'v1',
      subresource: '',
      fieldValidation: 'Ignore',
    });
  }
}

async function listen(server: Server, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen(port, '127.0.0.1', resolve);
  await promise;
  server.off('error', reject);
  return (server.address() as AddressInfo).port;
}

/** Open sockets of the server; unlike `closeAllConnections` this includes those in their TLS handshake. */
function socketsOf(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

async function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  for (const socket of sockets) socket.destroy();
  await promise;
}
