import { kubeconfigIn } from '@/server/shared/sandbox-folder';
import { chmodSync, constants, accessSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';
import { parseReviewQuery, type ReviewRules } from '@/lib/records/review-rules';
import { type MaskRules } from '@/server/shared/keys';
import { type LogLevel, logLevels } from '@/server/shared/log';
import {
  parseEvents,
  parseTargets,
  problemOfSecret,
  type Webhooks,
  eventKinds,
} from '@/server/shared/webhooks';
import { ConfigError } from '@/server/shared/config-error';
import { messageOf } from '@/lib/errors';

/** The source of the cluster's address and credentials. */
export type ClusterSource =
  | { readonly kind: 'kubeconfig'; readonly files: readonly string[]; readonly context?: string }
  | { readonly kind: 'in_cluster' }
  | { readonly kind: 'none' };

const controllerNames = ['oam-rollout'] as const;
type ControllerName = (typeof controllerNames)[number];

/** A link that the operator adds to a workload or pod; `url` has `{placeholders}`, see `linkPlaceholders`. */
export interface LinkTemplate {
  readonly label: string;
  readonly url: string;
}

export interface Config {
  readonly port: number;
  /** Address to listen on. */
  readonly host: string;
  /** Origin under which browsers reach Shiplog, besides the loopback names. */
  readonly publicUrl: string | undefined;
  /** The only namespaces that Shiplog reads; empty: all. */
  readonly namespaces: readonly string[];
  /** What is masked besides the common credentials. */
  readonly masks: MaskRules;
  readonly readOnly: boolean;
  /**
   * Whether everyone who reaches Shiplog can view; `logs`: also the logs of pods. Null: only this machine's
   * user.
   */
  readonly anonymous: { readonly logs: boolean } | null;
  readonly dataDir: string;
  /** PostgreSQL for the archive; without it the archive is a file in the data directory. Holds a password. */
  readonly databaseUrl: string | undefined;
  /** How long the archive keeps templates and pod series; zero: without limit. */
  readonly retention: {
    readonly days: number;
    /** Of each workload, the latest. */
    readonly perWorkload: number;
  };
  /** Whether records name changes of the ConfigMaps and Secrets that a template refers to. */
  readonly watchConfig: boolean;
  /** Whether each completed rollout is written into the cluster as a RolloutHistory. */
  readonly writeRolloutHistory: boolean;
  /** Shiplog's own controllers that run against the cluster; none by default. */
  readonly controllers: readonly ControllerName[];
  /** The namespace of the Lease that elects one of several processes. */
  readonly leaseNamespace: string;
  /** The Prometheus that controllers query for metrics. */
  readonly prometheusUrl: string | undefined;
  readonly cluster: ClusterSource;
  /** Whether the cluster is the sandbox of `npm start`; every page shows that. */
  readonly sandbox: boolean;
  readonly links: readonly LinkTemplate[];
  /** How often the stores are compared with the API server's own lists, in case an event was lost. */
  readonly compareEveryMs: number;
  /** The label of a workload whose value is its team, for the report. */
  readonly teamLabel: string;
  /** How soon a completed rollout must be reverted to count as a failed change. */
  readonly failureHours: number;
  /** The rollouts that need a verdict, unless the address of the page says otherwise. */
  readonly reviewRules: ReviewRules;
  /** The receivers of notifications of rollouts and verdicts. Holds secrets. */
  readonly webhooks: Webhooks;
  readonly logLevel: LogLevel;
  /** Sentences about likely mistakes that are no reason to stop. */
  readonly warnings: readonly string[];
}

const linkPlaceholders = ['namespace', 'name', 'resource', 'revision', 'image', 'pod', 'tag'] as const;

type Env = Readonly<Record<string, string | undefined>>;

/** The environment; replaced in tests. */
export interface Machine {
  readonly exists: (path: string) => boolean;
  readonly home: string;
}

const DEFAULT_PORT = 8440;

/** An audit covers the last year; a template takes about 1 KB. */
const RETENTION_DAYS = 730;
const RETENTION_COUNT = 1000;
const COMPARE_EVERY_SECONDS = 600;
const SERVICE_ACCOUNT_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';
/** After a shift another person is on call, and a later revert mostly has another reason. */
const FAILURE_HOURS = 24;
const FAILURE_HOURS_MAX = 8_760;
const DEFAULT_TEAM_LABEL = 'app.kubernetes.io/part-of';
const DEFAULT_LEASE_NAMESPACE = 'default';
const LABEL = /^([a-z0-9][-a-z0-9.]{0,252}\/)?[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/;
const NAMESPACE = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

const text = z
  .string()
  .optional()
  .transform((value) => (value?.trim() === '' ? undefined : value?.trim()));

const flag = text.transform((value, context) => {
  if (value === undefined || /^(0|false|no)$/i.test(value)) return false;
  if (/^(1|true|yes)$/i.test(value)) return true;
  context.addIssue({ code: 'custom', message: `is "${value}"; set it to 1, or leave it out` });
  return z.NEVER;
});

const port = text.transform((value, context) => {
  const number = value === undefined ? DEFAULT_PORT : Number(value);
  if (Number.isInteger(number) && number >= 0 && number <= 65_535) return number;
  context.addIssue({ code: 'custom', message: `is "${value}"; it must be a port between 0 and 65535` });
  return z.NEVER;
});

const origin = text.transform((value, context) => {
  if (value === undefined) return undefined;
  const url = parseHttpUrl(value);
  if (
    url !== undefined &&
    url.pathname === '/' &&
    url.search === '' &&
    url.hash === '' &&
    url.username === ''
  ) {
    return url.origin;
  }
  context.addIssue({
    code: 'custom',
    message: `is "${value}"; it must be like https://shiplog.example, without a path`,
  });
  return z.NEVER;
});

const namespaces = text.transform((value, context) => {
  const names = [...new Set((value ?? '').split(',').map((name) => name.trim()))].filter(
    (name) => name !== '',
  );
  const wrong = names.filter((name) => !NAMESPACE.test(name));
  if (wrong.length === 0) return names;
  context.addIssue({ code: 'custom', message: `names what can't be a namespace: ${wrong.join(', ')}` });
  return z.NEVER;
});

const maskNames = text.transform((value, context) => {
  const names = [...new Set((value ?? '').split(',').map((name) => name.trim()))].filter(Boolean);
  const wrong = names.filter((name) => !/^[\w.-]{2,100}$/.test(name));
  if (wrong.length === 0) return names;
  context.addIssue({ code: 'custom', message: `names what can't be part of a name: ${wrong.join(', ')}` });
  return z.NEVER;
});

const maskEnv = text.transform((value, context) => {
  if (value === undefined || value === '' || value === 'all') return value === 'all';
  context.addIssue({ code: 'custom', message: 'must be all, or left out' });
  return z.NEVER;
});

const controllers = text.transform((value, context) => {
  const names = [...new Set((value ?? '').split(',').map((name) => name.trim()))].filter(
    (name) => name !== '',
  );
  const known = controllerNames.filter((name) => names.includes(name));
  if (known.length === names.length) return known;
  context.addIssue({ code: 'custom', message: `is "${value}"; it may name ${controllerNames.join(', ')}` });
  return z.NEVER;
});

const leaseNamespace = text.transform((value, context) => {
  if (value === undefined || NAMESPACE.test(value)) return value ?? DEFAULT_LEASE_NAMESPACE;
  context.addIssue({ code: 'custom', message: `is "${value}"; it must be the name of a namespace` });
  return z.NEVER;
});

const prometheusUrl = text.transform((value, context) => {
  if (value === undefined || parseHttpUrl(value) !== undefined) return value;
  // Not quoted: it may hold a password.
  context.addIssue({ code: 'custom', message: 'must be like http://prometheus.monitoring:9090' });
  return z.NEVER;
});

const compareSeconds = text.transform((value, context) => {
  const seconds = value === undefined ? COMPARE_EVERY_SECONDS : Number(value);
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= 86_400) return seconds;
  context.addIssue({ code: 'custom', message: `is "${value}"; it must be seconds between 1 and 86400` });
  return z.NEVER;
});

const teamLabel = text.transform((value, context) => {
  const label = value ?? DEFAULT_TEAM_LABEL;
  if (LABEL.test(label)) return label;
  context.addIssue({ code: 'custom', message: `is "${label}"; it must be the name of a label` });
  return z.NEVER;
});

const failureHours = text.transform((value, context) => {
  const hours = value === undefined ? FAILURE_HOURS : Number(value);
  if (Number.isInteger(hours) && hours >= 1 && hours <= FAILURE_HOURS_MAX) return hours;
  context.addIssue({
    code: 'custom',
    message: `is "${value}"; it must be hours between 1 and ${FAILURE_HOURS_MAX}`,
  });
  return z.NEVER;
});

const reviewRules = text.transform((value, context) => {
  const rules = parseReviewQuery(value ?? '');
  if (typeof rules !== 'string') return rules;
  context.addIssue({
    code: 'custom',
    message: `can't be used: ${rules}; it is like namespace=shop,payments&only=failed&age=1h`,
  });
  return z.NEVER;
});

const logLevel = text.transform((value, context) => {
  const level = logLevels.find((known) => known === (value ?? 'info').toLowerCase());
  if (level !== undefined) return level;
  context.addIssue({ code: 'custom', message: `is "${value}"; it must be one of ${logLevels.join(', ')}` });
  return z.NEVER;
});

const databaseUrl = text.transform((value, context) => {
  if (value === undefined || /^postgres(ql)?:$/.test(URL.parse(value)?.protocol ?? '')) return value;
  // Not quoted: it may hold a password.
  context.addIssue({ code: 'custom', message: 'must be like postgres://user:password@host:5432/shiplog' });
  return z.NEVER;
});

function wholeNumber(defaultValue: number) {
  return text.transform((value, context) => {
    const number = value === undefined ? defaultValue : Number(value);
    if (Number.isSafeInteger(number) && number >= 0) return number;
    context.addIssue({ code: 'custom', message: `is "${value}"; it must be a whole number, 0 for no limit` });
    return z.NEVER;
  });
}

/** A problem that `parse` reports is the end of a sentence without the value, which may be a secret. */
function parsed<Value extends object>(parse: (value: string) => Value | string, absent: Value) {
  return text.transform((value, context) => {
    const result = value === undefined ? absent : parse(value);
    if (typeof result !== 'string') return result;
    context.addIssue({ code: 'custom', message: result });
    return z.NEVER;
  });
}

const webhookSecret = text.transform((value, context) => {
  const problem = value === undefined ? undefined : problemOfSecret(value);
  if (problem === undefined) return value;
  context.addIssue({ code: 'custom', message: problem });
  return z.NEVER;
});

const linkUrl = text.transform((value, context) => {
  if (value === undefined) return undefined;
  const problem = problemOfLink(value);
  if (problem === undefined) return value;
  context.addIssue({ code: 'custom', message: problem });
  return z.NEVER;
});

const variables = {
  PORT: port,
  KUBECONFIG: text,
  SHIPLOG_HOST: text.transform((value) => value?.replace(/^\[(.*)\]$/, '$1') ?? '127.0.0.1'),
  SHIPLOG_PUBLIC_URL: origin,
  SHIPLOG_CONTEXT: text,
  SHIPLOG_NAMESPACES: namespaces,
  SHIPLOG_MASK_NAMES: maskNames,
  SHIPLOG_MASK_ENV: maskEnv,
  SHIPLOG_READ_ONLY: flag,
  SHIPLOG_ALLOW_ANONYMOUS: flag,
  SHIPLOG_ANONYMOUS_LOGS: flag,
  SHIPLOG_DATA_DIR: text,
  DATABASE_URL: databaseUrl,
  SHIPLOG_RETENTION_DAYS: wholeNumber(RETENTION_DAYS),
  SHIPLOG_RETENTION_COUNT: wholeNumber(RETENTION_COUNT),
  SHIPLOG_WATCH_CONFIG: flag,
  SHIPLOG_WRITE_ROLLOUTHISTORY: flag,
  SHIPLOG_CONTROLLERS: controllers,
  SHIPLOG_LEASE_NAMESPACE: leaseNamespace,
  SHIPLOG_PROMETHEUS_URL: prometheusUrl,
  SHIPLOG_SANDBOX: flag,
  SHIPLOG_COMPARE_SECONDS: compareSeconds,
  SHIPLOG_TEAM_LABEL: teamLabel,
  SHIPLOG_FAILURE_HOURS: failureHours,
  SHIPLOG_REVIEW_RULES: reviewRules,
  SHIPLOG_WEBHOOK_URL: parsed(parseTargets, []),
  SHIPLOG_WEBHOOK_SECRET: webhookSecret,
  SHIPLOG_WEBHOOK_EVENTS: parsed(parseEvents, [...eventKinds]),
  SHIPLOG_WEBHOOK_NAMESPACES: namespaces,
  SHIPLOG_LOG_LEVEL: logLevel,
  SHIPLOG_LINK_LOGS: linkUrl,
  SHIPLOG_LINK_METRICS: linkUrl,
  SHIPLOG_LINK_COMMIT: linkUrl,
};
const schema = z.object(variables);
type Values = z.infer<typeof schema>;

/**
 * The configuration of this process. It ignores HOSTNAME, which containers set to their own name. Throws one
 * ConfigError that lists every problem.
 */
export function readConfig(env: Env, machine: Machine = thisMachine(env)): Config {
  const parsed = schema.safeParse(env);
  const issues = parsed.error?.issues ?? [];
  // The remaining checks ignore an invalid value, so that all problems are reported at once.
  const wrong = new Set(issues.map((issue) => issue.path[0]));
  const rest = Object.fromEntries(Object.entries(env).filter(([name]) => !wrong.has(name)));
  const values = parsed.data ?? schema.parse(rest);
  const cluster = clusterOf(values, env, machine);
  const problems = [
    ...issues.map((issue) => `${issue.path.join('.')} ${issue.message}.`),
    ...problemsOfHost(values),
    ...problemsOfWriting(values),
    ...problemsOfCluster(values, cluster, machine),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    port: values.PORT,
    host: values.SHIPLOG_HOST,
    publicUrl: values.SHIPLOG_PUBLIC_URL,
    namespaces: values.SHIPLOG_NAMESPACES,
    masks: { names: values.SHIPLOG_MASK_NAMES, hidesEnv: values.SHIPLOG_MASK_ENV },
    readOnly: values.SHIPLOG_READ_ONLY || values.SHIPLOG_ALLOW_ANONYMOUS,
    anonymous: values.SHIPLOG_ALLOW_ANONYMOUS ? { logs: values.SHIPLOG_ANONYMOUS_LOGS } : null,
    dataDir: dataDirOf(values, env, machine),
    databaseUrl: values.DATABASE_URL,
    retention: { days: values.SHIPLOG_RETENTION_DAYS, perWorkload: values.SHIPLOG_RETENTION_COUNT },
    watchConfig: values.SHIPLOG_WATCH_CONFIG,
    writeRolloutHistory: values.SHIPLOG_WRITE_ROLLOUTHISTORY,
    controllers: values.SHIPLOG_CONTROLLERS,
    leaseNamespace: values.SHIPLOG_LEASE_NAMESPACE,
    prometheusUrl: values.SHIPLOG_PROMETHEUS_URL,
    cluster,
    sandbox: isOwnSandbox(values, cluster),
    links: linksOf(values),
    compareEveryMs: values.SHIPLOG_COMPARE_SECONDS * 1_000,
    teamLabel: values.SHIPLOG_TEAM_LABEL,
    failureHours: values.SHIPLOG_FAILURE_HOURS,
    reviewRules: values.SHIPLOG_REVIEW_RULES,
    webhooks: webhooksOf(values),
    logLevel: values.SHIPLOG_LOG_LEVEL,
    warnings: [...warningsOf(env), ...sandboxWarnings(values, cluster), ...webhookWarnings(values)],
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
    throw new ConfigError([`The data directory ${dataDir} can't be used: ${why}. Set SHIPLOG_DATA_DIR.`]);
  }
}

function thisMachine(env: Env): Machine {
  return { exists: existsSync, home: env.HOME ?? homedir() };
}

function clusterOf(values: Values, env: Env, { exists, home }: Machine): ClusterSource {
  const context = values.SHIPLOG_CONTEXT === undefined ? {} : { context: values.SHIPLOG_CONTEXT };
  const kubeconfigFiles = (values.KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '');
  if (kubeconfigFiles.length > 0) return { kind: 'kubeconfig', files: kubeconfigFiles, ...context };
  const defaultValue = join(home, '.kube', 'config');
  if (exists(defaultValue)) return { kind: 'kubeconfig', files: [defaultValue], ...context };
  if (env.KUBERNETES_SERVICE_HOST !== undefined && exists(SERVICE_ACCOUNT_TOKEN))
    return { kind: 'in_cluster' };
  return { kind: 'none' };
}

/** `npm start` declares the cluster its sandbox; the kubeconfig that it wrote there proves it. */
function isOwnSandbox({ SHIPLOG_SANDBOX, SHIPLOG_DATA_DIR }: Values, cluster: ClusterSource): boolean {
  if (!SHIPLOG_SANDBOX || SHIPLOG_DATA_DIR === undefined || cluster.kind !== 'kubeconfig') return false;
  const [file, ...more] = cluster.files;
  return file !== undefined && more.length === 0 && resolve(file) === kubeconfigIn(resolve(SHIPLOG_DATA_DIR));
}

function sandboxWarnings(values: Values, cluster: ClusterSource): string[] {
  if (!values.SHIPLOG_SANDBOX || isOwnSandbox(values, cluster)) return [];
  return [
    'SHIPLOG_SANDBOX is for the sandbox that npm start brings. KUBECONFIG names another cluster, so it is shown as a real one.',
  ];
}

function problemsOfCluster(
  { SHIPLOG_CONTEXT }: Values,
  cluster: ClusterSource,
  { exists }: Machine,
): string[] {
  if (cluster.kind === 'kubeconfig') {
    const missing = cluster.files.every((file) => !exists(file));
    return missing ? [`KUBECONFIG names no file that exists: ${cluster.files.join(', ')}.`] : [];
  }
  return SHIPLOG_CONTEXT === undefined
    ? []
    : [`SHIPLOG_CONTEXT is "${SHIPLOG_CONTEXT}", but there is no kubeconfig to look it up in.`];
}

function problemsOfHost({ SHIPLOG_HOST, SHIPLOG_ALLOW_ANONYMOUS }: Values): string[] {
  if (SHIPLOG_ALLOW_ANONYMOUS || isLoopback(SHIPLOG_HOST)) return [];
  return [
    `SHIPLOG_HOST is ${SHIPLOG_HOST}, where others could use Shiplog with your rights. Leave it at 127.0.0.1, or set SHIPLOG_ALLOW_ANONYMOUS=1, which makes Shiplog read-only.`,
  ];
}

function problemsOfWriting(values: Values): string[] {
  const { SHIPLOG_READ_ONLY, SHIPLOG_ALLOW_ANONYMOUS } = values;
  if (!SHIPLOG_READ_ONLY && !SHIPLOG_ALLOW_ANONYMOUS) return [];
  const why = SHIPLOG_READ_ONLY ? 'SHIPLOG_READ_ONLY' : 'SHIPLOG_ALLOW_ANONYMOUS';
  const writing = [
    ...(values.SHIPLOG_WRITE_ROLLOUTHISTORY ? ['SHIPLOG_WRITE_ROLLOUTHISTORY'] : []),
    ...(values.SHIPLOG_CONTROLLERS.length > 0 ? ['SHIPLOG_CONTROLLERS'] : []),
  ];
  return writing.map((name) => `${name} asks for writes, and ${why} forbids them. Leave one of them out.`);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

function dataDirOf({ SHIPLOG_DATA_DIR }: Values, { XDG_DATA_HOME }: Env, { home }: Machine): string {
  if (SHIPLOG_DATA_DIR !== undefined) return resolve(SHIPLOG_DATA_DIR);
  // A relative one is invalid and to be ignored. https://specifications.freedesktop.org/basedir-spec/latest/
  const base =
    XDG_DATA_HOME !== undefined && isAbsolute(XDG_DATA_HOME) ? XDG_DATA_HOME : join(home, '.local', 'share');
  return join(base, 'shiplog');
}

function linksOf(values: Values): LinkTemplate[] {
  const links = [
    { label: 'Logs', url: values.SHIPLOG_LINK_LOGS },
    { label: 'Metrics', url: values.SHIPLOG_LINK_METRICS },
    { label: 'Commit', url: values.SHIPLOG_LINK_COMMIT },
  ];
  return links.flatMap(({ label, url }) => (url === undefined ? [] : [{ label, url }]));
}

function webhooksOf(values: Values): Webhooks {
  return {
    targets: values.SHIPLOG_WEBHOOK_URL,
    secret: values.SHIPLOG_WEBHOOK_SECRET ?? null,
    events: values.SHIPLOG_WEBHOOK_EVENTS,
    namespaces: values.SHIPLOG_WEBHOOK_NAMESPACES,
  };
}

function webhookWarnings(values: Values): string[] {
  const { SHIPLOG_WEBHOOK_URL: targets, SHIPLOG_WEBHOOK_SECRET: secret } = values;
  if (targets.length === 0)
    return secret === undefined
      ? []
      : ['SHIPLOG_WEBHOOK_SECRET is set, but without SHIPLOG_WEBHOOK_URL nobody is notified.'];
  const isUnsigned = secret === undefined && targets.some(({ format }) => format === 'json');
  return [
    ...(isUnsigned
      ? ["SHIPLOG_WEBHOOK_SECRET is not set: receivers of notifications can't tell that Shiplog sent them."]
      : []),
    ...(values.SHIPLOG_PUBLIC_URL === undefined
      ? ['SHIPLOG_PUBLIC_URL is not set: notifications have no link to their record.']
      : []),
  ];
}

function problemOfLink(template: string): string | undefined {
  const known = `{${linkPlaceholders.join('}, {')}}`;
  const unknown = [...template.matchAll(/\{([^}]*)\}/g)].find(
    ([, name]) => !linkPlaceholders.some((placeholder) => placeholder === name),
  );
  if (unknown !== undefined) return `has a placeholder ${unknown[0]}; there are ${known}`;
  const start = template.split(/(?<!\/)\/(?!\/)|[?#]/, 1)[0] ?? '';
  if (start.includes('{')) return 'has a placeholder in its scheme or host; where a link leads is fixed';
  return parseHttpUrl(template) === undefined
    ? 'must be an address that begins with http:// or https://'
    : undefined;
}

function parseHttpUrl(value: string): URL | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}

/** The variables that `npm start` sets for its sandbox alone. */
const SANDBOX_PREFIX = /^SHIPLOG_SANDBOX_/;

function warningsOf(env: Env): string[] {
  return Object.keys(env)
    .filter(
      (name) =>
        name.startsWith('SHIPLOG_') && !Object.hasOwn(variables, name.replace(SANDBOX_PREFIX, 'SHIPLOG_')),
    )
    .sort()
    .map((name) => `${name} is set, but Shiplog knows no such variable; check its spelling.`);
}
