import { accessSync, chmodSync, constants, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';
import type { AuthMode } from '@/lib/api/session';
import { messageOf } from '@/lib/errors';
import type { EntryDefaults, LocalSource } from '@/server/shared/cluster-entry';
import { parseClustersFile } from '@/server/shared/clusters-file';
import { ConfigError } from '@/server/shared/config-error';
import { commonNames } from '@/server/shared/masking/credential-name';
import { hideInText } from '@/server/shared/masking/credential-text';
import { type LinkTemplate, linkTemplates } from '@/server/shared/link-template';
import { isLoopback, isPrivateUrl } from '@/server/shared/private-url';
import { clustersFileIn, kubeconfigIn } from '@/server/shared/sandbox-folder';
import { type Values, type Variable, variables } from '@/server/shared/variables';

/** Which clusters Shiplog reads: the one of `cluster`, every context of its kubeconfig, or those of a file. */
type ClusterChoice =
  { readonly kind: 'one' } | { readonly kind: 'contexts' } | { readonly kind: 'file'; readonly path: string };

interface ProxyJwt {
  readonly header: string;
  readonly issuer: string;
  readonly audience: string;
  readonly keys: string;
}

interface Oidc {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined: a public client. Never shown. */
  readonly clientSecret: string | undefined;
  readonly scopes: string;
  /** The origin of Shiplog in browsers: the provider sends them back there. */
  readonly publicUrl: string;
}

interface ProxyHeaders {
  readonly userHeader: string;
  readonly groupsHeader: string;
  readonly secretHeader: string;
  /** Never shown. */
  readonly secret: string;
  readonly trusted: readonly string[];
}

/** How Shiplog learns who sends a request. */
type Auth =
  /** The user of this machine; requests must carry the local key unless it is off. */
  | { readonly mode: 'local'; readonly requiresKey: boolean }
  /** People with a bearer token of a cluster. */
  | { readonly mode: 'token' }
  /** People who sign in at an OpenID Connect provider. */
  | ({ readonly mode: 'oidc' } & Oidc)
  /** People whom a proxy in front of Shiplog names with a signed token. */
  | ({ readonly mode: 'proxy-jwt' } & ProxyJwt)
  /** People whom a proxy in front of Shiplog names in headers. */
  | ({ readonly mode: 'proxy-headers' } & ProxyHeaders)
  /** Everyone who can connect, read-only. */
  | { readonly mode: 'anonymous'; readonly logs: boolean };

/** The members are explained where `readConfig` makes them; `variables` has the meaning of each variable. */
export type Config = Readonly<ReturnType<typeof readConfig>>;

type Env = Readonly<Record<string, string | undefined>>;

/** The environment; replaced in tests. */
export interface Machine {
  readonly exists: (path: string) => boolean;
  /** The text of a file. Throws where it can't be read. */
  readonly read: (path: string) => string;
  readonly home: string;
}

/** What a mode cannot do without. */
const requiredBy: Partial<Record<AuthMode, readonly (keyof Values)[]>> = {
  oidc: ['SHIPLOG_OIDC_ISSUER', 'SHIPLOG_OIDC_CLIENT_ID', 'SHIPLOG_PUBLIC_URL'],
  'proxy-jwt': ['SHIPLOG_PROXY_JWT_ISSUER', 'SHIPLOG_PROXY_JWT_AUDIENCE', 'SHIPLOG_PROXY_JWT_KEYS'],
  'proxy-headers': ['SHIPLOG_PROXY_SECRET', 'SHIPLOG_TRUSTED_PROXIES'],
};

/** The URLs by which a mode knows who a person is, and those over which people send what signs them in. */
const identityUrls: Record<AuthMode, readonly (keyof Values)[]> = {
  local: ['SHIPLOG_PUBLIC_URL'],
  token: ['SHIPLOG_PUBLIC_URL'],
  oidc: ['SHIPLOG_OIDC_ISSUER', 'SHIPLOG_PUBLIC_URL'],
  'proxy-jwt': ['SHIPLOG_PROXY_JWT_KEYS', 'SHIPLOG_PUBLIC_URL'],
  'proxy-headers': ['SHIPLOG_PUBLIC_URL'],
  anonymous: [],
};

/** Two of one name would be one header with two meanings, such as a secret that is shown as a user. */
const proxyHeaders = [
  'SHIPLOG_PROXY_USER_HEADER',
  'SHIPLOG_PROXY_GROUPS_HEADER',
  'SHIPLOG_PROXY_SECRET_HEADER',
] as const;

const SERVICE_ACCOUNT_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';

const NO_CLUSTER =
  'No cluster is configured: there is neither a kubeconfig nor the token of a service account. Set KUBECONFIG or SHIPLOG_CLUSTERS, or mount the token in the pod (automountServiceAccountToken).';

const table: Readonly<Record<string, Variable>> = variables;
const schemas = Object.entries(table).map(([name, { schema }]) => [name, schema] as const);
const environment = z.object(Object.fromEntries(schemas)) as unknown as z.ZodType<Values>;

interface Needs {
  /** The server can't do without a cluster; `npm start` then starts a sandbox. */
  cluster?: boolean;
}

/**
 * The configuration of this process. It ignores HOSTNAME, which containers set to their own name. Throws one
 * ConfigError that lists every problem.
 */
export function readConfig(env: Env, machine: Machine = thisMachine(env), needs: Needs = {}) {
  const texts = Object.fromEntries(schemas.map(([name]) => [name, env[name]?.trim() || undefined]));
  const parsed = environment.safeParse(texts, { reportInput: true });
  const issues = parsed.error?.issues ?? [];
  // The remaining checks ignore an invalid value, so that all problems are reported at once.
  const wrong = new Set(issues.map(({ path }) => path[0]));
  const valid = Object.fromEntries(Object.entries(texts).filter(([name]) => !wrong.has(name)));
  const values = parsed.data ?? environment.parse(valid);
  const clusters = clustersOf(values);
  // A file names its clusters itself.
  const cluster: LocalSource = clusters.kind === 'file' ? { kind: 'none' } : clusterOf(values, env, machine);
  const problems = [
    ...issues.map((issue) => problemOf(issue, texts)),
    ...problemsAcross(values, clusters, cluster, machine),
    ...problemsOfClusters(values, clusters, cluster, machine),
  ];
  if (needs.cluster && clusters.kind === 'one' && cluster.kind === 'none') problems.push(NO_CLUSTER);
  const unknown = unknownVariables(env);
  if (problems.length > 0) throw new ConfigError([...problems, ...unknown]);
  return {
    port: values.PORT,
    host: values.SHIPLOG_HOST,
    /** Undefined: no port of their own. */
    metricsPort: values.SHIPLOG_METRICS_PORT,
    publicUrl: values.SHIPLOG_PUBLIC_URL,
    /** The only ones that Shiplog reads; empty: all. */
    namespaces: values.SHIPLOG_NAMESPACES,
    masks: { names: values.SHIPLOG_MASK_NAMES, hidesEnv: values.SHIPLOG_MASK_ENV },
    readOnly: isReadOnly(values),
    ...personsOf(values),
    auth: authOf(values, clusters, cluster),
    /** Where tokens have the names of their person. */
    claims: { username: values.SHIPLOG_USERNAME_CLAIM, groups: values.SHIPLOG_GROUPS_CLAIM },
    /** They are believed about whose requests they forward. */
    trustedProxies: values.SHIPLOG_TRUSTED_PROXIES ?? [],
    /** Undefined: made from the key in the data directory. */
    sessionSecrets: values.SHIPLOG_SESSION_SECRET,
    dataDir: dataDirOf(values, env, machine),
    /** Of the archive; without it the archive is a file in the data directory. Holds a password. */
    databaseUrl: values.DATABASE_URL,
    /** Zero: without limit. */
    retention: { days: values.SHIPLOG_RETENTION_DAYS, perWorkload: values.SHIPLOG_RETENTION_COUNT },
    watchConfig: values.SHIPLOG_WATCH_CONFIG,
    writeRolloutHistory: values.SHIPLOG_WRITE_ROLLOUTHISTORY,
    /** Shiplog's own controllers that run against the cluster. */
    controllers: values.SHIPLOG_CONTROLLERS,
    leaseNamespace: values.SHIPLOG_LEASE_NAMESPACE,
    prometheusUrl: values.SHIPLOG_PROMETHEUS_URL,
    /** The only hosts that webhooks of OAM Rollouts can call. */
    oamWebhookHosts: values.SHIPLOG_OAM_WEBHOOK_HOSTS,
    clusters,
    /** None where the clusters are those of a file. */
    cluster,
    sandbox: isOwnSandbox(values, clusters, cluster),
    links: linksOf(values),
    argocd: argocdOf(values),
    compareEveryMs: values.SHIPLOG_COMPARE_SECONDS * 1_000,
    teamLabel: values.SHIPLOG_TEAM_LABEL,
    failureHours: values.SHIPLOG_FAILURE_HOURS,
    /** Unless the address of the page says otherwise. */
    reviewRules: values.SHIPLOG_REVIEW_RULES,
    /** Holds secrets. */
    webhooks: {
      targets: values.SHIPLOG_WEBHOOK_URL,
      secret: values.SHIPLOG_WEBHOOK_SECRET ?? null,
      events: values.SHIPLOG_WEBHOOK_EVENTS,
      namespaces: values.SHIPLOG_WEBHOOK_NAMESPACES,
    },
    logLevel: values.SHIPLOG_LOG_LEVEL,
    logFormat: values.SHIPLOG_LOG_FORMAT,
    /** Sentences about likely mistakes that are no reason to stop. */
    warnings: [...unknown, ...warningsOf(values, clusters, cluster)],
  };
}

/** Creates the data directory, for this user only. Throws ConfigError when it can't be used. */
export function prepareDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    if ((statSync(dataDir).mode & 0o077) !== 0) chmodSync(dataDir, 0o700);
    accessSync(dataDir, constants.W_OK);
  } catch (error) {
    const why = messageOf(error);
    throw new ConfigError([
      `The data directory ${dataDir} is not usable: ${why}. Set SHIPLOG_DATA_DIR to a folder that Shiplog can write to.`,
    ]);
  }
}

