import { delimiter } from 'node:path';
import { z } from 'zod';
import { authModes } from '@/lib/api/session';
import type { Immutable } from '@/lib/immutable';
import { defaultReviewRules, parseReviewQuery, splitList } from '@/lib/records/review-rules';
import { personCredentials } from '@/server/shared/cluster-entry';
import { AddressRanges, isRange } from '@/server/shared/address-ranges';
import { logFormats, logLevels } from '@/server/shared/log';
import { eventKinds, TARGETS_MAX, webhookTargets } from '@/server/shared/webhooks';

/** Headings of docs/configuration.md, in their order. */
export const sections = [
  'Cluster',
  'Server',
  'Sign-in',
  'Sensitive values',
  'Archive',
  'Pages',
  'Notifications',
  'Optional features',
] as const;

/** An environment variable: how its text is read, and what the documentation and the errors say of it. */
export interface Variable {
  readonly section: (typeof sections)[number];
  /** Takes the text without spaces around it, or undefined where it is absent or empty. */
  readonly schema: z.ZodType;
  /** The end of a sentence that begins with "it must be". */
  readonly expected: string;
  /** For the documentation, in Markdown. */
  readonly meaning: string;
  /** Default for the documentation, if the schema has none that tells it. */
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
const SESSION_SECRET_CHARS_MIN = 32;
/** One that is made of random digits has more, but for one in ten thousand. */
const SECRET_VARIETY_MIN = 5;

/** Providers that do not know one of them ignore it, or refuse the sign-in by its name. */
const OIDC_SCOPES = 'openid profile email groups offline_access';

const LABEL = /^([a-z0-9][-a-z0-9.]{0,252}\/)?[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/;
const NAMESPACE = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** A name, a name below `*.`, or an address, with or without a port. */
const WEBHOOK_HOST = /^((\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(:[1-9]\d{0,4})?$/;
const REVIEW_RULES = 'namespace=shop,payments&team=checkout&only=failed&restarts=1&age=1h';
const linkPlaceholders = [
  'cluster',
  'namespace',
  'name',
  'resource',
  'revision',
  'image',
  'pod',
  'tag',
  'application',
];
const placeholders = `{${linkPlaceholders.join('}, {')}}`;

const text = z.string();
const texts = text.transform(splitList);
const namespace = text.regex(NAMESPACE);
const secret = (charsMin: number) =>
  text.min(charsMin).refine((value) => value.length < charsMin || new Set(value).size >= SECRET_VARIETY_MIN, {
    error: 'has too few different characters, so that it could be guessed',
  });
const secretExpected = (charsMin: number) =>
  `of at least ${charsMin} characters, ${SECRET_VARIETY_MIN} of them different`;
const flag = z.stringbool({ truthy: ['1', 'true', 'yes'], falsy: ['0', 'false', 'no'] }).default(false);
const wholeNumber = z.coerce.number().int();
const httpUrl = z.stringFormat('address', (value) => parseHttpUrl(value) !== undefined);
const reviewRules = text.transform((value, context) => {
  const rules = parseReviewQuery(value);
  if (typeof rules !== 'string') return rules;
  context.addIssue({ code: 'custom', message: `is invalid: ${rules}` });
  return z.NEVER;
});
const link = text.superRefine((template, context) => {
  const message = problemOfLink(template);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

const headerName = text.regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/);
const ranges = texts
  .pipe(z.array(z.stringFormat('range', isRange)).min(1))
  .refine((list) => !list.every(isRange) || !new AddressRanges(list).areMany, {
    error: 'trusts an eighth of all addresses or more, and with them nearly every connection',
  });

const flagExpected = '1, or unset';
const namespacesExpected = 'a list of namespaces, separated by commas';
export const linkExpected = `a URL that begins with http:// or https://, with ${placeholders} only after the host`;

/** In the order of the documentation. `KUBERNETES_SERVICE_HOST`, `XDG_DATA_HOME`, and proxies follow their own standards. */
export const variables = {
  KUBECONFIG: {
    section: 'Cluster',
    schema: text.transform((files) => files.split(delimiter).filter((file) => file !== '')).default([]),
    expected: 'paths of kubeconfig files',
    meaning: 'kubeconfig files; in a pod without any, its service account',
    absent: '`~/.kube/config`',
    isOutward: true,
  },
  SHIPLOG_CONTEXT: {
    section: 'Cluster',
    schema: text.optional(),
    expected: 'a context of the kubeconfig',
    meaning: 'context of the kubeconfig',
    absent: 'the current one',
    isOutward: true,
  },
  SHIPLOG_CLUSTERS: {
    section: 'Cluster',
    schema: text.optional(),
    expected: 'contexts, or the path of a clusters.yaml',
    meaning:
      '[several clusters](clusters.md): the path of a `clusters.yaml`, which is read instead of `KUBECONFIG`, or `contexts` for every context of the kubeconfig',
    absent: 'one cluster',
    isOutward: true,
  },
  PORT: {
    section: 'Server',
    schema: wholeNumber.min(0).max(65_535).default(8440),
    expected: 'a port between 0 and 65535',
    meaning: 'port to listen on',
  },
  SHIPLOG_HOST: {
    section: 'Server',
    schema: text.transform((host) => host.replace(/^\[(.*)\]$/, '$1')).default('127.0.0.1'),
    expected: 'an address of this machine',
    meaning:
      'address to listen on; an address other than loopback requires another `SHIPLOG_AUTH` than `local`',
  },
  SHIPLOG_AUTH: {
    section: 'Sign-in',
    schema: z.enum(authModes).default('local'),
    expected: authModes.join(', '),
    meaning:
      "[how people sign in](sign-in.md). `local`: with the key in the URL that `npm start` prints. `token`: with a bearer token of the cluster. `oidc`: at an OpenID Connect provider. `proxy-jwt` and `proxy-headers`: at a proxy in front of Shiplog. `anonymous`: read-only access for everyone who can connect. They see what the kubeconfig's user can read: workloads, pods, events, templates with credentials masked, records, and comments. Nothing can be changed, neither in the cluster nor in the archive",
  },
  SHIPLOG_LOCAL_KEY: {
    section: 'Sign-in',
    schema: z
      .literal('off')
      .transform(() => false)
      .default(true),
    expected: 'off, or unset',
    meaning:
      '`off`: `SHIPLOG_AUTH=local` requires no key. Every user and every process of this machine can then use Shiplog with your permissions',
    absent: 'on',
  },
  SHIPLOG_SESSION_SECRET: {
    section: 'Sign-in',
    schema: texts.pipe(z.array(secret(SESSION_SECRET_CHARS_MIN)).min(1).max(2)).optional(),
    expected: `one or two secrets ${secretExpected(SESSION_SECRET_CHARS_MIN)}, separated by a comma`,
    meaning:
      'encrypts the credentials of sessions in the archive. Several instances with one archive need the same; to replace it, put the new one before the old one for a week',
    absent: 'made from the key in the data directory',
    isSecret: true,
    isOutward: true,
  },
  SHIPLOG_ANONYMOUS_LOGS: {
    section: 'Sign-in',
    schema: flag,
    expected: flagExpected,
    meaning: '`1`: anonymous viewers also see recent pod logs',
  },
  SHIPLOG_CREDENTIAL: {
    section: 'Sign-in',
    schema: z.enum(personCredentials).default('impersonate'),
    expected: personCredentials.join(' or '),
    meaning:
      'as whom Shiplog reads and acts for a person whom a provider or a proxy names. `impersonate`: Shiplog impersonates the person. `token`: with the ID token of `oidc`, or the token of `proxy-jwt`, which the API server must accept. A `clusters.yaml` states another for a cluster, and [clusters from labelled Secrets](clusters.md#labelled-secrets) get a token only where it says so',
  },
  SHIPLOG_USERNAME_PREFIX: {
    section: 'Sign-in',
    schema: text.default(''),
    expected: 'text',
    meaning: 'put before the user that Shiplog impersonates, as the API server does with those of tokens',
    absent: 'none',
  },
  SHIPLOG_GROUPS_PREFIX: {
    section: 'Sign-in',
    schema: text.default(''),
    expected: 'text',
    meaning: 'the same for groups',
    absent: 'none',
  },
  SHIPLOG_USERNAME_CLAIM: {
    section: 'Sign-in',
    schema: text.default('email'),
    expected: 'the name of a claim',
    meaning:
      'which claim of the token is the user; `sub` where it is absent, and in place of an email address that is [not verified](sign-in.md#names)',
  },
  SHIPLOG_GROUPS_CLAIM: {
    section: 'Sign-in',
    schema: text.default('groups'),
    expected: 'the name of a claim, or a path such as realm_access.roles',
    meaning:
      'which claim of the token has the groups; a path for one within another, such as `realm_access.roles`',
  },
  SHIPLOG_OIDC_ISSUER: {
    section: 'Sign-in',
    schema: httpUrl.optional(),
    expected: 'the URL of an OpenID Connect provider, such as https://login.example',
    meaning:
      'for `oidc`: the issuer, as the provider writes it: its settings are at `/.well-known/openid-configuration` below this URL',
    absent: 'required',
  },
  SHIPLOG_OIDC_CLIENT_ID: {
    section: 'Sign-in',
    schema: text.optional(),
    expected: 'the id of a client of the provider',
    meaning: 'for `oidc`: the id that the provider gave to Shiplog',
    absent: 'required',
  },
  SHIPLOG_OIDC_CLIENT_SECRET: {
    section: 'Sign-in',
    schema: text.optional(),
    expected: 'the secret of the client',
    meaning: 'for `oidc`: the secret that the provider gave to Shiplog',
    absent: 'none: a public client',
    isSecret: true,
  },
  SHIPLOG_OIDC_SCOPES: {
    section: 'Sign-in',
    schema: text
      .regex(/^([\x21\x23-\x5b\x5d-\x7e]+ +)*openid( +[\x21\x23-\x5b\x5d-\x7e]+)*$/)
      .default(OIDC_SCOPES),
    expected: `scopes separated by spaces, openid among them, such as ${OIDC_SCOPES}`,
    meaning:
      'for `oidc`: what Shiplog requests of the provider. `offline_access` gives the refresh token that Shiplog checks people with every 15 minutes; without it a session lasts 8 hours',
  },
  SHIPLOG_PROXY_JWT_HEADER: {
    section: 'Sign-in',
    schema: headerName.default('Authorization'),
    expected: 'the name of a header',
    meaning: 'for `proxy-jwt`: the header with the token that the proxy has signed or passes on',
  },
  SHIPLOG_PROXY_JWT_ISSUER: {
    section: 'Sign-in',
    schema: text.optional(),
    expected: 'the issuer of the tokens',
    meaning: 'for `proxy-jwt`: the only issuer whose tokens are accepted',
    absent: 'required',
  },
  SHIPLOG_PROXY_JWT_AUDIENCE: {
    section: 'Sign-in',
    schema: text.optional(),
    expected: 'the audience of the tokens',
    meaning:
      'for `proxy-jwt`: the audience that the tokens must have, so that one for another application is refused',
    absent: 'required',
  },
  SHIPLOG_PROXY_JWT_KEYS: {
    section: 'Sign-in',
    schema: httpUrl.optional(),
    expected: 'the https URL of a JSON Web Key Set',
    meaning: 'for `proxy-jwt`: the `https` URL of the JSON Web Key Set that verifies the tokens',
    absent: 'required',
  },
  SHIPLOG_PROXY_USER_HEADER: {
    section: 'Sign-in',
    schema: headerName.default('X-Forwarded-User'),
    expected: 'the name of a header',
    meaning: 'for `proxy-headers`: the header with the user',
  },
  SHIPLOG_PROXY_GROUPS_HEADER: {
    section: 'Sign-in',
    schema: headerName.default('X-Forwarded-Groups'),
    expected: 'the name of a header',
    meaning: 'for `proxy-headers`: the header with the groups, separated by commas',
  },
  SHIPLOG_PROXY_SECRET_HEADER: {
    section: 'Sign-in',
    schema: headerName.default('X-Proxy-Secret'),
    expected: 'the name of a header',
    meaning: 'for `proxy-headers`: the header with the secret',
  },
  SHIPLOG_PROXY_SECRET: {
    section: 'Sign-in',
    schema: secret(SESSION_SECRET_CHARS_MIN).optional(),
    expected: `a secret ${secretExpected(SESSION_SECRET_CHARS_MIN)}`,
    meaning: 'for `proxy-headers`: the secret that the proxy sends with each request',
    absent: 'required',
    isSecret: true,
  },
  SHIPLOG_TRUSTED_PROXIES: {
    section: 'Sign-in',
    schema: ranges.optional(),
    expected:
      'a list of addresses and ranges such as 10.0.0.0/8, separated by commas, that together are less than an eighth of all addresses',
    meaning:
      'the addresses that proxies in front of Shiplog connect from; together less than an eighth of all addresses. Only these are believed about the address of a client (`X-Forwarded-For`) and, with `proxy-headers`, about the person',
    absent: 'none; with `proxy-headers` required',
  },
  SHIPLOG_METRICS_PORT: {
    section: 'Server',
    schema: wholeNumber.min(1).max(65_535).optional(),
    expected: 'a port between 1 and 65535',
    meaning:
      'port on which Prometheus reads `/metrics` without a sign-in, at the same address; nothing else is served there. Let no one else connect to it',
    absent: '`/metrics` only at `PORT`, for people who are signed in',
  },
  SHIPLOG_PUBLIC_URL: {
    section: 'Server',
    schema: z
      .stringFormat('origin', isOrigin)
      .transform((value) => new URL(value).origin)
      .optional(),
    expected: 'a URL without a path, such as https://shiplog.example',
    meaning:
      'URL in the browser if Shiplog is behind a proxy; notifications link to it. It is `https` where people sign in, except on loopback',
  },
  SHIPLOG_NAMESPACES: {
    section: 'Cluster',
    schema: texts.pipe(z.array(namespace)).default([]),
    expected: namespacesExpected,
    meaning:
      'the only namespaces to show and change, separated by commas; the archive is limited to them too',
    absent: 'all',
    isOutward: true,
  },
  SHIPLOG_ARGOCD_NAMESPACES: {
    section: 'Cluster',
    schema: texts.pipe(z.array(namespace).min(1)).default(['argocd', 'openshift-gitops']),
    expected: namespacesExpected,
    meaning:
      'namespaces in which an Argo CD may be, separated by commas: where Shiplog looks for an application that names none, and for its project',
    absent: '`argocd,openshift-gitops`',
  },
  SHIPLOG_MASK_NAMES: {
    section: 'Sensitive values',
    schema: texts.pipe(z.array(text.regex(/^[\w.-]{2,100}$/))).default([]),
    expected:
      'a list of parts of names, separated by commas, each of two or more letters, digits, "_", ".", or "-"',
    meaning:
      'additional names of credentials, separated by commas: `acme_pass` masks `ACME_PASS` and `DB_ACME_PASS_2`',
  },
  SHIPLOG_MASK_ENV: {
    section: 'Sensitive values',
    schema: z
      .literal('all')
      .transform(() => true)
      .default(false),
    expected: 'all, or unset',
    meaning: '`all`: never show the value of an environment variable, only that it changed',
  },
  SHIPLOG_READ_ONLY: {
    section: 'Cluster',
    schema: flag,
    expected: flagExpected,
    meaning:
      '`1`: write nothing to the cluster, not even a dry run, and reject verdicts, comments, and pins. People can still save views',
  },
  SHIPLOG_DATA_DIR: {
    section: 'Archive',
    schema: text.optional(),
    expected: 'a folder',
    meaning: 'folder of the archive, the audit file, and the key; mode 0700',
    absent: '`$XDG_DATA_HOME/shiplog`, or `~/.local/share/shiplog`',
  },
  DATABASE_URL: {
    section: 'Archive',
    schema: z.stringFormat('address', (value) => /^postgres(ql)?:$/.test(protocolOf(value))).optional(),
    expected: 'a URL such as postgres://user:password@host:5432/shiplog',
    meaning:
      'keeps the archive in PostgreSQL 14 or newer: `postgres://user:password@host/database`; over a network, add `?sslmode=verify-full` to encrypt the connection',
    absent: 'a file in the data directory',
    isSecret: true,
    isOutward: true,
  },
  SHIPLOG_RETENTION_DAYS: {
    section: 'Archive',
    schema: wholeNumber.min(0).default(RETENTION_DAYS),
    expected: 'a whole number of days, 0 for no limit',
    meaning:
      'how long the archive keeps templates and pod counts after Kubernetes pruned the revision; `0`: no limit. Records, reviews, and comments are kept indefinitely, and so are templates of rollouts that were pinned, reviewed, or commented on. Nothing expires while the clocks of this machine and of the API server differ by more than an hour',
  },
  SHIPLOG_RETENTION_COUNT: {
    section: 'Archive',
    schema: wholeNumber.min(0).default(RETENTION_COUNT),
    expected: 'a whole number of revisions, 0 for no limit',
    meaning:
      "for how many of each workload's latest revisions and rollouts the archive keeps them; `0`: no limit",
  },
  SHIPLOG_WATCH_CONFIG: {
    section: 'Optional features',
    schema: flag,
    expected: flagExpected,
    meaning:
      '`1`: records list which ConfigMaps and Secrets of the template changed, when, and by which tool; only metadata is read',
    isOutward: true,
  },
  SHIPLOG_WRITE_ROLLOUTHISTORY: {
    section: 'Optional features',
    schema: flag,
    expected: flagExpected,
    meaning:
      '`1`: writes each finished rollout to the cluster as an OpenKruise RolloutHistory, with credentials masked; keeps the latest 20 of each workload and deletes older ones that it wrote',
    isOutward: true,
  },
  SHIPLOG_CONTROLLERS: {
    section: 'Optional features',
    schema: texts.pipe(z.array(z.enum(['oam-rollout']))).default([]),
    expected: 'oam-rollout, or unset',
    meaning: '`oam-rollout`: runs [a controller for OAM Rollouts](oam-rollout.md) with the label of Shiplog',
    absent: 'none',
    isOutward: true,
  },
  SHIPLOG_LEASE_NAMESPACE: {
    section: 'Optional features',
    schema: namespace.default('default'),
    expected: 'the name of a namespace',
    meaning: 'namespace of the Lease that elects the instance that runs these controllers',
    isOutward: true,
  },
  SHIPLOG_PROMETHEUS_URL: {
    section: 'Optional features',
    schema: httpUrl.optional(),
    expected: 'a URL such as http://prometheus.monitoring:9090',
    meaning: 'Prometheus that these controllers query',
    isSecret: true,
    isOutward: true,
  },
  SHIPLOG_OAM_WEBHOOK_HOSTS: {
    section: 'Optional features',
    schema: texts.pipe(z.array(z.string().toLowerCase().regex(WEBHOOK_HOST))).default([]),
    expected: 'hosts such as gate.example.com, gate.shop.svc:8080, or *.example.com',
    meaning:
      'hosts that [webhooks of OAM Rollouts](oam-rollout.md#webhooks-and-metrics) can call, separated by commas: `gate.example.com` at port 80 or 443, `gate.shop.svc:8080`, `*.example.com`. Webhooks to others are not called',
    absent: 'none',
    isOutward: true,
  },
  SHIPLOG_LINK_LOGS: {
    section: 'Pages',
    schema: link.optional(),
    expected: linkExpected,
    meaning:
      'link to the logs of a workload, or of a pod if it has `{pod}`: `https://logs.example.com/?ns={namespace}&pod={pod}`',
  },
  SHIPLOG_LINK_METRICS: {
    section: 'Pages',
    schema: link.optional(),
    expected: linkExpected,
    meaning: 'link to its metrics',
  },
  SHIPLOG_LINK_COMMIT: {
    section: 'Pages',
    schema: link.optional(),
    expected: linkExpected,
    meaning: `link to the commit of its image. Placeholders of all links: ${linkPlaceholders.map((name) => `\`{${name}}\``).join(', ')}`,
  },
  SHIPLOG_LINK_ARGOCD: {
    section: 'Pages',
    schema: link.optional(),
    expected: linkExpected,
    meaning:
      'link from each workload of Argo CD to its application, for example `https://argocd.example.com/applications/{application}`',
  },
  SHIPLOG_COMPARE_SECONDS: {
    section: 'Cluster',
    schema: wholeNumber.min(1).max(86_400).default(600),
    expected: 'seconds between 1 and 86400',
    meaning:
      "interval in seconds at which the objects in memory are compared with the API server's lists (names and versions only), in case an event was lost",
  },
  SHIPLOG_TEAM_LABEL: {
    section: 'Pages',
    schema: text.regex(LABEL).default('app.kubernetes.io/part-of'),
    expected: 'the name of a label',
    meaning: 'label whose value is the team of a workload',
  },
  SHIPLOG_FAILURE_HOURS: {
    section: 'Pages',
    schema: wholeNumber.min(1).max(8_760).default(FAILURE_HOURS),
    expected: 'hours between 1 and 8760',
    meaning: 'a rollout that is reverted within this time after it completed counts as a failed change',
  },
  SHIPLOG_REVIEW_RULES: {
    section: 'Pages',
    schema: reviewRules.default(defaultReviewRules),
    expected: `such as ${REVIEW_RULES}`,
    meaning: `which rollouts Review lists, written as in its URL: \`${REVIEW_RULES}\`; \`only\` is \`all\`, \`failed\`, or \`rollbacks\`, \`restarts=1\` includes completed restarts, \`age\` is the minimum time since the rollout ended`,
    absent: 'every observed rollout that ended, except completed restarts',
  },
  SHIPLOG_WEBHOOK_URL: {
    section: 'Notifications',
    schema: texts.pipe(webhookTargets).default([]),
    expected: `a list of at most ${TARGETS_MAX} URLs such as https://host/path or slack+https://host/path, separated by commas`,
    meaning: `URLs that receive [notifications](notifications.md), at most ${TARGETS_MAX}, separated by commas; \`slack+https://…\` receives the text only. Give a URL a name, \`oncall=https://…\`, to replace it later without losing pending notifications`,
    absent: 'none',
    isSecret: true,
    isOutward: true,
  },
  SHIPLOG_WEBHOOK_SECRET: {
    section: 'Notifications',
    schema: secret(SECRET_CHARS_MIN).optional(),
    expected: `a secret ${secretExpected(SECRET_CHARS_MIN)}, such as the output of: openssl rand -hex 32`,
    meaning: `key that signs notifications, at least ${SECRET_CHARS_MIN} characters`,
    absent: 'no signature',
    isSecret: true,
    isOutward: true,
  },
  SHIPLOG_WEBHOOK_EVENTS: {
    section: 'Notifications',
    schema: texts.pipe(z.array(z.enum(eventKinds))).default([...eventKinds]),
    expected: `a list of events, separated by commas: ${eventKinds.join(', ')}`,
    meaning: `events to send, separated by commas: ${eventKinds.map((kind) => `\`${kind}\``).join(', ')}`,
    absent: 'all',
    isOutward: true,
  },
  SHIPLOG_WEBHOOK_NAMESPACES: {
    section: 'Notifications',
    schema: texts.pipe(z.array(namespace)).default([]),
    expected: namespacesExpected,
    meaning: 'namespaces to send events of, separated by commas',
    absent: 'all',
    isOutward: true,
  },
  SHIPLOG_SANDBOX: {
    section: 'Cluster',
    schema: flag,
    expected: flagExpected,
    meaning: '`1`: the clusters are sandboxes, and every page says so; `npm start` sets it',
  },
  SHIPLOG_LOG_LEVEL: {
    section: 'Server',
    schema: text.toLowerCase().pipe(z.enum(logLevels)).default('info'),
    expected: `one of ${logLevels.join(', ')}`,
    meaning: '`debug`, `info`, `warn` or `error`; `debug` has a line for every request',
  },
  SHIPLOG_LOG_FORMAT: {
    section: 'Server',
    schema: text.toLowerCase().pipe(z.enum(logFormats)).optional(),
    expected: `one of ${logFormats.join(', ')}`,
    meaning: '`text` for people, or `json`: one object per line',
    absent: '`text` on a terminal, else `json`',
  },
} satisfies Record<string, Variable>;

/** What the variables say, and what applies without them. */
export type Values = {
  readonly [Name in keyof typeof variables]: Immutable<z.output<(typeof variables)[Name]['schema']>>;
};

export function isNamespace(text: string): boolean {
  return NAMESPACE.test(text);
}

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
export function problemOfLink(template: string): string | undefined {
  const unknown = [...template.matchAll(/\{([^}]*)\}/g)].find(
    ([, name = '']) => !linkPlaceholders.includes(name),
  );
  if (unknown !== undefined) return `has the unknown placeholder ${unknown[0]}`;
  const start = template.split(/(?<!\/)\/(?!\/)|[?#]/, 1)[0] ?? '';
  if (start.includes('{')) return 'has a placeholder in its scheme or host';
  return parseHttpUrl(template) === undefined ? 'is not a URL' : undefined;
}
