import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Machine, prepareDataDir, readConfig } from '@/server/shared/config';
import { ConfigError } from '@/server/shared/config-error';
import { type Variable, variables } from '@/server/shared/variables';
import { eventKinds } from '@/server/shared/webhooks';
import { makeFolder } from '@/server/cluster/testing/kubeconfig-file';

const clustersFile = `
apiVersion: shiplog.dev/v1
clusters:
  - {name: prod, source: {kubeconfig: prod.yaml}}
`;

function machine(...files: string[]): Machine {
  return { home: '/home/ann', exists: (path) => files.includes(path), read: () => clustersFile };
}

const withUsualFile = machine('/home/ann/.kube/config');

function problemsOf(env: Record<string, string>, on = withUsualFile, needs = {}): readonly string[] {
  try {
    readConfig(env, on, needs);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test('without any variable Shiplog listens on loopback only and uses the default kubeconfig', () => {
  expect(readConfig({ HOSTNAME: 'pod-7' }, withUsualFile)).toEqual({
    port: 8440,
    host: '127.0.0.1',
    publicUrl: undefined,
    namespaces: [],
    masks: { names: [], hidesEnv: false },
    readOnly: false,
    auth: { mode: 'local', requiresKey: true },
    claims: { username: 'email', groups: 'groups' },
    trustedProxies: [],
    credential: 'impersonate',
    identity: { usernamePrefix: '', groupsPrefix: '' },
    dataDir: '/home/ann/.local/share/shiplog',
    databaseUrl: undefined,
    retention: { days: 730, perWorkload: 1000 },
    watchConfig: false,
    writeRolloutHistory: false,
    controllers: [],
    leaseNamespace: 'default',
    prometheusUrl: undefined,
    oamWebhookHosts: [],
    clusters: { kind: 'one' },
    cluster: { kind: 'kubeconfig', files: ['/home/ann/.kube/config'] },
    sandbox: false,
    links: [],
    argocd: { namespaces: ['argocd', 'openshift-gitops'], name: null, cluster: null },
    compareEveryMs: 600_000,
    teamLabel: 'app.kubernetes.io/part-of',
    failureHours: 24,
    reviewRules: { namespaces: [], teams: [], only: 'all', restarts: false, minAgeMs: 0 },
    webhooks: { targets: [], secret: null, events: eventKinds, namespaces: [] },
    logLevel: 'info',
    warnings: [],
  });
});

test('every variable has its effect', () => {
  const env = {
    PORT: '0',
    KUBECONFIG: '/a:/b:',
    SHIPLOG_CONTEXT: 'prod',
    SHIPLOG_HOST: '[::1]',
    SHIPLOG_PUBLIC_URL: 'https://shiplog.example:8443/',
    SHIPLOG_NAMESPACES: 'shop, pay,shop,',
    SHIPLOG_READ_ONLY: 'true',
    SHIPLOG_DATA_DIR: '/var/lib/shiplog',
    DATABASE_URL: 'postgres://ann:secret@db/shiplog',
    SHIPLOG_RETENTION_DAYS: '0',
    SHIPLOG_RETENTION_COUNT: '50',
    SHIPLOG_WATCH_CONFIG: '1',
    SHIPLOG_LOG_LEVEL: 'DEBUG',
    SHIPLOG_COMPARE_SECONDS: '60',
    SHIPLOG_TEAM_LABEL: 'example.com/team',
    SHIPLOG_FAILURE_HOURS: '8',
    SHIPLOG_REVIEW_RULES: 'namespace=shop&only=failed&age=1h',
    SHIPLOG_LINK_LOGS: 'https://logs.example/?ns={namespace}&pod={pod}',
    SHIPLOG_LINK_COMMIT: 'https://git.example/{name}/commit/{tag}',
    SHIPLOG_WEBHOOK_URL:
      'https://hooks.example/in?key=abc, slack+https://hooks.slack.example/T0/B0/x,https://hooks.example/in?key=abc',
    SHIPLOG_WEBHOOK_SECRET: '0123456789abcdef',
    SHIPLOG_WEBHOOK_EVENTS: 'stuck, badVerdict',
    SHIPLOG_WEBHOOK_NAMESPACES: 'shop',
    SHIPLOG_LEASE_NAMESPACE: 'tools',
    SHIPLOG_PROMETHEUS_URL: 'http://prometheus:9090',
    SHIPLOG_ARGOCD_NAMESPACES: 'gitops',
    SHIPLOG_OAM_WEBHOOK_HOSTS: 'gate.shop.svc:8080, *.Example.com',
    SHIPLOG_SANDBOX: '1',
    SHIPLOG_MASK_NAMES: 'zugang, acme_pass',
    SHIPLOG_MASK_ENV: 'all',
    SHIPLOG_LOCAL_KEY: 'off',
    SHIPLOG_SESSION_SECRET: 'new-0123456789-0123456789-01234567,old-0123456789-0123456789-01234567',
    SHIPLOG_TRUSTED_PROXIES: '10.0.0.0/8',
    SHIPLOG_CREDENTIAL: 'token',
    SHIPLOG_USERNAME_PREFIX: 'oidc:',
    SHIPLOG_GROUPS_PREFIX: 'g:',
    SHIPLOG_USERNAME_CLAIM: 'upn',
    SHIPLOG_GROUPS_CLAIM: 'realm_access.roles',
    SHIPLOG_REDONLY: '1',
  };
  expect(readConfig(env, machine('/b'))).toEqual({
    port: 0,
    host: '::1',
    publicUrl: 'https://shiplog.example:8443',
    namespaces: ['shop', 'pay'],
    masks: { names: ['zugang', 'acme_pass'], hidesEnv: true },
    readOnly: true,
    auth: { mode: 'local', requiresKey: false },
    claims: { username: 'upn', groups: 'realm_access.roles' },
    trustedProxies: ['10.0.0.0/8'],
    credential: 'token',
    identity: { usernamePrefix: 'oidc:', groupsPrefix: 'g:' },
    sessionSecrets: ['new-0123456789-0123456789-01234567', 'old-0123456789-0123456789-01234567'],
    dataDir: '/var/lib/shiplog',
    databaseUrl: 'postgres://ann:secret@db/shiplog',
    retention: { days: 0, perWorkload: 50 },
    watchConfig: true,
    writeRolloutHistory: false,
    controllers: [],
    leaseNamespace: 'tools',
    prometheusUrl: 'http://prometheus:9090',
    oamWebhookHosts: ['gate.shop.svc:8080', '*.example.com'],
    clusters: { kind: 'one' },
    cluster: { kind: 'kubeconfig', files: ['/a', '/b'], context: 'prod' },
    sandbox: false,
    argocd: { namespaces: ['gitops'], name: null, cluster: null },
    links: [
      { label: 'Logs', url: 'https://logs.example/?ns={namespace}&pod={pod}' },
      { label: 'Commit', url: 'https://git.example/{name}/commit/{tag}' },
    ],
    compareEveryMs: 60_000,
    teamLabel: 'example.com/team',
    failureHours: 8,
    reviewRules: { namespaces: ['shop'], teams: [], only: 'failed', restarts: false, minAgeMs: 3_600_000 },
    webhooks: {
      targets: [
        {
          id: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
          url: 'https://hooks.example/in?key=abc',
          format: 'json',
          label: 'https://hooks.example/***',
        },
        {
          id: expect.any(String) as string,
          url: 'https://hooks.slack.example/T0/B0/x',
          format: 'slack',
          label: 'https://hooks.slack.example/***',
        },
      ],
      secret: '0123456789abcdef',
      events: ['stuck', 'badVerdict'],
      namespaces: ['shop'],
    },
    logLevel: 'debug',
    warnings: [
      expect.stringContaining('SHIPLOG_REDONLY'),
      expect.stringContaining('SHIPLOG_SANDBOX is ignored'),
    ],
  });
});

test('reports all problems at once, each naming its variable', () => {
  const problems = problemsOf({
    PORT: '84400',
    SHIPLOG_PUBLIC_URL: 'https://shiplog.example/sub/path',
    SHIPLOG_NAMESPACES: 'shop,Not_A_Name',
    SHIPLOG_READ_ONLY: 'maybe',
    SHIPLOG_LOG_LEVEL: 'loud',
    SHIPLOG_COMPARE_SECONDS: '0',
    SHIPLOG_TEAM_LABEL: 'a team',
    SHIPLOG_FAILURE_HOURS: '0',
    SHIPLOG_REVIEW_RULES: 'only=some',
    SHIPLOG_LINK_LOGS: 'javascript:alert({name})',
  });
  const variables = problems.map((problem) => problem.split(' ')[0]);
  expect(variables).toEqual([
    'PORT',
    'SHIPLOG_PUBLIC_URL',
    'SHIPLOG_NAMESPACES',
    'SHIPLOG_READ_ONLY',
    'SHIPLOG_LINK_LOGS',
    'SHIPLOG_COMPARE_SECONDS',
    'SHIPLOG_TEAM_LABEL',
    'SHIPLOG_FAILURE_HOURS',
    'SHIPLOG_REVIEW_RULES',
    'SHIPLOG_LOG_LEVEL',
  ]);
});

test('a problem says what is wrong and what is expected', () => {
  const env = {
    PORT: '84400',
    SHIPLOG_PUBLIC_URL: 'https://ann:secret@shiplog.example',
    SHIPLOG_NAMESPACES: 'shop,Not_A_Name',
    DATABASE_URL: 'db/shiplog',
    SHIPLOG_LINK_LOGS: 'https://{name}.example',
    SHIPLOG_WEBHOOK_URL: 'https://hooks.example,hooks',
    SHIPLOG_REDONLY: '1',
  };
  expect(problemsOf(env)).toEqual([
    'PORT is "84400"; it must be a port between 0 and 65535.',
    'SHIPLOG_PUBLIC_URL is "https://[redacted]@shiplog.example"; it must be a URL without a path, such as https://shiplog.example.',
    'SHIPLOG_NAMESPACES has "Not_A_Name"; it must be a list of namespaces, separated by commas.',
    'DATABASE_URL must be a URL such as postgres://user:password@host:5432/shiplog.',
    expect.stringMatching(/^SHIPLOG_LINK_LOGS has a placeholder in its scheme or host; it must be a URL/),
    expect.stringMatching(
      /^SHIPLOG_WEBHOOK_URL has an invalid entry \(number 2\); it must be a list of at most 10/,
    ),
    'SHIPLOG_REDONLY is not a variable of Shiplog; check its spelling.',
  ]);
});

test('no problem has the text of a secret', () => {
  const secrets = Object.entries<Variable>(variables).filter(([, { isSecret }]) => isSecret);
  const piece = fc.constantFrom(
    'https://',
    'slack+',
    'ann:',
    '@',
    '/',
    ',',
    '=',
    '#',
    '{',
    ' ',
    'postgres:',
    'x',
  );
  const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(fc.constantFrom(...secrets), text, text, ([name], before, after) => {
      expect(problemsOf({ [name]: `${before}s3cret${after}` }).join()).not.toContain('s3cret');
    }),
  );
});

test.each(['0.0.0.0', '::', '10.1.2.3', '127.0.0.1.evil.example', 'pod-7'])(
  'rejects listening on %s without a sign-in, and makes anonymous viewers read-only',
  (host) => {
    expect(problemsOf({ SHIPLOG_HOST: host })).toEqual([
      expect.stringMatching(/SHIPLOG_AUTH: to token, oidc, proxy-jwt or proxy-headers, .* anonymous/),
    ]);
    const config = readConfig(
      { SHIPLOG_HOST: host, SHIPLOG_AUTH: 'anonymous', SHIPLOG_READ_ONLY: '0' },
      withUsualFile,
    );
    expect(config).toMatchObject({ host, readOnly: true, auth: { mode: 'anonymous', logs: false } });
  },
);

test('people sign in with OpenID Connect over TLS only, except on this machine', () => {
  const oidc = { SHIPLOG_AUTH: 'oidc', SHIPLOG_OIDC_CLIENT_ID: 'shiplog' };
  const urls = (issuer: string, publicUrl: string) => ({
    ...oidc,
    SHIPLOG_OIDC_ISSUER: issuer,
    SHIPLOG_PUBLIC_URL: publicUrl,
  });
  for (const host of ['localhost', '127.0.0.1', '[::1]'])
    expect(
      readConfig(urls(`http://${host}:5556/dex`, `http://${host}:8440`), withUsualFile).auth,
    ).toMatchObject({
      ...{ issuer: `http://${host}:5556/dex`, publicUrl: `http://${host}:8440`, clientSecret: undefined },
      scopes: 'openid profile email groups offline_access',
    });
  expect(problemsOf(urls('http://login.example', 'http://shiplog.example'))).toEqual([
    expect.stringMatching(/^SHIPLOG_OIDC_ISSUER is an http URL.*https/),
    expect.stringMatching(/^SHIPLOG_PUBLIC_URL is an http URL.*https/),
  ]);
  const complete = urls('https://login.example', 'https://shiplog.example');
  for (const scopes of ['profile', 'openidx', 'a "b" openid'])
    expect(problemsOf({ ...complete, SHIPLOG_OIDC_SCOPES: scopes })).toEqual([
      expect.stringMatching(/^SHIPLOG_OIDC_SCOPES .*openid among them/),
    ]);
  expect(problemsOf({ ...complete, SHIPLOG_OIDC_ISSUER: 'login.example' })).toEqual([
    expect.stringMatching(/^SHIPLOG_OIDC_ISSUER is "login.example"/),
    expect.stringMatching(/^SHIPLOG_OIDC_ISSUER is not set/),
  ]);
});

test('a mode names each variable that it cannot do without', () => {
  const jwt = {
    SHIPLOG_AUTH: 'proxy-jwt',
    SHIPLOG_PROXY_JWT_ISSUER: 'https://login.example',
    SHIPLOG_PROXY_JWT_AUDIENCE: 'shiplog',
    SHIPLOG_PROXY_JWT_KEYS: 'https://login.example/keys',
  };
  const headers = {
    SHIPLOG_AUTH: 'proxy-headers',
    SHIPLOG_PROXY_SECRET: 'of-the-proxy-and-long-enough-0123',
    SHIPLOG_TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.7, fd00::/8',
  };
  const oidc = {
    SHIPLOG_AUTH: 'oidc',
    SHIPLOG_OIDC_ISSUER: 'https://login.example',
    SHIPLOG_OIDC_CLIENT_ID: 'shiplog',
    SHIPLOG_PUBLIC_URL: 'https://shiplog.example',
  };
  for (const complete of [jwt, headers, oidc]) {
    expect(readConfig({ ...complete, SHIPLOG_HOST: '0.0.0.0' }, withUsualFile).auth.mode).toBe(
      complete.SHIPLOG_AUTH,
    );
    for (const name of Object.keys(complete).slice(1))
      expect(problemsOf({ ...complete, [name]: '' })).toEqual([
        `${name} is not set, and SHIPLOG_AUTH=${complete.SHIPLOG_AUTH} needs it.`,
      ]);
  }
});

const proxyHeaders = {
  SHIPLOG_AUTH: 'proxy-headers',
  SHIPLOG_PROXY_SECRET: 'of-the-proxy-and-long-enough-0123',
  SHIPLOG_TRUSTED_PROXIES: '10.0.0.0/8',
};

test.each([
  '0.0.0.0/0',
  '::/0',
  '0.0.0.0/1,128.0.0.0/1',
  '::/1, 8000::/1',
  '::ffff:0:0/96',
  '10.0.0.0/33',
  '10.0.0/8',
  'proxy',
  '10.0.0.0/8/8',
])('rejects the trusted proxies %s with one problem', (trusted) => {
  expect(problemsOf({ ...proxyHeaders, SHIPLOG_TRUSTED_PROXIES: trusted })[0]).toMatch(
    /^SHIPLOG_TRUSTED_PROXIES (has|trusts).*; it must be .*less than an eighth of all addresses\.$/,
  );
});

test('rejects a secret that is easily guessed, and one header for two things', () => {
  for (const name of ['SHIPLOG_PROXY_SECRET', 'SHIPLOG_SESSION_SECRET', 'SHIPLOG_WEBHOOK_SECRET'])
    expect(problemsOf({ ...proxyHeaders, [name]: 'abcd'.repeat(8) })[0]).toMatch(
      new RegExp(`^${name} has too few different characters.*5 of them different`),
    );
  expect(problemsOf({ ...proxyHeaders, SHIPLOG_PROXY_USER_HEADER: 'x-proxy-secret' })).toEqual([
    expect.stringContaining('must be three different headers'),
  ]);
});

/** Complete, and each mode with the URLs that decide who a person is. */
const modes: Record<string, { env: Record<string, string>; urls: readonly string[] }> = {
  local: { env: {}, urls: ['SHIPLOG_PUBLIC_URL'] },
  token: { env: {}, urls: ['SHIPLOG_PUBLIC_URL'] },
  oidc: {
    env: { SHIPLOG_OIDC_CLIENT_ID: 'shiplog' },
    urls: ['SHIPLOG_OIDC_ISSUER', 'SHIPLOG_PUBLIC_URL'],
  },
  'proxy-jwt': {
    env: { SHIPLOG_PROXY_JWT_ISSUER: 'https://login.example', SHIPLOG_PROXY_JWT_AUDIENCE: 'shiplog' },
    urls: ['SHIPLOG_PROXY_JWT_KEYS', 'SHIPLOG_PUBLIC_URL'],
  },
  'proxy-headers': { env: proxyHeaders, urls: ['SHIPLOG_PUBLIC_URL'] },
};
const host = fc.oneof(
  fc.domain(),
  fc.ipV4(),
  fc.ipV6().map((address) => `[${address}]`),
  fc.constantFrom(
    'localhost',
    '127.0.0.1',
    '127.9.9.9',
    '[::1]',
    '127.evil.example',
    'localhost.evil.example',
  ),
);

test('a URL that decides who a person is has https, or leads to this machine, in every mode', () => {
  const authority = fc.tuple(fc.constantFrom('http', 'https'), host, fc.nat({ max: 9_999 }));
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.keys(modes)),
      fc.array(authority, { minLength: 2, maxLength: 2 }),
      (mode, parts) => {
        const { env, urls } = modes[mode] ?? { env: {}, urls: [] };
        const given = urls.map((name, index) => {
          const [scheme = 'https', at = 'x', port = 1] = parts[index] ?? [];
          const isOwn = ['localhost', '[::1]'].includes(at) || /^127(\.\d+){3}$/.test(at);
          return { name, value: `${scheme}://${at}:${port + 1}`, isFine: scheme === 'https' || isOwn };
        });
        const values = Object.fromEntries(given.map(({ name, value }) => [name, value]));
        const problems = problemsOf({ SHIPLOG_AUTH: mode, ...env, ...values });
        expect(problems).toHaveLength(given.filter(({ isFine }) => !isFine).length);
        for (const { name, isFine } of given)
          expect(problems.some((problem) => problem.startsWith(`${name} is an http URL`))).toBe(!isFine);
      },
    ),
  );
});

