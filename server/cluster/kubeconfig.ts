import 'server-only';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import type { PluginCommand } from '@/server/cluster/credential-plugin';
import type { LocalSource } from '@/server/shared/cluster-entry';
import { ConfigError } from '@/server/shared/config-error';
import type { Impersonation } from '@/server/shared/viewer';

export interface LoadedKubeConfig {
  readonly config: KubeConfig;
  readonly context: string;
  /** Without user-info and without a slash at the end. */
  readonly server: string;
  readonly impersonate: Impersonation | undefined;
  /** The user's credential plugin, which `config` then lacks. */
  readonly plugin: PluginCommand | undefined;
}

/**
 * The members of a user that client-node leaves out.
 * https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/#AuthInfo
 */
const userSchema = z.object({
  name: z.string(),
  user: z
    .object({
      tokenFile: z.string().optional(),
      as: z.string().optional(),
      'as-uid': z.string().optional(),
      'as-groups': z.array(z.string()).nullish(),
      'as-user-extra': z.record(z.string(), z.array(z.string())).nullish(),
      exec: z
        .object({
          command: z.string(),
          args: z.array(z.string()).nullish(),
          env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
          installHint: z.string().nullish(),
          apiVersion: z.string().optional(),
          provideClusterInfo: z.boolean().optional(),
        })
        .nullish(),
    })
    .nullish(),
});
const fileSchema = z.object({
  'current-context': z.string().nullish(),
  users: z.array(userSchema).nullish(),
});
/** https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/ */
export interface KubeConfigDocument {
  readonly 'current-context': string;
  readonly contexts: readonly { name: string; context: { cluster: string; user: string } }[];
  readonly clusters: readonly { name: string; cluster: object }[];
  readonly users: readonly { name: string; user: object }[];
}
type RawUser = z.infer<typeof userSchema> & { folder: string };

/**
 * The kubeconfig files merged as kubectl merges them: of two entries of one name the first counts, of several
 * current contexts the first, and a missing file is skipped. Throws ConfigError.
 * https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/#merging-kubeconfig-files
 */
export function loadKubeConfig(source: LocalSource): LoadedKubeConfig {
  if (source.kind === 'none') throw new ConfigError(['No cluster is configured.']);
  if (source.kind === 'in_cluster') {
    if (!process.env.KUBERNETES_SERVICE_HOST)
      throw new ConfigError([
        'Shiplog does not run in a pod, so it has no service account. Use a kubeconfig instead.',
      ]);
    const config = new KubeConfig();
    config.loadFromCluster();
    return {
      config,
      context: 'in-cluster',
      server: serverOf(config, 'in-cluster'),
      impersonate: undefined,
      plugin: undefined,
    };
  }
  const files = source.files.filter((file) => existsSync(file));
  if (files.length === 0) throw new ConfigError([`No kubeconfig at ${source.files.join(', ')}.`]);
  const { config, rawUsers } = mergeFiles(files);
  const context = source.context ?? config.getCurrentContext();
  selectContext(config, context, files);
  return completeKubeConfig(config, context, rawUsers);
}

/** The names of all contexts of the files, as `loadKubeConfig` merges them. Throws ConfigError. */
export function contextsOf(files: readonly string[]): string[] {
  const { config } = mergeFiles(files.filter((file) => existsSync(file)));
  return config.getContexts().map(({ name }) => name);
}

/** A kubeconfig of one context that is in no file, and has no paths. Throws ConfigError. */
export function loadKubeConfigDocument(document: KubeConfigDocument): LoadedKubeConfig {
  const config = new KubeConfig();
  config.loadFromString(JSON.stringify(document));
  const users = document.users.map((user) => ({ ...userSchema.parse(user), folder: '/' }));
  return completeKubeConfig(config, document['current-context'], users);
}

/** With the context selected. */
function completeKubeConfig(
  config: KubeConfig,
  context: string,
  rawUsers: readonly RawUser[],
): LoadedKubeConfig {
  const server = serverOf(config, context);
  const rawUser = rawUsers.find((user) => user.name === config.getCurrentUser()?.name);
  completeUser(config, rawUser);
  return {
    config,
    context,
    server,
    impersonate: impersonationOf(rawUser),
    plugin: extractPlugin(config, rawUser),
  };
}

function mergeFiles(files: readonly string[]): { config: KubeConfig; rawUsers: RawUser[] } {
  const config = new KubeConfig();
  const rawUsers: RawUser[] = [];
  for (const file of files) {
    try {
      const folder = dirname(resolve(file));
      const document: unknown = parseYaml(readFileSync(file, 'utf8'));
      if (document === null) continue;
      const rawUser = fileSchema.parse(document);
      rawUsers.push(...(rawUser.users ?? []).map((user) => ({ ...user, folder })));
      const fileConfig = new KubeConfig();
      fileConfig.loadFromFile(resolve(file));
      config.clusters.push(...withoutDuplicates(config.clusters, fileConfig.clusters));
      config.users.push(...withoutDuplicates(config.users, fileConfig.users));
      config.contexts.push(...withoutDuplicates(config.contexts, fileConfig.contexts));
      if (config.getCurrentContext() === undefined && fileConfig.getCurrentContext())
        config.setCurrentContext(fileConfig.getCurrentContext());
    } catch (error) {
      throw new ConfigError([`The kubeconfig ${file} cannot be read: ${problemOf(error)}`]);
    }
  }
  return { config, rawUsers };
}

