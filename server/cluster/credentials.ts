import 'server-only';
import { createHash } from 'node:crypto';
import type { AgentOptions } from 'node:https';
import type { ConnectionOptions } from 'node:tls';
import { KubeConfig } from '@kubernetes/client-node';
import { AppError } from '@/lib/errors';
import { type Clock, systemClock } from '@/server/shared/clock';
import { CredentialPlugin } from '@/server/cluster/credential-plugin';
import { proxyFor } from '@/server/cluster/environment-proxy';
import { loadKubeConfig, type LoadedKubeConfig } from '@/server/cluster/kubeconfig';
import type { ClusterSource, LocalSource } from '@/server/shared/cluster-entry';
import { commonNames } from '@/server/shared/masking/credential-name';
import { hideInText } from '@/server/shared/masking/credential-text';
import type { Impersonation } from '@/server/shared/viewer';

/** Client certificates and tokens are checked again this often; a request in between costs nothing. */
const CACHE_TTL_MS = 5_000;
/** A Secret is read again this often, as client-go reads a token file. */
const SECRET_TTL_MS = 60_000;

type Env = Readonly<Record<string, string | undefined>>;

export type ConnectionSettings =
  | { readonly type: 'direct'; readonly connect: ConnectionOptions }
  | { readonly type: 'proxy'; readonly uri: string; readonly requestTls: ConnectionOptions };

/** The credentials of one request. */
export interface RequestAuth {
  readonly headers: Readonly<Record<string, string>>;
  /** The kubeconfig's own `as`, for requests that impersonate no other user. */
  readonly impersonate: Impersonation | undefined;
  readonly connection: ConnectionSettings;
  /** Changes when an earlier connection no longer fits: other CA, client certificate, server name. */
  readonly fingerprint: string;
}

export interface Credentials {
  /** Without a slash at the end; may have a path. */
  readonly server: string;
  /** Name of the context, as people know the cluster. */
  readonly context: string;
  /** Hash of server address and CA: identifies the cluster where its own id can't be read. */
  readonly clusterHash: string;
  /** Renews tokens, runs exec plugins, reads certificate files again. Throws AppError `unauthorized`. */
  current(): Promise<RequestAuth>;
  /**
   * The same API server without the process: its authority, server name and proxy, and nothing of the kubeconfig's user.
   */
  anonymous(): Promise<RequestAuth>;
  /**
   * Called after a 401, and after the certificate of the API server was rejected: the next request reads the kubeconfig
   * again, and runs its plugin again where it needs that.
   */
  renew(): void;
}

/**
 * Credentials of one context; it remains the same when the kubeconfig's current context moves. Throws
 * ConfigError.
 */
export function loadCredentials(
  source: LocalSource,
  clock: Clock = systemClock,
  env: Env = process.env,
): Credentials {
  const first = loadKubeConfig(source);
  const pinned: LocalSource = source.kind === 'kubeconfig' ? { ...source, context: first.context } : source;
  return credentialsOf(first, () => loadKubeConfig(pinned), Infinity, clock, env);
}

/** The kubeconfig in a Secret, with the context given or its current one. Throws ConfigError and AppError. */
type SecretReader = (name: string, context?: string) => Promise<LoadedKubeConfig>;

/** As `loadCredentials`, from any source; reads a Secret again later on. Throws ConfigError, and AppError of the Secret. */
export async function openCredentials(
  source: ClusterSource,
  readSecret: SecretReader,
  clock: Clock = systemClock,
  env: Env = process.env,
): Promise<Credentials> {
  if (source.kind !== 'secret') return loadCredentials(source, clock, env);
  const { name } = source;
  const first = await readSecret(name);
  return credentialsOf(first, () => readSecret(name, first.context), SECRET_TTL_MS, clock, env);
}

/** `reload` reads the source again: after a rejection, and every `ttlMs`, when nothing waits for it. */
function credentialsOf(
  first: LoadedKubeConfig,
  reload: () => LoadedKubeConfig | Promise<LoadedKubeConfig>,
  ttlMs: number,
  clock: Clock,
  env: Env,
): Credentials {
  let loaded = first;
  let plugin = pluginOf(loaded, clock);
  let renewedAt = clock.now();
  let readAt = renewedAt;
  let renewal: Promise<void> | undefined;

  async function readAgain(): Promise<void> {
    readAt = clock.now();
    let next = loaded;
    try {
      const found = await reload();
      // Requests continue to go to the first one, which must not receive the credentials of another.
      if (found.server === first.server) next = found;
    } catch {
      // The file is just being written, or the Secret can't be read; the last good content is used until the next
      // check.
    }
    if (JSON.stringify(next.plugin) === JSON.stringify(loaded.plugin)) plugin?.markRejected();
    else plugin = pluginOf(next, clock);
    loaded = next;
  }

  const own = briefly(clock, async () => {
    await renewal;
    return buildRequestAuth(loaded, plugin, proxyFor(loaded.server, env));
  });
  const anonymous = briefly(clock, async () => {
    await renewal;
    return buildRequestAuth(withoutUser(loaded), undefined, proxyFor(loaded.server, env));
  });

  function readIfOld(): void {
    if (clock.now() - readAt >= ttlMs) void readAgain();
  }

  // prettier-ignore
  return {
    server: first.server,
    context: first.context,
    get clusterHash() { return clusterHashOf(first.server, loaded.config); },
    current() { readIfOld(); return own.get(); },
    anonymous() { readIfOld(); return anonymous.get(); },
    renew() { if (clock.now() - renewedAt < CACHE_TTL_MS) return; renewedAt = clock.now(); own.clear(); anonymous.clear(); renewal = readAgain(); },
  };
}