test('without a sign-in the public URL may have no TLS, and without a public URL people sign in', () => {
  const SHIPLOG_PUBLIC_URL = 'http://shiplog.example';
  expect(problemsOf({ SHIPLOG_AUTH: 'anonymous', SHIPLOG_PUBLIC_URL })).toEqual([]);
  expect(problemsOf({ SHIPLOG_LOCAL_KEY: 'off', SHIPLOG_PUBLIC_URL })).toEqual([]);
  const sandbox = {
    ...{ SHIPLOG_SANDBOX: '1', SHIPLOG_DATA_DIR: '/data/sandbox', KUBECONFIG: '/data/sandbox/kubeconfig' },
  };
  expect(problemsOf({ ...sandbox, SHIPLOG_PUBLIC_URL }, machine('/data/sandbox/kubeconfig'))).toEqual([]);
  // As the chart does by default.
  expect(problemsOf({ SHIPLOG_AUTH: 'token', SHIPLOG_HOST: '0.0.0.0' })).toEqual([]);
});

test('proxies in front of Shiplog are trusted only where they are named, however people sign in', () => {
  const token = { SHIPLOG_AUTH: 'token' };
  expect(readConfig(token, withUsualFile).trustedProxies).toEqual([]);
  for (const env of [token, { SHIPLOG_AUTH: 'anonymous' }, {}])
    expect(
      readConfig({ ...env, SHIPLOG_TRUSTED_PROXIES: '10.0.0.0/8, fd00::/8' }, withUsualFile).trustedProxies,
    ).toEqual(['10.0.0.0/8', 'fd00::/8']);
});

