import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Json, type JsonObject, parseJson } from '@/lib/kube/json';
import { Keys } from '@/server/shared/keys';
import { containsMarker } from '@/server/shared/mask';
import { TEXT_CHARS_MAX } from '@/server/shared/masking/json-walk';

const keys = new Keys(Buffer.alloc(32, 7));
const marker = (value: string) => keys.marker(value);

/** Long enough that no part of a template contains it by chance; the cases do their own quoting. */
const secret = fc
  .stringMatching(/^[A-Za-z0-9]{4}[A-Za-z0-9!#$%*+,.:?@^_~/-]{4,20}[A-Za-z0-9]$/)
  .map((s) => `Zq9${s}`);
const urlSecret = fc.stringMatching(/^[A-Za-z0-9!$*+,.:_~-]{6,20}$/).map((s) => `Zq9${s}`);

function container(members: JsonObject): JsonObject {
  return { spec: { containers: [{ name: 'app', image: 'shop/cart:1.4.2', ...members }] } };
}
const env = (name: string, value: string) => container({ env: [{ name, value }] });
const args = (...words: string[]) => container({ args: words });

// prettier-ignore
const places: Record<string, (value: string) => JsonObject> = {
  'an environment variable': (value) => env('DB_PASSWORD', value),
  'a variable named without separators': (value) => env('pgpassword', value),
  'a connection string': (value) => env('DB_CONNECTION_STRING', `Server=db;Pwd=${value};Database=x`),
  'an init container': (value) => ({ spec: { initContainers: [{ env: [{ name: 'API_KEY', value }] }] } }),
  'an argument with =': (value) => args(`--password=${value}`),
  'an argument with = and spaces': (value) => args(`--password=two words ${value}`),
  'a Java property': (value) => args(`-Dspring.datasource.password=${value}`),
  'the argument after a flag': (value) => args('--token', value, '--port', '8080'),
  'the pair after -u': (value) => container({ command: ['curl', '-u', `admin:${value}`, 'http://x'] }),
  'an assignment for env': (value) => container({ command: ['env', `SECRET_TOKEN=${value}`, 'run'] }),
  'a flag in a script': (value) => container({ command: ['sh', '-c', `mysql --password="${value}" -e x && a`] }),
  'an exported variable in a script': (value) => container({ command: ['sh', '-ec', `export API_TOKEN='${value}'\nexec run`] }),
  'a header in a script': (value) => container({ args: ['sh', '-c', `curl -H "X-Api-Key: ${value}" x`] }),
  'an Authorization header in a script': (value) => container({ args: ['sh', '-c', `curl -H 'Authorization: Bearer ${value}' x`] }),
  'a probe': (value) => container({ livenessProbe: { exec: { command: ['check', `--auth-token=${value}`] } } }),
  'a probe header': (value) => container({ readinessProbe: { httpGet: { httpHeaders: [{ name: 'Authorization', value: `Basic ${value}` }] } } }),
  'a cookie of a probe': (value) =>
    container({ startupProbe: { httpGet: { httpHeaders: [{ name: 'Cookie', value: `a=${value}; b=c` }] } } }),
  'a lifecycle hook': (value) => container({ lifecycle: { preStop: { exec: { command: ['bye', '--api-key', value] } } } }),
  'the applied configuration': (value) => ({ metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': `{"x":"${value}"}` } } }),
  'a named annotation': (value) => ({ metadata: { annotations: { 'example.com/db-password': value } } }),
  'JSON in an annotation': (value) => ({ metadata: { annotations: { 'example.com/config': JSON.stringify({ db: [{ password: value }] }) } } }),
  'an unknown field': (value) => container({ x: { clientSecret: value } }),
  'an unknown object': (value) => container({ credentials: { user: 'x', list: [value, { deep: value }] } }),
  'volume attributes': (value) => ({ spec: { volumes: [{ csi: { volumeAttributes: { accessKey: value } } }] } }),
  'JSON in a variable': (value) => env('CONFIG', `{"a":1,"token":${JSON.stringify(value)}}`),
  'YAML in a variable': (value) => env('CONFIG', `user: bob\n  password: "${value}"\n`),
};

const urlPlaces: Record<string, (value: string) => JsonObject> = {
  'a URL in a variable': (value) => env('DATABASE_URL', `postgres://cart:${value}@db:5432/cart?a=b@c`),
  'a URL in an argument': (value) => args(`--db=amqp://u:${value}@mq/`),
  'a user alone': (value) => args(`https://${value}@git.example/x.git`),
  'a query': (value) => env('CALLBACK', `https://x.example/y?page=1&access_token=${value}&b=2`),
  'a password with a slash': (value) => env('REDIS', `redis://:a/${value}@redis:6379`),
};

describe('masking a template', () => {
  test.each(Object.entries({ ...places }))('leaves no secret in %s', (_, place) => {
    fc.assert(
      fc.property(secret, (value) => {
        expect(JSON.stringify(keys.mask.json(place(value)))).not.toContain(value);
      }),
    );
  });

  test.each(Object.entries(urlPlaces))('leaves no URL secret in %s', (_, place) => {
    fc.assert(
      fc.property(urlSecret, (value) => {
        expect(JSON.stringify(keys.mask.json(place(value)))).not.toContain(value);
      }),
    );
  });

  test('gives equal values one marker and different values different ones', () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.values({ ...places })), secret, secret, (place, a, b) => {
        const [first, again, other] = [a, a, b].map((value) => JSON.stringify(keys.mask.json(place(value))));
        expect(first).toBe(again);
        expect(first === other).toBe(a === b);
      }),
    );
  });

  test('masking twice equals masking once', () => {
    const piece = fc.constantFrom(
      ...[
        '--password',
        '=',
        ' ',
        '"',
        "'",
        'x://',
        'u:p@h',
        ':',
        '\n',
        'token',
        'Bearer ',
        'abcdefgh',
        '-u',
        '{',
      ],
      ...['password: ', 'tokens:\n', '- ', '  ', '|\n', '>-\n', 'name: token\n', 'value: ', ': x\n', '#'],
      ...[
        '<password>',
        '</password>',
        '<a key="token" value="',
        '"/>',
        '<![CDATA[',
        ']]>',
        '<name>',
        '</name>',
      ],
      ...['{Token:', 'map[', ' Host:', '\\"', '"kty":', '"d":', '=>', ' -> ', '%3D', 'password x7', '"x"'],
      ...[
        'mysql -p',
        'curl -u',
        'echo ',
        '| docker login',
        'mc alias set a b ',
        '$(A)',
        'x-api-key ',
        'vault login ',
      ],
      ...[
        'a:b@tcp(',
        'scott/Tiger1@db',
        'h:1:d:u:pw12',
        'https://hooks.x/',
        'b1Cd2Ef3Gh4Ij5Kl6Mn7Op8',
        'Wert',
        'пароль',
        'рass',
      ],
      ...['&', ';', ',', 'Authorization', '[masked:0a1b2c3d]', '$(A)', '\\', '/', '[', '}', ']', 'sig', '?'],
    );
    const text = fc.array(piece, { maxLength: 14 }).map((parts) => parts.join(''));
    const json = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.integer(),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom('name', 'value', 'password', 'secret', 'x'), tie('value')),
      ),
    })).value;
    fc.assert(
      fc.property(json, (value) => {
        const once = keys.mask.json(value);
        expect(keys.mask.json(once)).toEqual(once);
      }),
      { numRuns: 3000 },
    );
  });

  test('changes nothing of the original', () => {
    const template = env('DB_PASSWORD', 'hunter2');
    const before = structuredClone(template);
    keys.mask.json(template);
    expect(template).toEqual(before);
  });

  test('leaves alone names of secrets, and values that can be none', () => {
    const template = {
      metadata: {
        labels: { 'pod-template-hash': 'abc', app: 'token-service' },
        annotations: {
          'vault.hashicorp.com/agent-inject-token': 'true',
          'example.com/config': '{ "a" : 1 }',
        },
      },
      spec: {
        serviceAccountName: 'auth',
        automountServiceAccountToken: false,
        imagePullSecrets: [{ name: 'registry-secret' }],
        containers: [
          {
            name: 'auth',
            image: 'registry.example:5000/auth@sha256:0123',
            env: [
              { name: 'TOKEN_TTL', value: '15m' },
              { name: 'MAX_TOKENS', value: '4096' },
              { name: 'AUTH_ENABLED', value: 'true' },
              { name: 'AUTH_URL', value: 'https://auth.internal/login' },
              { name: 'PASSWORD_FILE', value: '/run/secrets/db-password' },
              { name: 'DB_PASSWORD', value: '$(OTHER)' },
              { name: 'DB_PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } },
              { name: 'AUTHOR', value: 'bob' },
              { name: 'EMPTY_SECRET', value: '' },
              { name: 'TZ', value: 'Europe/Vienna' },
              { name: 'REGISTRY', value: 'http://npm:4873/@shop/cart' },
            ],
            args: ['--token-ttl=1h', '--user', '1000:1000', '--token', '$(TOKEN)', '--auth-enabled', '--v=2'],
            command: ['sh', '-c', 'run --token=$(cat /run/token) --port=80 && a:b'],
          },
        ],
        volumes: [
          {
            name: 'a',
            secret: { secretName: 'tls', items: [{ key: 'password', path: 'p' }], defaultMode: 420 },
          },
          {
            name: 'b',
            projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 3600 } }] },
          },
          { name: 'c', csi: { driver: 'x', volumeAttributes: { secretProviderClass: 'vault' } } },
        ],
      },
    };
    expect(keys.mask.json(template)).toEqual(template);
  });

  test('keeps the form around a masked value', () => {
    const words = ['--password=a', '--token', 'b', 'sh', '-c', "mysql --password='c' db", 'pg://u:p@h/x'];
    expect(keys.mask.json(args(...words))).toEqual(
      args(
        `--password=${marker('a')}`,
        '--token',
        marker('b'),
        'sh',
        '-c',
        `mysql --password='${marker('c')}' db`,
        `pg://${marker('u:p')}@h/x`,
      ),
    );
  });

  test('keeps numbers that a double cannot hold', () => {
    const template = parseJson('{"spec":{"x":9007199254740993,"y":1.0}}') as JsonObject;
    expect(JSON.stringify(keys.mask.json(template))).toBe('{"spec":{"x":9007199254740993,"y":1.0}}');
  });

  test('hides numbers under a credential-like name, except measures', () => {
    const template = { x: { pinToken: 1234, tokenExpirationSeconds: 3600, passwordSet: true } };
    expect(keys.mask.json(template)).toEqual({
      x: { pinToken: marker('1234'), tokenExpirationSeconds: 3600, passwordSet: true },
    });
  });

  test('terminates soon on long hostile text', () => {
    const hostile = [
      'a="',
      'token="',
      "password='",
      'x://a:b/',
      '--token ',
      'a-',
      '[',
      'Bearer ',
      '-----BEGIN PRIVATE KEY-----',
    ];
    for (const piece of hostile) {
      const text = piece.repeat(20_000).slice(0, TEXT_CHARS_MAX);
      expect(keys.mask.text(keys.mask.text(text))).toBe(keys.mask.text(text));
    }
    const deep = `${'['.repeat(15_000)}"token"${']'.repeat(15_000)}`;
    expect(keys.mask.text(deep)).toBe(deep);
  });
});

