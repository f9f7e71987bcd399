import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '@/lib/kube/json';
import { Keys } from '@/server/shared/keys';
import { containsMarker } from '@/server/shared/mask';

const keys = new Keys(Buffer.alloc(32, 7));

/** Numbers that look random and are the same in every run. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const next = generator(34);
const below = (most: number) => Math.floor(next() * most);
const bytes = (length: number) => Buffer.from(Array.from({ length }, () => below(256)));
const one = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
const digestOf = (algorithm: string) => createHash(algorithm).update(bytes(24));
const words = ['orders', 'checkout', 'catalog', 'edge', 'billing', 'stock', 'mail', 'web', 'worker', 'api'];

const digest = () =>
  one([
    () => `sha256:${digestOf('sha256').digest('hex')}`,
    () => `registry.example/shop/${one(words)}@sha256:${digestOf('sha256').digest('hex')}`,
    () => `sha512:${digestOf('sha512').digest('hex')}`,
    () => `sha384-${digestOf('sha384').digest('base64')}`,
    () => `sha256-${digestOf('sha256').digest('base64')}`,
  ])();
const commit = () =>
  one([
    () => digestOf('sha1').digest('hex'),
    () => digestOf('sha1').digest('hex').slice(0, 12),
    () => `main@${digestOf('sha1').digest('hex')}`,
    () => `v1.${below(20)}.${below(9)}-${below(90)}-g${digestOf('sha1').digest('hex').slice(0, 8)}`,
    () => digestOf('sha1').digest('hex').toUpperCase(),
  ])();
const uuid = () => {
  const hex = bytes(16).toString('hex');
  const id = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join(
    '-',
  );
  return one([id, id.toUpperCase(), `urn:uuid:${id}`, `{${id}}`, `${one(words)}-${id}`, hex]);
};
const checksum = () =>
  one([
    () => digestOf('md5').digest('hex'),
    () => `md5:${digestOf('md5').digest('hex')}`,
    () => `W/"${digestOf('sha1').digest('hex')}"`,
    () => `${digestOf('sha256').digest('hex')}  ${one(words)}.tar.gz`,
    () => `crc32=${bytes(4).toString('hex')}`,
    () => `h1:${digestOf('sha256').digest('base64')}`,
  ])();

/** A chunk of a PNG file; nothing here reads its checksum. */
function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type), data, bytes(4)]);
}
function picture(): string {
  const png = Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', bytes(13)),
    chunk('IDAT', deflateSync(bytes(40 + below(400)))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
  const gif = Buffer.concat([Buffer.from('GIF89a'), bytes(60 + below(300))]);
  const jpeg = Buffer.concat([Buffer.from('ffd8ffe000104a464946', 'hex'), bytes(60 + below(300))]);
  const type = one(['png', 'gif', 'jpeg'] as const);
  const base64 = { png, gif, jpeg }[type].toString('base64');
  return next() < 0.5 ? base64 : `data:image/${type};base64,${base64}`;
}
function json(): string {
  const value: Json = {
    level: one(['info', 'debug', 'warn']),
    [one(words)]: { replicas: below(9), zones: [one(words), one(words)], enabled: next() < 0.5 },
    url: `https://${one(words)}.example/v${below(4)}`,
    key: one(words),
    partitionKey: 'customer',
    maxTokens: below(9_000),
  };
  const text = JSON.stringify(value);
  return next() < 0.5 ? text : Buffer.from(text).toString('base64');
}
const jvm = () =>
  one([
    () => `-Xms${below(900)}m -Xmx${1 + below(8)}g -XX:+UseG1GC -XX:MaxGCPauseMillis=${below(400)}`,
    () => `-XX:MaxRAMPercentage=${below(90)}.0 -XX:+ExitOnOutOfMemoryError`,
    () => `-Dspring.profiles.active=prod,${one(words)} -Dserver.port=${8000 + below(900)}`,
    () => `-Dlog4j2.formatMsgNoLookups=true -Dfile.encoding=UTF-8 -Duser.timezone=UTC`,
    () => `-javaagent:/opt/otel/opentelemetry-javaagent-1.${below(30)}.0.jar`,
    () => `--add-opens=java.base/java.lang=ALL-UNNAMED -XX:HeapDumpPath=/tmp/${one(words)}.hprof`,
    () => `-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=*:${5000 + below(99)}`,
    () => `-Djavax.net.ssl.trustStore=/etc/ssl/certs/java/cacerts -Djava.security.egd=file:/dev/urandom`,
  ])();
const url = () =>
  one([
    () =>
      `https://${one(words)}.example.com:${8000 + below(900)}/v${below(4)}/${one(words)}?limit=${below(99)}`,
    () => `http://${one(words)}.shop.svc.cluster.local:${9000 + below(90)}/metrics`,
    () => `postgres://db-${below(9)}.example:5432/${one(words)}?sslmode=verify-full`,
    () => `jdbc:postgresql://db.example:5432/${one(words)}?ssl=true&applicationName=${one(words)}`,
    () => `redis://cache-${below(9)}.shop:6379/${below(15)}`,
    () => `https://github.com/example/${one(words)}/commit/${digestOf('sha1').digest('hex')}`,
    () => `https://example.com/${one(words)}/${uuid()}/logs`,
    () => `s3://artifacts-${one(words)}/2026/11/${one(words)}-${below(99)}.tar.gz`,
    () => `mongodb+srv://cluster${below(9)}.ab1cd.mongodb.net/${one(words)}`,
    () => `https://hooks.example.com/${one(words)}`,
  ])();

const kinds = { digest, commit, uuid, checksum, picture, json, jvm, url };
const harmless = Object.entries(kinds).flatMap(([kind, make]) =>
  Array.from({ length: 20 }, () => [kind, make()] as const),
);

const places: Readonly<Record<string, (value: string) => unknown>> = {
  'a variable': (value) => keys.mask.json(container({ env: [{ name: 'SETTING', value }] })),
  'an argument': (value) => keys.mask.json(container({ args: ['serve', value] })),
  'the value of an option': (value) => keys.mask.json(container({ args: ['serve', `--setting=${value}`] })),
  'an annotation': (value) => keys.mask.annotations({ 'example.com/setting': value }),
  'a sentence': (value) => keys.mask.text(`Set setting to ${value} in production`),
  'a line of YAML': (value) => keys.mask.text(`spec:\n  setting: ${value}\n  replicas: 2\n`),
};

function container(members: JsonObject): JsonObject {
  return { spec: { containers: [{ name: 'app', ...members }] } };
}

describe('of 160 harmless values almost none is masked', () => {
  test.each(Object.entries(places))('in %s', (_, place) => {
    expect(harmless).toHaveLength(160);
    const masked = harmless.filter(([, value]) => containsMarker(place(value)));
    expect(masked.length, JSON.stringify(masked)).toBeLessThanOrEqual(4);
  });
});

/** Sentences and files in which the names of credentials, or their signs, are no credentials. */
const plain: readonly string[] = [
  'The secret db-credentials-v2 was not found in namespace shop-1',
  'Secret "cart-tls" not found',
  'password authentication failed for user "shop"',
  'The token expired 2m30s ago',
  'token 3 of 5 was read',
  'vault login failed: permission denied',
  'docker login succeeded for 2 registries',
  'curl is not installed in this image',
  'kubectl create secret generic db --from-file=/run/db',
  'docker run -p 8080:80 nginx:1.27.2',
  'uses: actions/checkout@v4',
  'npm install @shop/cart@2.18.3 example/cart2@main',
  'github.com/Example/Cart2@v1.2.3',
  'image registry.example/Shop2/Cart1@sha256:0123456789abcdef',
  'host:5432:primary',
  '{Name:cart Replicas:3 Image:shop/cart:1.4.2}',
  'map[app:cart tier:web]',
  '<a href="https://example.com/docs">the password page</a>',
  '<property><name>dfs.replication</name><value>3</value></property>',
  'env:\n  - name: DB_PASSWORD\n    valueFrom:\n      secretKeyRef:\n        name: db\n        key: password\n',
  'imagePullSecrets:\n  - name: registry\ncontainers:\n  - name: app\n',
  'tokenTTL: 15m\nmaxTokens: 4096\nauthEnabled: true\npasswordFile: /run/db/password\n',
  'password: ${DB_PASSWORD}\n',
  'topologyKey: kubernetes.io/hostname\nroutingKey: orders.created.v1\n',
  '--tls-key=certs/tls.key',
  '<form><input name="password" type="password"><p>Sign in failed</p></form>',
  'https://svc.example/webhook/mutate-apps-v1-deployment',
  '{"allowHeaders":["x-api-key","authorization","x-auth-token","content-type"]}',
  '--client-key=/etc/etcd/tls/client.key --cert=/etc/etcd/tls/client.crt',
  'Ждём перезапуска: осталось 3 пода',
  'secrets are read from /run/secrets, keys from /etc/keys',
];

test.each(plain)('leaves alone: %s', (text) => {
  expect(keys.mask.text(text)).toBe(text);
});