test.each([
  ['ftp://logs.example/{name}', 'http'],
  ['//logs.example/{name}', 'http'],
  ['https://{namespace}.logs.example/', 'host'],
  ['{image}', 'host'],
  ['https://logs.example/{nmae}', '{nmae}'],
  ['https://logs.example/{constructor}', '{constructor}'],
])('rejects a link template that could lead anywhere: %s', (url, word) => {
  expect(problemsOf({ SHIPLOG_LINK_METRICS: url })).toEqual([expect.stringContaining(word)]);
});

test.each(['*', '*.*.com', 'http://gate.example.com', 'gate.example.com/hook', 'gate:0', 'gate:http', '::1'])(
  'rejects %s as a host of webhooks',
  (host) => {
    expect(problemsOf({ SHIPLOG_OAM_WEBHOOK_HOSTS: `gate.shop.svc:8080,${host}` })).toEqual([
      expect.stringContaining('SHIPLOG_OAM_WEBHOOK_HOSTS'),
    ]);
  },
);

test('the cluster comes from KUBECONFIG, the default file, the pod, or is none', () => {
  const token = '/var/run/secrets/kubernetes.io/serviceaccount/token';
  const inPod = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };
  expect(readConfig(inPod, machine(token)).cluster).toEqual({ kind: 'in_cluster' });
  expect(readConfig(inPod, machine(token, '/home/ann/.kube/config')).cluster.kind).toBe('kubeconfig');
  expect(readConfig(inPod, machine()).cluster).toEqual({ kind: 'none' });
  expect(readConfig({ KUBECONFIG: '' }, machine()).cluster).toEqual({ kind: 'none' });
  expect(problemsOf({ KUBECONFIG: '/gone' })).toEqual([expect.stringContaining('/gone')]);
  expect(problemsOf({ SHIPLOG_CONTEXT: 'prod' }, machine())).toEqual([
    expect.stringContaining('SHIPLOG_CONTEXT'),
  ]);
});