describe('a large template', () => {
  const members = (length: number) =>
    Object.fromEntries(Array.from({ length }, (_, index) => [`Ab9xY-${index}`, 'v']));
  const hiding = new Keys(Buffer.alloc(32, 7), { hidesEnv: true });
  const count = (template: JsonObject, by = keys) => {
    const work = by.mask.templateInSlices(template);
    for (let pieces = 1; ; pieces += 1) if (work.next().done === true) return pieces;
  };

  test('is masked in slices of so many values and characters, whatever their shape', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('x://', '-u a:b ', '\ntoken: x', 'token:"', 'plain'),
        fc.integer({ min: 1, max: 24 }),
        (shape, values) => {
          const text = shape.repeat(Math.floor(TEXT_CHARS_MAX / shape.length));
          const template = args(...Array.from({ length: values }, () => text));
          expect(count(template)).toBeGreaterThanOrEqual(Math.floor((values * text.length) / 32_768));
        },
      ),
      { numRuns: 20 },
    );
    expect(count(args(...Array.from({ length: 20_000 }, (_, index) => `--a-${index}`)))).toBeGreaterThan(4);
    expect(count(args('--port=80'))).toBe(1);
  });

  test.each<[string, JsonObject, Keys?]>([
    ['what a Secret holds', { kind: 'Secret', data: members(9_000) }],
    ['a list under the name of a credential', { tokens: Object.keys(members(9_000)) }],
    [
      'numbers under the name of a credential',
      { password: Array.from({ length: 9_000 }, (_, i) => 1e6 + i) },
    ],
    ['members under the name of a credential', { credentials: members(9_000) }],
    [
      'all variables',
      { env: Array.from({ length: 9_000 }, (_, i) => ({ name: `N${i}`, value: 'v' })) },
      hiding,
    ],
  ])('hides %s in pieces', (_, template, by = keys) => {
    expect(count(template, by)).toBeGreaterThan(2);
  });

  test('hides a longer value completely, without reading it', () => {
    const text = 'x'.repeat(TEXT_CHARS_MAX + 1);
    expect(keys.mask.json(args(text))).toEqual(args(marker(text)));
    expect(keys.mask.text(text.slice(1))).toBe(text.slice(1));
  });
});