/** Names the variable, what is wrong, and what is expected; never contains a secret or a password in a URL. */
function problemOf({ code, path, message, input }: z.core.$ZodIssue, texts: Env): string {
  const [name = '', index] = path.map(String);
  const { expected, isSecret } = table[name] ?? {};
  const mustBe = `must be ${expected}.`;
  // Messages of our own say more than that the value is wrong.
  if (code === 'custom') return `${name} ${message}; it ${mustBe}`;
  if (isSecret)
    return index === undefined
      ? `${name} ${mustBe}`
      : `${name} has an invalid entry (number ${Number(index) + 1}); it ${mustBe}`;
  const value = index === undefined ? (texts[name] ?? '') : String(input);
  const shown = hideInText(value, commonNames, () => '[redacted]');
  return `${name} ${index === undefined ? 'is' : 'has'} "${shown}"; it ${mustBe}`;
}

/** What is wrong with valid values together. */
function* problemsAcross(
  values: Values,
  clusters: ClusterChoice,
  cluster: LocalSource,
  { exists }: Machine,
): Generator<string> {
  const { SHIPLOG_HOST: host } = values;
  if (values.SHIPLOG_AUTH === 'local' && !isLoopback(host))
    yield `SHIPLOG_HOST is ${host}, where others could use Shiplog with your permissions. Use 127.0.0.1, or set SHIPLOG_AUTH: to token, oidc, proxy-jwt or proxy-headers, so that people sign in, or to anonymous, which makes Shiplog read-only.`;
  for (const name of requiredBy[values.SHIPLOG_AUTH] ?? [])
    if (values[name] === undefined)
      yield `${name} is not set, and SHIPLOG_AUTH=${values.SHIPLOG_AUTH} needs it.`;
  yield* problemsOfIdentity(values, clusters, cluster);
  if (values.SHIPLOG_METRICS_PORT !== undefined && values.SHIPLOG_METRICS_PORT === values.PORT)
    yield `SHIPLOG_METRICS_PORT and PORT are both ${values.PORT}. Set another SHIPLOG_METRICS_PORT.`;
  if (isReadOnly(values)) {
    const why = values.SHIPLOG_READ_ONLY ? 'SHIPLOG_READ_ONLY is set' : 'SHIPLOG_AUTH is anonymous';
    const forbidden = `needs to write, but ${why}. Unset one of them.`;
    if (values.SHIPLOG_WRITE_ROLLOUTHISTORY) yield `SHIPLOG_WRITE_ROLLOUTHISTORY ${forbidden}`;
    if (values.SHIPLOG_CONTROLLERS.length > 0) yield `SHIPLOG_CONTROLLERS ${forbidden}`;
  }
  if (cluster.kind === 'kubeconfig' && !cluster.files.some(exists))
    yield `KUBECONFIG lists only files that do not exist: ${cluster.files.join(', ')}.`;
}

