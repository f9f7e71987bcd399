import { delimiter } from 'node:path';
import { z } from 'zod';
import { type Immutable } from '@/lib/immutable';
import { defaultReviewRules, parseReviewQuery, splitList } from '@/lib/records/review-rules';
import { logLevels } from '@/server/shared/log';
import { eventKinds, TARGETS_MAX, webhookTargets } from '@/server/shared/webhooks';

/** An environment variable: how its text is read, and what the documentation and the errors say of it. */
export interface Variable {
  /** Takes the text without spaces around it, or undefined where it is absent or empty. */
  readonly schema: z.ZodType;
  /** The end of a sentence that begins with "it must be". */
  readonly expected: string;
  /** For the documentation, in Markdown. */
  readonly meaning: string;
  /** What applies without it, where the schema has no default that says so. */
  readonly absent?: string;
  /** Its text may hold a credential and is never printed. */
  readonly isSecret?: true;
  /** It names the cluster, the archive or receivers of notifications; the sandbox has its own. */
  readonly isOutward?: true;
}

/** After a shift another person is on call, and a later revert mostly has another reason. */
const FAILURE_HOURS = 24;
/** An audit covers the last year; a template takes about 1 KB. */
const RETENTION_DAYS = 730;
const RETENTION_COUNT = 1000;
const SECRET_CHARS_MIN = 16;

