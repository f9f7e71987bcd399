import { describe, expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import { containsMarker } from '@/server/shared/mask';
import { Keys } from '@/server/shared/keys';

const keys = new Keys(Buffer.alloc(32, 7));
const env = (name: string, value: string): JsonObject => ({
  spec: { containers: [{ name: 'app', env: [{ name, value }] }] },
});
const command = (...words: string[]): JsonObject => ({
  spec: { containers: [{ name: 'app', command: words }] },
});

const SECRET = 'Zq9secret';

describe('a variable is masked by its name', () => {
  test.each([
    ...['DB_PW', 'ROOT_PW', 'STRIPE_KEY', 'DATADOG_KEY', 'SIGNING', 'HMAC', 'MNEMONIC', 'SEED_PHRASE'],
    ...['RECOVERY_CODE', 'ADMIN_PIN', 'LICENSE', 'PWD', 'OPENAI_KEY', 'BACKUP_CODES', 'dbPw', 'HMAC_VALUE'],
  ])('%s', (name) => {
    expect(JSON.stringify(keys.mask.json(env(name, SECRET)))).not.toContain(SECRET);
  });

  test('a PIN, though it is a number', () => {
    expect(JSON.stringify(keys.mask.json(env('ADMIN_PIN', '482913')))).not.toContain('482913');
  });
});

/** Invented; in parts, so that no scanner takes them for real ones. */
const tokens: Record<string, string> = {
  SendGrid: `SG.${'aB3'.repeat(7)}.${'xY7'.repeat(14)}`,
  'Stripe, test': `sk_${'test'}_${'a1B2'.repeat(6)}`,
  'Stripe, restricted': `rk_${'test'}_${'a1B2'.repeat(6)}`,
  'Stripe webhooks': `whsec_${'a1B2'.repeat(8)}`,
  Vault: `hvs.${'CAESI'.repeat(10)}`,
  'Vault, old': `s.${'a1B2c3D4'.repeat(3)}`,
  DigitalOcean: `dop_v1_${'a1b2c3d4'.repeat(8)}`,
  Shopify: `shpat_${'a1b2c3d4'.repeat(4)}`,
  Docker: `dckr_pat_${'a1B2c3'.repeat(5)}`,
  Telegram: `123456789:AA${'a1B2c'.repeat(7)}`,
  Discord: `1122334455/${'a1B2c3'.repeat(10)}`,
  Teams: `webhookb2/${'a1b2c3d4'.repeat(4)}@tenant/IncomingWebhook/${'e5f6'.repeat(8)}`,
  'AWS secret': 'wJalrXUtnFEMI7MDENGbPxRfiCYEXAMPLE1KEY23',
};
const around: Record<string, string> = {
  Discord: 'https://discord.com/api/webhooks/',
  Teams: 'https://example.webhook.office.com/',
};

describe.each(Object.entries(tokens))('a token of %s is masked', (name, token) => {
  const value = `${around[name] ?? ''}${token}`;
  test.each<[string, unknown]>([
    ['in a variable', keys.mask.json(env('TARGET', value))],
    ['in an argument', keys.mask.json(command('run', value))],
    ['in a script', keys.mask.json(command('sh', '-c', `notify ${value} && run`))],
    ['in a sentence', keys.mask.text(`rotate ${value} today`)],
  ])('%s', (_, masked) => {
    expect(JSON.stringify(masked)).not.toContain(token);
    expect(containsMarker(masked)).toBe(true);
  });
});

test('a PGP key is masked completely', () => {
  const key = `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nZq9body\n-----END PGP PRIVATE KEY BLOCK-----`;
  expect(keys.mask.text(`before\n${key}\nafter`)).toBe(`before\n${keys.marker(key)}\nafter`);
});

describe('text that contains a credential', () => {
  test.each([
    `Server=db;User Id=sa;Pwd=${SECRET};Database=shop`,
    `run --pw ${SECRET}`,
    `run --db-pw=${SECRET}`,
    `sshpass -p ${SECRET} ssh host`,
    `docker login -u bot -p ${SECRET} registry.example`,
    // A message of a controller that has become a sentence.
    `Docker login -u bot -p ${SECRET} registry.example.`,
    `redis-cli -h cache -a ${SECRET} ping`,
    `mysql -h db -p${SECRET} shop`,
    `mongosh -u root -p '${SECRET}' db`,
    `the password is ${SECRET}`,
    'the password is x',
    `the token was: ${SECRET}, sorry`,
  ])('%s', (text) => {
    const masked = keys.mask.text(text);
    expect(masked).not.toContain(SECRET);
    expect(containsMarker(masked)).toBe(true);
    expect(keys.mask.text(masked)).toBe(masked);
    expect(JSON.stringify(keys.mask.json(command('sh', '-c', text)))).not.toContain(SECRET);
  });

  test.each<[JsonObject]>([
    [command('mysql', '-h', 'db', `-p${SECRET}`)],
    [command('/usr/bin/redis-cli', '-a', SECRET)],
    [command('run', '--pw', SECRET)],
    [command('run', `--db-pw=${SECRET}`)],
    [{ spec: { containers: [{ name: 'c', command: ['redis-cli'], args: ['-a', SECRET, 'ping'] }] } }],
  ])('%j', (template) => {
    const masked = keys.mask.json(template);
    expect(JSON.stringify(masked)).not.toContain(SECRET);
    expect(keys.mask.json(masked)).toEqual(masked);
  });
});

describe('a generated value is masked under any name', () => {
  test.each([
    'xK9mP2vL8qR4tY7wZ3nB',
    'aGVsbG8gd29ybGQ3ZmFzZGZhMjM0MzJkc2Zhc2Rm',
    'Q7x/3kPz+9LmW2vR8tYb1NcE5sHd6gJf==',
  ])('%s', (value) => {
    const masked = keys.mask.json(env('UPSTREAM', value));
    expect(JSON.stringify(masked)).not.toContain(value);
    expect(keys.mask.json(masked)).toEqual(masked);
  });
});

const commit = '3f786850e387550fdab836ed7e6dc881de23001b';
const digest = `sha256:${'9f86d081884c7d659a2feaa0c55ad015'.repeat(2)}`;
const uuid = '550e8400-e29b-41d4-a716-446655440000';

/** Values of variables that are not secret. */
const harmless: readonly [name: string, value: string][] = [
  ...[
    'nginx:1.27.2',
    'registry.example.com/shop/cart:2.19.0',
    `registry.example.com/shop/cart@${digest}`,
    'ghcr.io/argoproj/argo-rollouts:v1.8.3',
    'quay.io/prometheus/node-exporter:v1.8.2',
    'busybox',
    'gcr.io/distroless/static-debian12:nonroot',
    'public.ecr.aws/docker/library/redis:7.4-alpine',
    '123456789012.dkr.ecr.eu-central-1.amazonaws.com/shop/checkout:2026-11-22T10-30',
    'localhost:5000/app:dev',
    'docker.io/bitnami/postgresql:16.4.0-debian-12-r9',
    'mcr.microsoft.com/dotnet/aspnet:8.0.10-jammy-chiseled',
    'nvcr.io/nvidia/tritonserver:24.09-vllm-python-py3',
    `k8s.gcr.io/pause@${digest}`,
    'registry.gitlab.com/group/sub-group/project/main:pipeline-1234567',
  ].map((value): [string, string] => ['IMAGE', value]),
  ...[
    digest,
    digest.slice(7),
    commit,
    commit.slice(0, 12),
    `v1.2.3-${commit.slice(0, 7)}`,
    commit.toUpperCase(),
    'd41d8cd98f00b204e9800998ecf8427e',
    `sha512:${'ab12'.repeat(32)}`,
    'W/"33a64df551425fcc55e4d42a148795d9f25f89d4"',
    `main@${commit}`,
  ].map((value): [string, string] => ['GIT_COMMIT', value]),
  ...[
    uuid,
    uuid.toUpperCase(),
    `{${uuid}}`,
    `urn:uuid:${uuid}`,
    '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    `tenant-${uuid}`,
    '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
    'f47ac10b58cc4372a5670e02b2c3d479',
    `${uuid},${uuid}`,
    `/subscriptions/${uuid}/resourceGroups/shop`,
  ].map((value): [string, string] => ['TENANT_ID', value]),
  ...[
    'db.shop.svc.cluster.local',
    'checkout-primary-0.checkout.shop.svc',
    '10.96.0.1:443',
    '[2001:db8::8a2e:370:7334]:8080',
    'https://api.example.com/v1/orders?limit=50',
    'postgres://db.example.com:5432/shop?sslmode=require',
    'redis://cache-master.shop:6379/0',
    'kafka-0.kafka:9092,kafka-1.kafka:9092,kafka-2.kafka:9092',
    'amqp://rabbit.shop.svc:5672/%2f',
    'http://otel-collector.observability:4318/v1/traces',
    'ip-10-0-12-34.eu-central-1.compute.internal',
    'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
    'arn:aws:iam::123456789012:role/eks-checkout-role',
    'arn:aws:sqs:eu-central-1:123456789012:orders.fifo',
    'projects/shop-prod-123456/topics/order-events',
    's3://shop-artifacts-eu/releases/2026/11/22/',
    'mongodb+srv://cluster0.ab1cd.mongodb.net/shop',
    'unix:///var/run/docker.sock',
    'shop-prod.database.windows.net',
    'https://hooks.example.com/deploy',
  ].map((value): [string, string] => ['UPSTREAM_URL', value]),
  ...[
    '512Mi',
    '1Gi',
    '250m',
    '1.5',
    '100',
    '30s',
    '5m30s',
    '24h',
    '0.75',
    '65536',
    '1e6',
    '80%',
    '-1',
    '3600',
    '10MB/s',
    '128974848',
    '2k',
    '0',
    '1000000000',
    '500ms',
  ].map((value): [string, string] => ['LIMIT_VALUE', value]),
  ...[
    'true',
    'false',
    'info',
    'production',
    'eu-central-1',
    'Europe/Berlin',
    'en_US.UTF-8',
    'UTC',
    'RS256',
    'json',
    'least_connections',
    'READ_COMMITTED',
    'application/json; charset=utf-8',
    'v1.31.2+k3s1',
    'feature/checkout-rework-2026',
    'checkout-7d9f8b6c5d-x2x9z',
    'OrderCreatedEventHandlerV2',
    'com.example.shop.checkout.CheckoutApplication',
    '-Xms512m -Xmx1g -XX:+UseG1GC',
    '/var/lib/postgresql/data/pgdata',
    '/etc/ssl/certs/ca-certificates.crt',
    '2026-11-22T10:30:00Z',
    '*/5 * * * *',
    'en,de,fr;q=0.8',
    'GET,POST,PUT,DELETE',
    'x-request-id,traceparent',
    'a,b,c',
    '1,2,3',
    'max-age=31536000; includeSubDomains',
    'SELECT 1',
    '{"level":"info","format":"json"}',
    '[1, 2, 3]',
    '$(POD_NAMESPACE)',
    'gpt-4o-mini-2024-07-18',
    'meta-llama/Llama-3.1-8B-Instruct',
    'text-embedding-3-large',
    'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384',
    'snappy',
    'org.apache.kafka.common.serialization.StringDeserializer',
  ].map((value): [string, string] => ['SETTING', value]),
  ...[
    'The checkout was rolled back because errors went up.',
    'Failed to pull image: not found',
    'scale 2 to 3',
    'bearer token is expired',
    'password is required',
    'the token is read from a file',
    'the secret is mounted at /etc/tls',
    'Rotate keys every 90 days',
    'Basic authentication is off',
    'Back to 2.18.3: see INC-4711',
    'password is rejected',
    'a pin is never stored',
    'the passphrase was changed',
    'tokens are short lived',
  ].map((value): [string, string] => ['NOTE', value]),
  ['PARTITION_KEY', 'customer'],
  ['CACHE_KEY', 'orders'],
  ['PUBLIC_KEY_URL', 'https://example.com/key.pub'],
  ['PWD', '/srv/app'],
  ['RANDOM_SEED', '42'],
  ['HMAC_ALGORITHM', 'sha256'],
  ['LICENSE_TYPE', 'enterprise'],
  ['PIN_MEMORY', 'true'],
  ['TOPOLOGY_KEY', 'kubernetes.io/hostname'],
  ['MONKEY', 'banana'],
  ['KEYCLOAK_REALM', 'shop'],
  ['SHARDING_KEY', 'tenant'],
  ['PRIMARY_KEY', 'id'],
  ['AUTHOR', 'Ann Example'],
  ['PASSENGER_COUNT', '4'],
  ['COMPASS_MODE', 'north'],
  ['SPINNER', 'dots'],
  ['TOKENIZER', 'cl100k_base'],
  ['PINNED_VERSION', '1.2.3'],
  ['LICENSE_ACCEPTED', 'true'],
  ['SEEDED', 'true'],
  ['SESSION_TTL', '3600'],
  ['MAX_TOKENS', '4096'],
  ['KEYSPACE', 'orders'],
];

test('masks almost no harmless value', () => {
  expect(harmless.length).toBeGreaterThanOrEqual(150);
  const masked = harmless.filter(([name, value]) => containsMarker(keys.mask.json(env(name, value))));
  const said = harmless.filter(([name, value]) => name === 'NOTE' && containsMarker(keys.mask.text(value)));
  expect([...masked, ...said].length, JSON.stringify([masked, said])).toBeLessThanOrEqual(3);
});

describe('the configured custom names', () => {
  const own = new Keys(Buffer.alloc(32, 7), { names: ['zugang', 'acme_pass_code'] });

  test.each(['DB_ZUGANG', 'zugang', 'dbZugang2_ZUGANG', 'ACME_PASS_CODE_2'])('mask %s', (name) => {
    expect(JSON.stringify(own.mask.json(env(name, SECRET)))).not.toContain(SECRET);
    expect(own.mask.text(`run --${name}=${SECRET}`)).not.toContain(SECRET);
  });

  test('mask no other, and not even those where they are not configured', () => {
    expect(JSON.stringify(own.mask.json(env('ZUGANGSZEIT', SECRET)))).toContain(SECRET);
    expect(JSON.stringify(keys.mask.json(env('DB_ZUGANG', SECRET)))).toContain(SECRET);
  });
});

describe('with all values of variables hidden', () => {
  const all = new Keys(Buffer.alloc(32, 7), { hidesEnv: true });

  test('none is shown, in a list or a map, and references remain', () => {
    const reference = { name: 'B', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } };
    const template = {
      spec: {
        containers: [{ name: 'app', image: 'shop:1', env: [{ name: 'A', value: 'plain' }, reference] }],
      },
      properties: { env: { C: 'plain' } },
    };
    const masked = all.mask.json(template);
    expect(JSON.stringify(masked)).not.toContain('plain');
    expect(masked).toMatchObject({
      spec: { containers: [{ image: 'shop:1', env: [{ name: 'A' }, reference] }] },
    });
    expect(all.mask.json(masked)).toEqual(masked);
  });

  test('a change still shows, and is no credential in plain text', async () => {
    const diff = await all.mask.diff(env('A', 'one'), env('A', 'two'));
    expect(diff).toMatchObject({ equal: false, changes: [{ kind: 'changed', risk: null }] });
    const added = await all.mask.diff({ spec: { containers: [{ name: 'app' }] } }, env('A', 'two'));
    expect(added.changes).toMatchObject([{ kind: 'added', risk: null }]);
    const secret = await all.mask.diff(
      { spec: { containers: [{ name: 'app' }] } },
      env('DB_PASSWORD', 'two'),
    );
    expect(secret.changes[0]?.risk?.code).toBe('inline_secret');
  });
});