function* problemsOfIdentity(
  values: Values,
  clusters: ClusterChoice,
  cluster: LocalSource,
): Generator<string> {
  const { SHIPLOG_AUTH: mode } = values;
  const isOpen = mode === 'local' && !requiresKey(values, clusters, cluster);
  for (const name of isOpen ? [] : identityUrls[mode]) {
    const url = values[name];
    if (typeof url === 'string' && !isPrivateUrl(url))
      yield `${name} is an http URL, where others on the network could read what signs people in, or change it. Use https.`;
  }
  if (mode !== 'proxy-headers') return;
  const headers = proxyHeaders.map((name) => values[name].toLowerCase());
  if (new Set(headers).size < headers.length)
    yield `${proxyHeaders.join(', ')} must be three different headers.`;
}

function* problemsOfClusters(
  values: Values,
  clusters: ClusterChoice,
  cluster: LocalSource,
  { read }: Machine,
): Generator<string> {
  const { SHIPLOG_CONTEXT: context } = values;
  switch (clusters.kind) {
    case 'one':
      if (cluster.kind !== 'kubeconfig' && context !== undefined)
        yield `SHIPLOG_CONTEXT is "${context}", but there is no kubeconfig.`;
      return;
    case 'contexts':
      if (cluster.kind !== 'kubeconfig') yield 'SHIPLOG_CLUSTERS is contexts, but there is no kubeconfig.';
      return;
    case 'file':
      yield* problemsOfFile(clusters.path, entryDefaultsOf(values), read);
      return;
    default: {
      const unknown: never = clusters;
      return unknown;
    }
  }
}

