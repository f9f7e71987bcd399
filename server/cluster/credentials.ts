import 'server-only';
import { createHash } from 'node:crypto';
import { type AgentOptions } from 'node:https';
import { type ConnectionOptions } from 'node:tls';
import { type KubeConfig } from '@kubernetes/client-node';
import { AppError } from '@/lib/errors';
import { type Clock, systemClock } from '@/server/cluster/clock';
import { CredentialPlugin } from '@/server/cluster/credential-plugin';
import { proxyFor } from '@/server/cluster/environment-proxy';
import { loadKubeConfig, type LoadedKubeConfig } from '@/server/cluster/kubeconfig';
import { type ClusterSource, ConfigError } from '@/server/config';
import { commonNames } from '@/server/credential-name';
import { hideInText } from '@/server/credential-text';
import { type Impersonation } from '@/server/viewer';

/** Client certificates and tokens are looked at again this often; a request in between costs nothing. */
const KEPT_MS = 5_000;

export type Connection =
  | { readonly type: 'direct'; readonly connect: ConnectionOptions }
  | { readonly type: 'proxy'; readonly uri: string; readonly requestTls: ConnectionOptions };

/** What one request presents itself with. */
export interface Presented {
  readonly headers: Readonly<Record<string, string>>;
  /** The kubeconfig's own `as`, for requests that name nobody else. */
  readonly impersonate: Impersonation | undefined;
  readonly connection: Connection;
  /** Changes when a connection made before no longer fits: other CA, client certificate, server name. */
  readonly fingerprint: string;
}

export interface Credentials {
  /** Without a slash at the end; may have a path. */
  readonly server: string;
  /** Name of the context, as people know the cluster. */
  readonly context: string;
  /** Hash of server address and CA: names the cluster where its own id can't be read. */
  readonly clusterHash: string;
  /** Tokens renewed, exec plugins run, certificate files read again. Throws AppError `unauthorized`. */
  current(): Promise<Presented>;
  /** Called after a 401: the next `current` reads the kubeconfig again and runs its plugin again. */
  renew(): void;
}

/** Credentials of one context, which stays the same when the kubeconfig's current context moves. Throws ConfigError. */
export function loadCredentials(
  source: ClusterSource,
  clock: Clock = systemClock,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Credentials {
  let loaded = loadKubeConfig(source);
  const pinned: ClusterSource =
    source.kind === 'kubeconfig' ? { ...source, context: loaded.context } : source;
  let plugin = pluginOf(loaded, clock);
  let kept: { at: number; presented: Promise<Presented> } | undefined;
  let renewedAt = clock.now();

  return {
    server: loaded.server,
    context: loaded.context,
    clusterHash: clusterHashOf(loaded.server, loaded.config),
    current() {
      if (kept !== undefined && clock.now() - kept.at < KEPT_MS) return kept.presented;
      // What is under way is waited for, however long it takes.
      const entry = { at: Infinity, presented: presentWith(loaded, plugin, proxyFor(loaded.server, env)) };
      kept = entry;
      entry.presented.then(
        () => (entry.at = clock.now()),
        () => {
          if (kept === entry) kept = undefined;
        },
      );
      return entry.presented;
    },
    renew() {
      if (clock.now() - renewedAt < KEPT_MS) return;
      renewedAt = clock.now();
      kept = undefined;
      const before = JSON.stringify(loaded.plugin);
      try {
        loaded = loadKubeConfig(pinned);
      } catch (error) {
        // A file that is just being written; what was read before serves until the next time.
        if (!(error instanceof ConfigError)) throw error;
      }
      if (JSON.stringify(loaded.plugin) === before) plugin?.refuse();
      else plugin = pluginOf(loaded, clock);
    },
  };
}

function pluginOf({ plugin }: LoadedKubeConfig, clock: Clock): CredentialPlugin | undefined {
  return plugin === undefined ? undefined : new CredentialPlugin(plugin, clock);
}

async function presentWith(
  loaded: LoadedKubeConfig,
  plugin: CredentialPlugin | undefined,
  proxy: string | undefined,
): Promise<Presented> {
  const options: AgentOptions & { headers?: Record<string, unknown>; auth?: string } = {};
  const given = await plugin?.current();
  try {
    await loaded.config.applyToHTTPSOptions(options);
  } catch (error) {
    throw credentialError(error);
  }
  const headers: Record<string, string> = given?.token ? { Authorization: `Bearer ${given.token}` } : {};
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    if (typeof value === 'string' && !name.toLowerCase().startsWith('impersonate-'))
      headers[name] = value.trim();
  }
  if (options.auth !== undefined)
    headers.Authorization = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  if (given?.certificate !== undefined) Object.assign(options, { cert: given.certificate, key: given.key });
  const connection = throughProxy(connectionOf(loaded.config, options), proxy);
  return {
    headers,
    impersonate: loaded.impersonate,
    connection,
    fingerprint: createHash('sha256').update(JSON.stringify(connection)).digest('base64url'),
  };
}

/** The proxy of the environment, where the kubeconfig names none of its own. */
function throughProxy(connection: Connection, proxy: string | undefined): Connection {
  if (connection.type === 'proxy' || proxy === undefined) return connection;
  if (!/^https?:/.test(proxy)) throw unknownProxy('environment (HTTPS_PROXY)');
  return { type: 'proxy', uri: proxy, requestTls: connection.connect };
}

function unknownProxy(where: string): AppError {
  return new AppError(
    'bad_request',
    `The ${where} asks for a SOCKS proxy, which Shiplog does not speak. Use an http:// proxy or a tunnel.`,
  );
}

function connectionOf(config: KubeConfig, options: AgentOptions): Connection {
  const made = config.createDispatcherOptions(config.getCurrentCluster(), options);
  switch (made.type) {
    case 'agent':
      return { type: 'direct', connect: made.connect };
    case 'none':
      return { type: 'direct', connect: {} };
    case 'proxy':
      return { type: 'proxy', uri: made.uri, requestTls: made.requestTls };
    case 'socks':
      throw unknownProxy('kubeconfig (proxy-url)');
    default: {
      const unknown: never = made;
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
    `The kubeconfig's credentials can't be used: ${text.slice(0, 300)}.`,
    {},
    error,
  );
}

function clusterHashOf(server: string, config: KubeConfig): string {
  const cluster = config.getCurrentCluster();
  const authority = cluster?.caData ?? cluster?.caFile ?? '';
  return createHash('sha256').update(`${server}\n${authority}`).digest('hex').slice(0, 32);
}