const LABEL = /^([a-z0-9][-a-z0-9.]{0,252}\/)?[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/;
const NAMESPACE = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const REVIEW_RULES = 'namespace=shop,payments&team=checkout&only=failed&restarts=1&age=1h';
const linkPlaceholders = ['namespace', 'name', 'resource', 'revision', 'image', 'pod', 'tag'];
const placeholders = `{${linkPlaceholders.join('}, {')}}`;

const text = z.string();
const texts = text.transform(splitList);
const namespace = text.regex(NAMESPACE);
const flag = z.stringbool({ truthy: ['1', 'true', 'yes'], falsy: ['0', 'false', 'no'] }).default(false);
const wholeNumber = z.coerce.number().int();
const httpUrl = z.stringFormat('address', (value) => parseHttpUrl(value) !== undefined);
const reviewRules = text.transform((value, context) => {
  const rules = parseReviewQuery(value);
  if (typeof rules !== 'string') return rules;
  context.addIssue({ code: 'custom', message: `can't be used: ${rules}` });
  return z.NEVER;
});
const link = text.superRefine((template, context) => {
  const message = problemOfLink(template);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

const flagExpected = '1, or left out';
const namespacesExpected = 'a list of namespaces, comma separated';
const linkExpected = `an address that begins with http:// or https://, where ${placeholders} may stand after the host`;

/** In the order of the documentation. `KUBERNETES_SERVICE_HOST`, `XDG_DATA_HOME` and proxies follow their own standards. */
export const variables = {
  KUBECONFIG: {
    schema: text.transform((files) => files.split(delimiter).filter((file) => file !== '')).default([]),
    expected: 'paths of kubeconfig files',
    meaning: 'kubeconfig files; in a pod, the service account',
    absent: '`~/.kube/config`',
    isOutward: true,
  },
  SHIPLOG_CONTEXT: {
    schema: text.optional(),
    expected: 'a context of the kubeconfig',
    meaning: 'context of the kubeconfig',
    absent: 'the current one',
    isOutward: true,
  },
  PORT: {
    schema: wholeNumber.min(0).max(65_535).default(8440),
    expected: 'a port between 0 and 65535',
    meaning: 'port to listen on',
  },
  SHIPLOG_HOST: {
    schema: text.transform((host) => host.replace(/^\[(.*)\]$/, '$1')).default('127.0.0.1'),
    expected: 'an address of this machine',
    meaning: 'address to listen on. One that others can reach needs `SHIPLOG_ALLOW_ANONYMOUS=1`',
  },
  SHIPLOG_ALLOW_ANONYMOUS: {
    schema: flag,
    expected: flagExpected,
    meaning:
      "`1`: anyone who reaches Shiplog sees, without signing in, what the kubeconfig's user is allowed to read: workloads, pods, events, templates with credentials masked, records and comments. Nothing can be written, neither to the cluster nor to the archive",
  },
  SHIPLOG_ANONYMOUS_LOGS: {
    schema: flag,
    expected: flagExpected,
    meaning: '`1`: they also see the last log lines of pods',
  },
  SHIPLOG_PUBLIC_URL: {
    schema: z
      .stringFormat('origin', isOrigin)
      .transform((value) => new URL(value).origin)
      .optional(),
    expected: 'like https://shiplog.example, without a path',
    meaning: 'address in browsers, where a proxy is in front of Shiplog; notifications link to it',
  },
  SHIPLOG_NAMESPACES: {
    schema: texts.pipe(z.array(namespace)).default([]),
    expected: namespacesExpected,
    meaning:
      'the only namespaces that Shiplog reads, comma separated; what the archive has of others is not shown either',
    absent: 'all',
    isOutward: true,
  },
  SHIPLOG_MASK_NAMES: {
    schema: texts.pipe(z.array(text.regex(/^[\w.-]{2,100}$/))).default([]),
    expected:
      'a list of parts of names, comma separated, each of two or more letters, digits, "_", "." or "-"',
    meaning:
      'your own words for credentials, comma separated: `acme_pass` masks `ACME_PASS` and `DB_ACME_PASS_2`',
  },
  SHIPLOG_MASK_ENV: {
    schema: z
      .literal('all')
      .transform(() => true)
      .default(false),
    expected: 'all, or left out',
    meaning: '`all`: no value of an environment variable is ever shown, only that it changed',
  },
  SHIPLOG_READ_ONLY: {
    schema: flag,
    expected: flagExpected,
    meaning:
      '`1`: nothing is ever written to the cluster, not even a dry run, and verdicts, comments and pins are rejected',
  },
  SHIPLOG_DATA_DIR: {
    schema: text.optional(),
    expected: 'a folder',
    meaning: 'folder of the key, the audit file and the archive, mode 0700',
    absent: '`$XDG_DATA_HOME/shiplog`, or `~/.local/share/shiplog`',
  },
  DATABASE_URL: {
    schema: z.stringFormat('address', (value) => /^postgres(ql)?:$/.test(protocolOf(value))).optional(),
    expected: 'like postgres://user:password@host:5432/shiplog',
    meaning:
      'keeps the archive in PostgreSQL 14 or newer, `postgres://user:password@host/database`; over a network add `?sslmode=verify-full`, or nothing is encrypted',
    absent: 'a file in the data directory',
    isSecret: true,
    isOutward: true,
  },
  SHIPLOG_RETENTION_DAYS: {
    schema: wholeNumber.min(0).default(RETENTION_DAYS),
    expected: 'a whole number of days, 0 for no limit',
    meaning:
      'how long the archive keeps templates and pod series after the cluster has pruned them; `0`: without limit. Records, summaries, reviews and comments stay in any case, and so do templates of rollouts that were pinned, reviewed or commented on. Nothing expires while the clocks of this machine and of the API server differ by more than an hour',
  },
  SHIPLOG_RETENTION_COUNT: {
    schema: wholeNumber.min(0).default(RETENTION_COUNT),
    expected: 'a whole number of revisions, 0 for no limit',
    meaning: "of how many of each workload's latest revisions and rollouts; `0`: of all",
  },
  SHIPLOG_WATCH_CONFIG: {
    schema: flag,
    expected: flagExpected,
    meaning:
      '`1`: records name changes of the ConfigMaps and Secrets that a template refers to, and what changed them; only their metadata is read',
    isOutward: true,
  },
  SHIPLOG_WRITE_ROLLOUTHISTORY: {
    schema: flag,
    expected: flagExpected,
    meaning:
      '`1`: each rollout that has ended is written to the cluster as a RolloutHistory of OpenKruise, the latest 20 of each workload, with values that resemble credentials masked; older ones that this Shiplog wrote are deleted',
    isOutward: true,
  },
  SHIPLOG_CONTROLLERS: {
    schema: texts.pipe(z.array(z.enum(['oam-rollout']))).default([]),
    expected: 'oam-rollout, or left out',
    meaning:
      '`oam-rollout`: [rolls in batches](oam-rollout.md) what Rollouts of OAM with the label of Shiplog request',
    absent: 'none',
    isOutward: true,
  },
  SHIPLOG_LEASE_NAMESPACE: {
    schema: namespace.default('default'),
    expected: 'the name of a namespace',
    meaning: 'namespace of the Lease by which one of several processes runs these controllers',
    isOutward: true,
  },
  SHIPLOG_PROMETHEUS_URL: {
    schema: httpUrl.optional(),
    expected: 'like http://prometheus.monitoring:9090',
    meaning: 'the Prometheus that these controllers query for metrics',
    isSecret: true,
    isOutward: true,
  },
  SHIPLOG_LINK_LOGS: {
    schema: link.optional(),
    expected: linkExpected,
    meaning:
      'link from each workload, or pod where `{pod}` occurs, to its logs, for example `https://logs.example.com/?ns={namespace}&pod={pod}`',
  },
  SHIPLOG_LINK_METRICS: {
    schema: link.optional(),
    expected: linkExpected,
    meaning: 'the same, to its metrics',
  },
  SHIPLOG_LINK_COMMIT: {
    schema: link.optional(),
    expected: linkExpected,
    meaning: `the same, to the commit of its image; placeholders are ${linkPlaceholders.map((name) => `\`{${name}}\``).join(', ')}`,
  },
  SHIPLOG_COMPARE_SECONDS: {
    schema: wholeNumber.min(1).max(86_400).default(600),
    expected: 'seconds between 1 and 86400',
    meaning:
      "how often the objects in memory are compared with the API server's own lists (names and versions only), in case an event was lost",
  },
  SHIPLOG_TEAM_LABEL: {
    schema: text.regex(LABEL).default('app.kubernetes.io/part-of'),
    expected: 'the name of a label',
    meaning: 'label of a workload whose value is its team, for the report',
  },
  SHIPLOG_FAILURE_HOURS: {
    schema: wholeNumber.min(1).max(8_760).default(FAILURE_HOURS),
    expected: 'hours between 1 and 8760',
    meaning: 'how soon after its completion a rollout must be reverted to count as a failed change',
  },
  SHIPLOG_REVIEW_RULES: {
    schema: reviewRules.default(defaultReviewRules),
    expected: `like ${REVIEW_RULES}`,
    meaning: `what waits for a verdict on the page Review, written as in its address: \`${REVIEW_RULES}\`; \`only\` is \`all\`, \`failed\` or \`rollbacks\`, \`restarts=1\` includes restarts that completed, \`age\` is how long ago a rollout must have ended`,
    absent: 'every rollout that ended and was observed, without restarts that completed',
  },
  SHIPLOG_WEBHOOK_URL: {
    schema: texts.pipe(webhookTargets).default([]),
    expected: `a list of at most ${TARGETS_MAX} addresses like https://host/path or slack+https://host/path, comma separated`,
    meaning: `receivers of [notifications](notifications.md), at most ${TARGETS_MAX}, comma separated; one after \`slack+\` gets the text alone. With a name, \`oncall=https://…\`, an address can be replaced: what waits goes to the new one`,
    absent: 'none',
    isSecret: true,
    isOutward: true,
  },
  SHIPLOG_WEBHOOK_SECRET: {
    schema: text.min(SECRET_CHARS_MIN).optional(),
    expected: `at least ${SECRET_CHARS_MIN} characters, such as those of: openssl rand -hex 32`,
    meaning: `signs what is sent, at least ${SECRET_CHARS_MIN} characters`,
    absent: 'no signature',
    isSecret: true,
    isOutward: true,
  },
  SHIPLOG_WEBHOOK_EVENTS: {
    schema: texts.pipe(z.array(z.enum(eventKinds))).default([...eventKinds]),
    expected: `a list of events, comma separated: ${eventKinds.join(', ')}`,
    meaning: `events to notify about, comma separated: ${eventKinds.map((kind) => `\`${kind}\``).join(', ')}`,
    absent: 'all',
    isOutward: true,
  },
  SHIPLOG_WEBHOOK_NAMESPACES: {
    schema: texts.pipe(z.array(namespace)).default([]),
    expected: namespacesExpected,
    meaning: 'namespaces to notify about, comma separated',
    absent: 'all',
    isOutward: true,
  },
  SHIPLOG_SANDBOX: {
    schema: flag,
    expected: flagExpected,
    meaning: '`1`: the cluster is the sandbox, and every page says so; set by `npm start` itself',
  },
  SHIPLOG_LOG_LEVEL: {
    schema: text.toLowerCase().pipe(z.enum(logLevels)).default('info'),
    expected: `one of ${logLevels.join(', ')}`,
    meaning: '`debug`, `info`, `warn` or `error`',
  },
} satisfies Record<string, Variable>;

/** What the variables say, and what applies without them. */
export type Values = {
  readonly [Name in keyof typeof variables]: Immutable<z.output<(typeof variables)[Name]['schema']>>;
};

function parseHttpUrl(value: string): URL | undefined {
  const url = URL.parse(value) ?? undefined;
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}

function protocolOf(value: string): string {
  return URL.parse(value)?.protocol ?? '';
}

function isOrigin(value: string): boolean {
  const url = parseHttpUrl(value);
  return (
    url !== undefined && url.pathname === '/' && url.search === '' && url.hash === '' && url.username === ''
  );
}

/** Where a link leads must not follow from the names of objects in the cluster. */
function problemOfLink(template: string): string | undefined {
  const unknown = [...template.matchAll(/\{([^}]*)\}/g)].find(
    ([, name = '']) => !linkPlaceholders.includes(name),
  );
  if (unknown !== undefined) return `has an unknown placeholder ${unknown[0]}`;
  const start = template.split(/(?<!\/)\/(?!\/)|[?#]/, 1)[0] ?? '';
  if (start.includes('{')) return 'has a placeholder in its scheme or host';
  return parseHttpUrl(template) === undefined ? 'is no such address' : undefined;
}