test('a server without a cluster reports that with every other problem', () => {
  expect(problemsOf({ PORT: 'many' }, machine(), { cluster: true })).toEqual([
    expect.stringContaining('PORT'),
    expect.stringContaining('No cluster is configured'),
  ]);
  expect(problemsOf({}, withUsualFile, { cluster: true })).toEqual([]);
});

test('a file of clusters replaces KUBECONFIG and SHIPLOG_CONTEXT, and a warning says so', () => {
  const env = {
    SHIPLOG_CLUSTERS: '/etc/shiplog/clusters.yaml',
    KUBECONFIG: '/gone',
    SHIPLOG_CONTEXT: 'prod',
  };
  expect(readConfig(env, machine())).toMatchObject({
    clusters: { kind: 'file', path: '/etc/shiplog/clusters.yaml' },
    cluster: { kind: 'none' },
    warnings: [
      'KUBECONFIG is ignored because SHIPLOG_CLUSTERS names a file.',
      'SHIPLOG_CONTEXT is ignored because SHIPLOG_CLUSTERS names a file.',
    ],
  });
});

test('every context of the kubeconfig can be a cluster, whichever SHIPLOG_CONTEXT names', () => {
  const env = { SHIPLOG_CLUSTERS: 'contexts', SHIPLOG_CONTEXT: 'prod' };
  expect(readConfig(env, withUsualFile)).toMatchObject({
    clusters: { kind: 'contexts' },
    cluster: { kind: 'kubeconfig', files: ['/home/ann/.kube/config'] },
    warnings: ['SHIPLOG_CONTEXT is ignored because SHIPLOG_CLUSTERS is contexts.'],
  });
  expect(problemsOf({ SHIPLOG_CLUSTERS: 'contexts' }, machine())).toEqual([
    'SHIPLOG_CLUSTERS is contexts, but there is no kubeconfig.',
  ]);
});