function* problemsOfFile(path: string, defaults: EntryDefaults, read: Machine['read']): Generator<string> {
  try {
    parseClustersFile(read(path), dirname(path), defaults);
  } catch (error) {
    if (error instanceof ConfigError) yield* error.problems.map((problem) => `${path}: ${problem}`);
    else yield `SHIPLOG_CLUSTERS is ${path}, which cannot be read: ${messageOf(error)}.`;
  }
}

function* warningsOf(values: Values, clusters: ClusterChoice, cluster: LocalSource): Generator<string> {
  if (values.SHIPLOG_SANDBOX && !isOwnSandbox(values, clusters, cluster))
    yield `SHIPLOG_SANDBOX is ignored because ${clusters.kind === 'file' ? 'SHIPLOG_CLUSTERS' : 'KUBECONFIG'} names a cluster other than the sandbox of npm start.`;
  if (clusters.kind === 'file' && values.KUBECONFIG.length > 0)
    yield 'KUBECONFIG is ignored because SHIPLOG_CLUSTERS names a file.';
  if (clusters.kind !== 'one' && values.SHIPLOG_CONTEXT !== undefined)
    yield `SHIPLOG_CONTEXT is ignored because SHIPLOG_CLUSTERS ${clusters.kind === 'file' ? 'names a file' : 'is contexts'}.`;
  const { SHIPLOG_WEBHOOK_URL: targets, SHIPLOG_WEBHOOK_SECRET: secret } = values;
  if (targets.length === 0 && secret !== undefined)
    yield 'SHIPLOG_WEBHOOK_SECRET is set, but SHIPLOG_WEBHOOK_URL is not: no notifications are sent.';
  if (secret === undefined && targets.some(({ format }) => format === 'json'))
    yield 'SHIPLOG_WEBHOOK_SECRET is not set: receivers cannot verify that notifications come from Shiplog.';
  if (targets.length > 0 && values.SHIPLOG_PUBLIC_URL === undefined)
    yield 'SHIPLOG_PUBLIC_URL is not set: notifications do not link to their record.';
}