/** Loads once for all requests of CACHE_TTL_MS; a failure is not kept. */
function briefly<T>(clock: Clock, load: () => Promise<T>) {
  let cached: { at: number; value: Promise<T> } | undefined;
  return {
    get(): Promise<T> {
      if (cached !== undefined && clock.now() - cached.at < CACHE_TTL_MS) return cached.value;
      // Waits for the pending read, however long it takes.
      const entry = { at: Infinity, value: load() };
      cached = entry;
      entry.value.then(
        () => (entry.at = clock.now()),
        () => {
          if (cached === entry) cached = undefined;
        },
      );
      return entry.value;
    },
    clear(): void {
      cached = undefined;
    },
  };
}

/** Built from the cluster alone, so that no kind of credential can be left in it. */
function withoutUser(loaded: LoadedKubeConfig): LoadedKubeConfig {
  const config = new KubeConfig();
  const cluster = loaded.config.getCurrentCluster();
  // Without a user client-node would leave out the CA as well.
  if (cluster !== null) config.loadFromClusterAndUser(cluster, { name: 'none' });
  return { ...loaded, config, impersonate: undefined, plugin: undefined };
}

function pluginOf({ plugin }: LoadedKubeConfig, clock: Clock): CredentialPlugin | undefined {
  return plugin === undefined ? undefined : new CredentialPlugin(plugin, clock);
}

async function buildRequestAuth(
  loaded: LoadedKubeConfig,
  plugin: CredentialPlugin | undefined,
  proxy: string | undefined,
): Promise<RequestAuth> {
  const options: AgentOptions & { headers?: Record<string, unknown>; auth?: string } = {};
  const pluginCredential = await plugin?.current();
  try {
    await loaded.config.applyToHTTPSOptions(options);
  } catch (error) {
    throw credentialError(error);
  }
  const headers: Record<string, string> = pluginCredential?.token
    ? { Authorization: `Bearer ${pluginCredential.token}` }
    : {};
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    if (typeof value === 'string' && !name.toLowerCase().startsWith('impersonate-'))
      headers[name] = value.trim();
  }
  if (options.auth !== undefined)
    headers.Authorization = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  if (pluginCredential?.certificate !== undefined)
    Object.assign(options, { cert: pluginCredential.certificate, key: pluginCredential.key });
  const connection = throughProxy(connectionOf(loaded.config, options), proxy);
  return {
    headers,
    impersonate: loaded.impersonate,
    connection,
    fingerprint: createHash('sha256').update(JSON.stringify(connection)).digest('base64url'),
  };
}

/** The proxy of the environment, where the kubeconfig names none of its own. */
function throughProxy(connection: ConnectionSettings, proxy: string | undefined): ConnectionSettings {
  if (connection.type === 'proxy' || proxy === undefined) return connection;
  if (!/^https?:/.test(proxy)) throw unsupportedProxyError('environment (HTTPS_PROXY)');
  return { type: 'proxy', uri: proxy, requestTls: connection.connect };
}

function unsupportedProxyError(where: string): AppError {
  return new AppError(
    'bad_request',
    `The ${where} sets a SOCKS proxy, which Shiplog does not support. Use an http:// proxy or a tunnel.`,
  );
}

function connectionOf(config: KubeConfig, options: AgentOptions): ConnectionSettings {
  const dispatcherOptions = config.createDispatcherOptions(config.getCurrentCluster(), options);
  switch (dispatcherOptions.type) {
    case 'agent':
      return { type: 'direct', connect: dispatcherOptions.connect };
    case 'none':
      return { type: 'direct', connect: {} };
    case 'proxy':
      return { type: 'proxy', uri: dispatcherOptions.uri, requestTls: dispatcherOptions.requestTls };
    case 'socks':
      throw unsupportedProxyError('kubeconfig (proxy-url)');
    default: {
      const unknown: never = dispatcherOptions;
      throw new AppError('internal', `No way to connect as ${JSON.stringify(unknown)}.`);
    }
  }
}

function credentialError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const text = hideInText(
    error instanceof Error ? error.message.trim() : String(error),
    commonNames,
    () => '[masked]',
  );
  return new AppError(
    'unauthorized',
    `The credentials of the kubeconfig are not usable: ${text.slice(0, 300)}.`,
    {},
    error,
  );
}

function clusterHashOf(server: string, config: KubeConfig): string {
  const cluster = config.getCurrentCluster();
  const authority = cluster?.caData ?? cluster?.caFile ?? '';
  return createHash('sha256').update(`${server}\n${authority}`).digest('hex').slice(0, 32);
}