test('problems of the file of clusters are reported with those of the variables', () => {
  const env = { PORT: '84400', SHIPLOG_CLUSTERS: '/etc/shiplog/clusters.yaml' };
  const read = (text: string) => ({ ...machine(), read: () => text });
  expect(problemsOf(env, read('apiVersion: shiplog.dev/v1\nclusters: [{name: Prod}]'))).toEqual([
    expect.stringMatching(/^PORT is "84400"/),
    expect.stringMatching(/^\/etc\/shiplog\/clusters\.yaml: clusters\[0\]\.name \(line 2\) is "Prod"/),
    expect.stringMatching(/clusters\[0\]\.source \(line 2\) is missing/),
  ]);
  const gone = () => {
    throw new Error('ENOENT: no such file');
  };
  expect(problemsOf({ SHIPLOG_CLUSTERS: 'prod' }, { ...machine(), read: gone })).toEqual([
    expect.stringMatching(/^SHIPLOG_CLUSTERS is \/.*\/prod, which cannot be read: ENOENT/),
  ]);
});

test('ignores a relative XDG_DATA_HOME, as its standard says', () => {
  expect(readConfig({ XDG_DATA_HOME: '/data' }, withUsualFile).dataDir).toBe('/data/shiplog');
  expect(readConfig({ XDG_DATA_HOME: 'data' }, withUsualFile).dataDir).toBe('/home/ann/.local/share/shiplog');
});