/** `npm start` reads SHIPLOG_SANDBOX_WEBHOOK_URL and the like for its sandbox. */
function unknownVariables(env: Env): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('SHIPLOG_') && table[name] === undefined)
    .filter((name) => table[name.replace(/^SHIPLOG_SANDBOX_/, 'SHIPLOG_')]?.isOutward !== true)
    .sort()
    .map((name) => `${name} is not a variable of Shiplog; check its spelling.`);
}

function thisMachine(env: Env): Machine {
  return { exists: existsSync, read: (path) => readFileSync(path, 'utf8'), home: env.HOME ?? homedir() };
}

function clustersOf({ SHIPLOG_CLUSTERS: value }: Values): ClusterChoice {
  if (value === undefined) return { kind: 'one' };
  return value === 'contexts' ? { kind: 'contexts' } : { kind: 'file', path: resolve(value) };
}

function isReadOnly({ SHIPLOG_READ_ONLY, SHIPLOG_AUTH }: Values): boolean {
  return SHIPLOG_READ_ONLY || SHIPLOG_AUTH === 'anonymous';
}

function authOf(values: Values, clusters: ClusterChoice, cluster: LocalSource): Auth {
  const { SHIPLOG_AUTH: mode, SHIPLOG_ANONYMOUS_LOGS: logs } = values;
  switch (mode) {
    case 'anonymous':
      return { mode, logs };
    case 'token':
      return { mode };
    case 'oidc':
      return {
        mode,
        issuer: required(values.SHIPLOG_OIDC_ISSUER),
        clientId: required(values.SHIPLOG_OIDC_CLIENT_ID),
        clientSecret: values.SHIPLOG_OIDC_CLIENT_SECRET,
        scopes: values.SHIPLOG_OIDC_SCOPES,
        publicUrl: required(values.SHIPLOG_PUBLIC_URL),
      };
    case 'proxy-jwt':
      return {
        mode,
        header: values.SHIPLOG_PROXY_JWT_HEADER,
        issuer: required(values.SHIPLOG_PROXY_JWT_ISSUER),
        audience: required(values.SHIPLOG_PROXY_JWT_AUDIENCE),
        keys: required(values.SHIPLOG_PROXY_JWT_KEYS),
      };
    case 'proxy-headers':
      return {
        mode,
        userHeader: values.SHIPLOG_PROXY_USER_HEADER,
        groupsHeader: values.SHIPLOG_PROXY_GROUPS_HEADER,
        secretHeader: values.SHIPLOG_PROXY_SECRET_HEADER,
        secret: required(values.SHIPLOG_PROXY_SECRET),
        trusted: required(values.SHIPLOG_TRUSTED_PROXIES),
      };
    case 'local':
      return { mode, requiresKey: requiresKey(values, clusters, cluster) };
    default: {
      const unknown: never = mode;
      return unknown;
    }
  }
}