function withoutDuplicates<T extends { name: string }>(known: readonly T[], more: readonly T[]): T[] {
  return more.filter((entry) => !known.some((other) => other.name === entry.name));
}

function selectContext(
  config: KubeConfig,
  context: string | undefined,
  files: readonly string[],
): asserts context is string {
  const names = config.getContexts().map((entry) => entry.name);
  const where = `in ${files.join(', ')}; there is ${names.length === 0 ? 'none' : names.join(', ')}`;
  if (!context) throw new ConfigError([`No current context ${where}. Set SHIPLOG_CONTEXT.`]);
  if (!names.includes(context)) throw new ConfigError([`No context "${context}" ${where}.`]);
  config.setCurrentContext(context);
}

function serverOf(config: KubeConfig, context: string): string {
  const cluster = config.getCurrentCluster();
  if (cluster === null)
    throw new ConfigError([`The context "${context}" names a cluster that is not in the kubeconfig.`]);
  if (!/^https?:\/\//.test(cluster.server)) {
    throw new ConfigError([
      `The cluster of context "${context}" has no http(s) address: "${cluster.server}".`,
    ]);
  }
  const url = new URL(cluster.server);
  // client-node rejects plain HTTP unless told not to verify TLS; kubectl accepts it, and `kubectl proxy`
  // offers it.
  if (url.protocol === 'http:') Object.assign(cluster, { skipTLSVerify: true });
  url.username = '';
  url.password = '';
  return url.href.replace(/\/+$/, '');
}

/** Gives client-node what it leaves unread, so that a kubeconfig works here as it works with kubectl. */
function completeUser(config: KubeConfig, rawUser: RawUser | undefined): void {
  const context = config.getContextObject(config.getCurrentContext());
  const user = config.getCurrentUser();
  if (user === null) {
    // Without a user client-node would leave out the CA as well.
    config.users.push({ name: 'none' });
    if (context !== null) Object.assign(context, { user: 'none' });
    return;
  }
  const tokenFile = rawUser?.user?.tokenFile;
  if (rawUser !== undefined && tokenFile !== undefined) {
    const path = isAbsolute(tokenFile) ? tokenFile : resolve(rawUser.folder, tokenFile);
    Object.assign(user, {
      token: undefined,
      authProvider: { name: 'tokenFile', config: { tokenFile: path } },
    });
  }
}

/** client-node would run it without a timeout, and again while it runs. */
function extractPlugin(config: KubeConfig, rawUser: RawUser | undefined): PluginCommand | undefined {
  const user = config.getCurrentUser();
  const exec = rawUser?.user?.exec;
  if (user === null || rawUser === undefined || !exec) return undefined;
  Object.assign(user, { exec: undefined });
  const isPath = exec.command.includes('/') && !isAbsolute(exec.command);
  const env = Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value]));
  return {
    command: isPath ? resolve(rawUser.folder, exec.command) : exec.command,
    args: exec.args ?? [],
    env: { ...env, KUBERNETES_EXEC_INFO: execInfo(config, exec) },
    installHint: exec.installHint ?? undefined,
  };
}

/** https://kubernetes.io/docs/reference/access-authn-authz/authentication/#input-and-output-formats */
function execInfo(config: KubeConfig, exec: { apiVersion?: string; provideClusterInfo?: boolean }): string {
  const cluster = config.getCurrentCluster();
  const info =
    exec.provideClusterInfo === true && cluster !== null ? { cluster: clusterInfoOf(cluster) } : {};
  return JSON.stringify({
    kind: 'ExecCredential',
    apiVersion: exec.apiVersion ?? 'client.authentication.k8s.io/v1',
    spec: { interactive: false, ...info },
  });
}

function clusterInfoOf(cluster: {
  server: string;
  caData?: string;
  caFile?: string;
  skipTLSVerify?: boolean;
  tlsServerName?: string;
}) {
  const authority = cluster.caFile ? readFileSync(cluster.caFile).toString('base64') : cluster.caData;
  return {
    server: cluster.server,
    'certificate-authority-data': authority,
    'insecure-skip-tls-verify': cluster.skipTLSVerify,
    'tls-server-name': cluster.tlsServerName,
    config: null,
  };
}

function impersonationOf(rawUser: RawUser | undefined): Impersonation | undefined {
  const user = rawUser?.user;
  if (!user?.as) return undefined;
  return {
    user: user.as,
    ...(user['as-uid'] ? { uid: user['as-uid'] } : {}),
    ...(user['as-groups'] ? { groups: user['as-groups'] } : {}),
    ...(user['as-user-extra'] ? { extra: user['as-user-extra'] } : {}),
  };
}

function problemOf(error: unknown): string {
  if (error instanceof z.ZodError) {
    return error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
  }
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
}