test('restricts the data directory to its owner, also one that existed before', () => {
  const folder = makeFolder();
  const fresh = join(folder.path, 'a', 'b');
  prepareDataDir(fresh);
  const open = join(folder.path, 'open');
  mkdirSync(open, { mode: 0o755 });
  prepareDataDir(open);
  expect([fresh, open].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700]);
  writeFileSync(join(folder.path, 'file'), '');
  expect(() => prepareDataDir(join(folder.path, 'file', 'x'))).toThrow(/SHIPLOG_DATA_DIR/);
  folder.remove();
});

test('reports an invalid database address without quoting it, since it may hold a password', () => {
  const env = { DATABASE_URL: 'mysql://ann:secret@db/shiplog', SHIPLOG_RETENTION_DAYS: '-1' };
  const problems = problemsOf(env).join(' ');
  expect(problems).toMatch(/DATABASE_URL must be a URL.*SHIPLOG_RETENTION_DAYS is "-1"/);
  expect(problems).not.toContain('secret@');
});

test('rejects RolloutHistories in read-only mode', () => {
  const env = { SHIPLOG_WRITE_ROLLOUTHISTORY: '1' };
  expect(problemsOf({ ...env, SHIPLOG_READ_ONLY: '1' })).toEqual([
    expect.stringContaining('SHIPLOG_WRITE_ROLLOUTHISTORY'),
  ]);
  expect(problemsOf(env)).toEqual([]);
});