test('100,000 labels take many short turns, where they would take a long one', async () => {
  const labelsOf = (run: number) =>
    Object.fromEntries(
      Array.from({ length: 100_000 }, (_, index) => [
        `team-${index}.example.com/app-${index}`,
        `v${run}-${index}`,
      ]),
    );
  /** The longest time in which nothing else could run, and the time of it all. */
  const measure = async (work: () => Promise<void> | null | undefined) => {
    let longestMs = 0;
    let isOver = false;
    let before = performance.now();
    const began = before;
    const turn = () => {
      const now = performance.now();
      longestMs = Math.max(longestMs, now - before);
      before = now;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    await work();
    isOver = true;
    return { longestMs: Math.max(longestMs, performance.now() - before), allMs: performance.now() - began };
  };
  const ratios: number[] = [];
  for (const run of [1, 2, 3]) {
    const labels = labelsOf(run);
    const whole = await measure(() => {
      keys.mask.annotations(labels);
      return undefined;
    });
    const { longestMs } = await measure(() => keys.mask.prepare(labels));
    expect(keys.mask.prepare(labels)).toBeNull();
    expect(keys.mask.annotations(labels)).toEqual(labels);
    ratios.push(longestMs / whole.allMs);
  }
  // Other processes prolong a turn now and then.
  expect(Math.min(...ratios)).toBeLessThan(0.25);
});

test('few labels are masked at once, and need no preparation', () => {
  expect(keys.mask.prepare({ app: 'cart', tier: 'web' })).toBeNull();
});

test('masks lines of a log in pages: hides a private key wherever it begins, and leaves plain lines', () => {
  const plain = Array.from({ length: 4_000 }, (_, index) => `line ${index} of a log that is long enough`);
  const secret = ['-----BEGIN PRIVATE KEY-----', 'Zm9vYmFy', '-----END PRIVATE KEY-----', '--token abcdef'];
  const masked = keys.mask.lines([...plain, ...secret, 'last']);
  expect(masked.slice(0, 4_000)).toEqual(plain);
  expect(masked.at(-1)).toBe('last');
  expect(masked.join('\n')).not.toMatch(/Zm9v|abcdef/);
});

describe('masking text', () => {
  test.each([
    ['deploy by bob --token=abc', `deploy by bob --token=${marker('abc')}`],
    ['pull https://u:p@r.example/x failed', `pull https://${marker('u:p')}@r.example/x failed`],
    ['header Authorization: Bearer abcdefgh', `header Authorization: Bearer ${marker('abcdefgh')}`],
    ['got Bearer abcdef123', `got Bearer ${marker('abcdef123')}`],
    ['{"level":"info","password":"x"}', `{"level":"info","password":"${marker('x')}"}`],
    ['password: "open', `password: ${marker('"open')}`],
  ])('%s', (text, expected) => {
    expect(keys.mask.text(text)).toBe(expected);
  });

  test.each([
    'Failed to pull image "registry.example/shop/cart:1.4.2": not found',
    'MountVolume.SetUp failed for volume "tls" : secret "cart-tls" not found',
    'bearer token is expired',
    'Basic authentication is off',
    'Readiness probe failed: Get "http://10.1.2.3:8080/ready": dial tcp 10.1.2.3:8080: connection refused',
    'rollback to 42: errors since 2.19.0',
  ])('leaves alone: %s', (text) => {
    expect(keys.mask.text(text)).toBe(text);
  });

  test('masks annotations by name and by value', () => {
    expect(
      keys.mask.annotations({
        'checksum/secret': 'abc',
        'kubernetes.io/change-cause': 'to 42',
        x: 'a://u:p@h',
      }),
    ).toEqual({
      'checksum/secret': marker('abc'),
      'kubernetes.io/change-cause': 'to 42',
      x: `a://${marker('u:p')}@h`,
    });
  });
});

test('a complete Secret inside another object shows the names of its data, and no value', () => {
  const object = { kind: 'Secret', data: { ca: 'Zm9v' }, stringData: { port: 5432 }, type: 'Opaque' };
  const component = { components: [{ name: 'db', properties: { objects: [object] } }] };
  const masked = keys.mask.json(component);
  expect(JSON.stringify(masked)).not.toMatch(/Zm9v|5432/);
  expect(masked).toMatchObject({
    components: [{ properties: { objects: [{ type: 'Opaque', data: { ca: marker('Zm9v') } }] } }],
  });
  expect(keys.mask.json(masked)).toEqual(masked);
});

describe('markers', () => {
  test('are 8 digits of a keyed hash', () => {
    expect(marker('x')).toMatch(/^\[masked:[0-9a-f]{8}\]$/);
    expect(new Keys(Buffer.alloc(32, 8)).marker('x')).not.toBe(marker('x'));
  });

  test('are found in names and values at any depth, also when escaped', () => {
    expect(containsMarker(JSON.parse('{"a":["\\u005bmasked:0a1b2c3d]"]}'))).toBe(true);
    expect(containsMarker({ a: [{ '[masked:0a1b2c3d]': 1 }] })).toBe(true);
    expect(containsMarker({ a: ['[masked:xyz]', 1, null, true] })).toBe(false);
  });
});

describe('a masked difference', () => {
  test('still shows that a masked value changed, without either value', async () => {
    const diff = await keys.mask.diff(env('DB_PASSWORD', 'Zq9old'), env('DB_PASSWORD', 'Zq9new'));
    expect(diff.equal).toBe(false);
    expect(diff.changes).toHaveLength(1);
    expect(JSON.stringify(diff)).toContain(marker('Zq9new'));
    expect(JSON.stringify(diff)).not.toMatch(/Zq9/);
  });
});