/** Whether the user of this machine signs in with the local key. */
function requiresKey(values: Values, clusters: ClusterChoice, cluster: LocalSource): boolean {
  return values.SHIPLOG_LOCAL_KEY && !isOwnSandbox(values, clusters, cluster);
}

/** `problemsAcross` has named the variable if it is absent. */
function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('A required variable is absent.');
  return value;
}

function entryDefaultsOf(values: Values): EntryDefaults {
  const { SHIPLOG_NAMESPACES: namespaces } = values;
  return {
    stage: null,
    namespaces,
    readOnly: isReadOnly(values),
    ...personsOf(values),
    links: linksOf(values),
    argocd: argocdOf(values),
  };
}

/** Of clusters that state nothing else. */
function personsOf(values: Values): Pick<EntryDefaults, 'credential' | 'identity'> {
  const {
    SHIPLOG_CREDENTIAL: credential,
    SHIPLOG_USERNAME_PREFIX: usernamePrefix,
    SHIPLOG_GROUPS_PREFIX: groupsPrefix,
  } = values;
  return { credential, identity: { usernamePrefix, groupsPrefix } };
}

function clusterOf(values: Values, env: Env, { exists, home }: Machine): LocalSource {
  const context = values.SHIPLOG_CONTEXT === undefined ? {} : { context: values.SHIPLOG_CONTEXT };
  if (values.KUBECONFIG.length > 0) return { kind: 'kubeconfig', files: values.KUBECONFIG, ...context };
  const defaultFile = join(home, '.kube', 'config');
  if (exists(defaultFile)) return { kind: 'kubeconfig', files: [defaultFile], ...context };
  if (env.KUBERNETES_SERVICE_HOST !== undefined && exists(SERVICE_ACCOUNT_TOKEN))
    return { kind: 'in_cluster' };
  return { kind: 'none' };
}

/** `npm start` declares the clusters its sandboxes; the file that it wrote in their folder proves it. */
function isOwnSandbox(
  { SHIPLOG_SANDBOX, SHIPLOG_DATA_DIR }: Values,
  clusters: ClusterChoice,
  cluster: LocalSource,
): boolean {
  if (!SHIPLOG_SANDBOX || SHIPLOG_DATA_DIR === undefined) return false;
  const folder = resolve(SHIPLOG_DATA_DIR);
  if (clusters.kind === 'file') return clusters.path === clustersFileIn(folder);
  if (clusters.kind === 'contexts' || cluster.kind !== 'kubeconfig') return false;
  const [file, ...more] = cluster.files;
  return file !== undefined && more.length === 0 && resolve(file) === kubeconfigIn(folder);
}

function dataDirOf({ SHIPLOG_DATA_DIR }: Values, { XDG_DATA_HOME }: Env, { home }: Machine): string {
  if (SHIPLOG_DATA_DIR !== undefined) return resolve(SHIPLOG_DATA_DIR);
  // A relative one is invalid and to be ignored. https://specifications.freedesktop.org/basedir-spec/latest/
  const base =
    XDG_DATA_HOME !== undefined && isAbsolute(XDG_DATA_HOME) ? XDG_DATA_HOME : join(home, '.local', 'share');
  return join(base, 'shiplog');
}

function linksOf(values: Values): readonly LinkTemplate[] {
  return linkTemplates({
    logs: values.SHIPLOG_LINK_LOGS,
    metrics: values.SHIPLOG_LINK_METRICS,
    commit: values.SHIPLOG_LINK_COMMIT,
    argocd: values.SHIPLOG_LINK_ARGOCD,
  });
}

function argocdOf({ SHIPLOG_ARGOCD_NAMESPACES: namespaces }: Values): EntryDefaults['argocd'] {
  return { namespaces, name: null, cluster: null };
}