test('controllers are named, and cannot run in read-only mode', () => {
  expect(readConfig({ SHIPLOG_CONTROLLERS: 'oam-rollout' }, withUsualFile).controllers).toEqual([
    'oam-rollout',
  ]);
  expect(problemsOf({ SHIPLOG_CONTROLLERS: 'oam-rollout', SHIPLOG_AUTH: 'anonymous' })).toEqual([
    expect.stringMatching(/SHIPLOG_CONTROLLERS .*SHIPLOG_AUTH/),
  ]);
  expect(problemsOf({ SHIPLOG_CONTROLLERS: 'oam-rollout,oam' })).toEqual([
    expect.stringContaining('oam-rollout'),
  ]);
});

test('reports the problem of a webhook without its secrets', () => {
  const urls = ['ftp://hooks.example/s3cret', 'hooks/s3cret', 'https://s3cret:x@hooks.example/'];
  for (const url of urls) {
    const [problem = ''] = problemsOf({ SHIPLOG_WEBHOOK_URL: `https://ok.example/,${url}` });
    expect(problem).toContain('SHIPLOG_WEBHOOK_URL has an invalid entry (number 2)');
    expect(problem).not.toContain('s3cret');
  }
  const [short = ''] = problemsOf({ SHIPLOG_WEBHOOK_SECRET: 's3cret' });
  expect(short).toContain('at least 16 characters');
  expect(short).not.toContain('s3cret');
  expect(problemsOf({ SHIPLOG_WEBHOOK_EVENTS: 'stuck,nonsense' })[0]).toContain('nonsense');
});

test('warns of notifications without a signature or a link', () => {
  const warnings = (env: object) => readConfig({ ...env }, withUsualFile).warnings.join(' ');
  expect(warnings({ SHIPLOG_WEBHOOK_URL: 'https://hooks.example/' })).toMatch(
    /_SECRET is not set.*_PUBLIC_URL is/,
  );
  expect(warnings({ SHIPLOG_WEBHOOK_URL: 'slack+https://hooks.example/' })).not.toContain('SECRET');
  expect(warnings({ SHIPLOG_WEBHOOK_SECRET: '0123456789abcdef' })).toContain('no notifications are sent');
});

test('only the kubeconfig that the sandbox has written makes a cluster a sandbox', () => {
  const env = { SHIPLOG_SANDBOX: '1', SHIPLOG_DATA_DIR: '/data/sandbox' };
  const of = (KUBECONFIG: string, more = {}) =>
    readConfig({ ...env, KUBECONFIG, ...more }, machine(KUBECONFIG));
  expect(of('/data/sandbox/kubeconfig')).toMatchObject({ sandbox: true, warnings: [] });
  expect(of('/home/ann/.kube/config')).toMatchObject({
    sandbox: false,
    warnings: [expect.stringContaining('SHIPLOG_SANDBOX is ignored')],
  });
  expect(of('/data/sandbox/kubeconfig', { SHIPLOG_SANDBOX: '0' }).sandbox).toBe(false);
});

test('only the clusters file that the sandboxes have written makes its clusters sandboxes', () => {
  const file = `{apiVersion: shiplog.dev/v1, clusters: [{name: staging, source: {kubeconfig: staging}}]}`;
  const of = (SHIPLOG_CLUSTERS: string) =>
    readConfig(
      { SHIPLOG_SANDBOX: '1', SHIPLOG_DATA_DIR: '/data/sandboxes', SHIPLOG_CLUSTERS },
      { ...machine(), read: () => file },
    );
  expect(of('/data/sandboxes/clusters.yaml')).toMatchObject({ sandbox: true, warnings: [] });
  expect(of('/etc/clusters.yaml')).toMatchObject({
    sandbox: false,
    warnings: [expect.stringContaining('SHIPLOG_SANDBOX is ignored')],
  });
});

test('accepts a variable for the sandbox of npm start', () => {
  const { warnings } = readConfig({ SHIPLOG_SANDBOX_WEBHOOK_URL: 'https://hooks.example' }, machine());
  expect(warnings).toEqual([]);
});

test('names a variable for the sandbox that the sandbox does not read', () => {
  const { warnings } = readConfig({ SHIPLOG_SANDBOX_LOG_LEVEL: 'debug' }, machine());
  expect(warnings).toEqual([expect.stringContaining('SHIPLOG_SANDBOX_LOG_LEVEL')]);
});
