import { deflateSync } from 'node:zlib';
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import { Keys } from '@/server/shared/keys';

const keys = new Keys(Buffer.alloc(32, 7));

/** Letters and digits, as a person chooses them. */
const S = 'hunter2SESAME9';
/** As a program makes them. */
const RANDOM = 'xK9mP2vL8qR4tY7wZ3nB5cD1';
const HEX = 'c0ffee00'.repeat(8);

const pem = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEowIBAAKCAQEAx7Zq9v2hSECRETPARTQWERTYabcdEFGH1234567890\n'.repeat(3)}-----END RSA PRIVATE KEY-----\n`;
const encode = (text: string) => Buffer.from(text).toString('base64');
const wrap = (text: string, indent = '') => (text.match(/.{1,64}/g) ?? []).join(`\n${indent}`);
const pem64 = encode(pem.repeat(4));
const begin = pem64.slice(0, 40);
const certificate = encode('-----BEGIN CERTIFICATE-----\nabc');
const kubeconfig = `apiVersion: v1\nkind: Config\nusers:\n- name: admin\n  user:\n    client-certificate-data: ${certificate}\n    client-key-data: ${pem64}\n`;
const account = JSON.stringify({ type: 'service_account', private_key: pem.repeat(4), client_email: 'a@b' });
const docker = JSON.stringify({ auths: { 'r.io': { username: 'bob', password: S } } });
const der = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'der' });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
  type: 'sec1',
  format: 'der',
});
const twice = encode(encode(`password: ${S}\nuser: bob\nhost: db\n`));

/** A text, and what of it must not be seen where that is not the usual one. */
type Line = readonly [text: string, secret?: string];
const withSecret = (lines: readonly Line[]) => lines.map(([text, secret = S]) => ({ text, secret }));

/** The name and the value of a variable, and what of it must not be seen where that is not the usual one. */
type Shape = readonly [name: string, value: string, secret?: string];

const base64: readonly Shape[] = [
  ['KUBECONFIG_YAML', kubeconfig, begin],
  ['CLIENT_KEY_DATA', pem64, begin],
  ['TLS_PEM_B64', pem64, begin],
  ['TLS_PEM_WRAPPED', wrap(pem64), begin],
  ['TLS_IN_YAML', `tls:\n  data: |\n    ${wrap(pem64, '    ')}\n  port: 1\n`, begin],
  ['GCP_SA_B64', encode(account), encode(account).slice(0, 40)],
  ['DOCKER_CONFIG_B64', encode(docker), encode(docker).slice(0, 40)],
  ['KUBECONFIG_B64', encode(kubeconfig), encode(kubeconfig).slice(0, 40)],
  ['TWICE', twice, twice.slice(0, 40)],
  ['URL_SAFE', encode(docker).replaceAll('+', '-').replaceAll('/', '_'), encode(docker).slice(0, 20)],
  ['ED25519_DER', der.toString('base64'), der.toString('base64').slice(0, 40)],
  ['EC_DER', ec.toString('base64'), ec.toString('base64').slice(0, 40)],
  ['SETTINGS', JSON.stringify({ files: { 'tls.key': pem64 } }), begin],
  [
    'PROPERTIES',
    encode(`spring.datasource.url=jdbc:postgresql://db/x\nspring.datasource.password=${S}\n`),
    encode(`spring.datasource.url=jdbc`).slice(0, 30),
  ],
];

const byName: readonly Shape[] = [
  ['PEPPER', HEX, 'c0ffee00c0ff'],
  ['SHOP_KEY', HEX, 'c0ffee00c0ff'],
  ['PASSWORD_PEPPER', HEX.slice(0, 32), 'c0ffee00c0ff'],
  ['DJANGO_KEY', `${S}!`],
  ...['ADMIN', 'ROOT', 'CLIENT', 'WEBHOOK', 'BOT'].map((word): Shape => [`${word}_KEY`, S]),
  ['adminKey', S],
  ['pаssword', S],
  ['pass\u200bword', S],
  ['ｐａｓｓｗｏｒｄ', S],
];

const structured: readonly Shape[] = [
  ['JWKS', `{"keys":[{"kty":"oct","k":"${S}"}]}`],
  ['JWK', `{"kty":"RSA","n":"abc","e":"AQAB","d":"${S}exponent","p":"${S}p"}`],
  ['JWK_IN_TEXT', `key: {"kty":"EC","crv":"P-256","x":"a","y":"b","d":"${S}"} was read`],
  ['JWK_YAML', `kty: oct\nk: ${S}\n`],
  ['CONFIG', `password: |\n  ${S}\n`],
  ['CONFIG', `password: >-\n  ${S}`],
  ['CONFIG', `password: |2-\n      two words\n        and ${S}\nhost: db`],
  ['CONFIG', `passwords:\n  - ${S}\n  - b`],
  ['CONFIG', `passwords:\n- b\n- ${S}\nhost: db`],
  ['CONFIG', `tokens: [${S}, other]`],
  ['CONFIG', `tokens: [other,\n  "${S}"]\nhost: db`],
  ['CONFIG', `credentials: {user: bob, x: ${S}}`],
  ['CONFIG', `db:\n  password:\n    ${S}`],
  ['CONFIG', `db:\n  password: my long ${S}\n  host: db`],
  ['CONFIG', `db:\n  password: first\n    second ${S}\n  host: db`],
  ['CONFIG', `db:\n  password: "my long ${S}" # from the vault\n  host: db`],
  ['CONFIG', `db:\n  password: &pw ${S}\n  host: db`],
  ['CONFIG', `db:\n  "password" : ${S}\n  host: db`],
  ['CONFIG', `env:\n  - name: DB_PASSWORD\n    value: my ${S}\n  - name: A\n    value: b\n`],
  ['CONFIG', `env:\n  - value: my ${S}\n    name: DB_PASSWORD\n`],
  ['CONFIG', `credentials:\n  primary:\n    deep:\n      - x: ${S}\nhost: db`],
  ['CONFIG', `password: \${DB_PASSWORD:-${S}}`],
  ['HEREDOC', `cat > /etc/app.yaml <<EOF\npassword: |\n  ${S}\nEOF\nexec app`],
  [
    'CONFIG',
    `<configuration><property><name>fs.s3a.secret.key</name><value>${S}</value></property></configuration>`,
  ],
  ['CONFIG', `<property><value>${S}</value><name>fs.s3a.secret.key</name></property>`],
  ['SETTINGS_XML', `<server><password>${S}</password></server>`],
  ['SETTINGS_XML', `<server>\n  <password>\n    ${S}\n  </password>\n</server>`],
  ['SETTINGS_XML', `<server><wsse:Password Type="x">${S}</wsse:Password></server>`],
  ['SETTINGS_XML', `<server><password><![CDATA[${S}]]></password></server>`],
  ['SETTINGS_XML', `<passwords><string>a</string><string>${S}</string></passwords>`],
  ['BEANS', `<property name="password"><value>${S}</value></property>`],
  ['BEANS', `<entry key="db.password">${S}</entry>`],
  ['BEANS', `<add value='${S}' key='DbPassword' />`],
  ['PLIST', `<dict><key>password</key><string>${S}</string></dict>`],
];

const lines: readonly Shape[] = [
  ['NETRC', `machine github.com login bob password ${S}`],
  ['NETRC', `machine github.com\n  login bob\n  password ${S}\n`],
  ['PGPASS', `db.example:5432:*:bob:${S}`],
  ['FILES', `db.example:5432:*:bob:${S}`],
  ['REDIS_CONF', `requirepass ${S}\nmasterauth ${S}`],
  ['REDIS_ARGS', `--requirepass ${S} --masterauth ${S}x`],
  ['JAVA_OPTS', `-Djavax.net.ssl.keyStorePassword=${S} -Dspring.datasource.password=${S}`],
  ['HTTP_AUTH_HEADER', `X-Api-Key: ${S}`],
  ['HEADERS', `X-Auth-Key=${S}`],
  ['OTEL_EXPORTER_OTLP_HEADERS', `x-honeycomb-team=${S}`],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=Basic%20aHVudGVyMjpTRUNSRVQ', 'aHVudGVyMjpTRUNSRVQ'],
  ['LDAP', `bind_pw=${S}`],
];

const connections: readonly Shape[] = [
  ['AMQP', `amqp://user:${S}@mq/vhost`],
  ['MONGO', `mongodb+srv://user:${S}@c.example/x`],
  ['MYSQL_DSN_', `user:${S}@tcp(db:3306)/app`],
  ['DB', `user:${S}@tcp(db:3306)/app`],
  ['DB', `user:p@ss:${S}@unix(/run/mysqld.sock)/app`],
  ['DB', `user:${S}@(db:3306)/app`],
  ['SQLA', `Server=db;Database=x;Uid=bob;Pwd=${S};`],
  ['SQLA', `postgresql+psycopg2://bob:${S}@db/x`],
  ['ODBC', `Driver={ODBC Driver 18};Server=db;UID=bob;PWD={${S}};Encrypt=yes`],
  ['ADO', `Data Source=db;User ID=bob;Password="${S}";`],
  ['LIBPQ', `host=db port=5432 user=bob password=${S} dbname=x`],
  ['LIBPQ', `host=db password = '${S}' dbname=x`],
  ['ORA', `jdbc:oracle:thin:scott/${S}@//db:1521/x`],
  ['ORACLE', `scott/${S}@db`],
  ['ORACLE', `connect scott/${S}@//db:1521/orcl`],
  ['JDBC', `jdbc:postgresql://db/x?user=a&password=${S}`],
  ['JDBC', `jdbc:sqlserver://db:1433;databaseName=x;user=a;password=${S};encrypt=true`],
  ['JDBC', `jdbc:mysql://bob:${S}@db/x`],
  ['SMTP', `smtp://user:${S}@mail`],
  ['SENTRY', `https://${HEX.slice(0, 32)}@o1.ingest.sentry.io/2`, HEX.slice(0, 32)],
  ['AZ', `DefaultEndpointsProtocol=https;AccountName=x;AccountKey=${S}${S}==;EndpointSuffix=core`],
  ['SAS_URL', `https://x.blob.core.windows.net/c?sv=2020&sig=${S}`],
  ['S3', `https://b.s3.amazonaws.com/k?X-Amz-Signature=${S}`],
  ['WEBHOOK', `https://hooks.example.com/T000/${S}`],
  ['NOTIFY', `https://chat.example.com/api/webhooks/${S}`],
  ['TEAMS', `https://x.webhook.office.com/webhookb2/${S}`],
  ['PROM_RW', `https://user:${S}@prom/x`],
  ['GIT_REPO', `https://${S}@github.com/a/b`],
  ['GIT_REPO2', `https://x-access-token:${S}@github.com/a/b`],
  ['SSH', `ssh://user:${S}@h`],
];

describe.each(Object.entries({ base64, byName, structured, lines, connections }))('%s', (_, shapes) => {
  test.each(shapes)('a variable %s = %s', (name, value, secret = S) => {
    const masked = keys.mask.json(container({ env: [{ name, value }] }));
    expect(JSON.stringify(masked)).not.toContain(secret);
    expect(keys.mask.json(masked)).toEqual(masked);
  });
});

describe('in text', () => {
  const texts: readonly Line[] = [
    [`Failed: login with password ${S} failed`],
    [`invalid password "${S}" for user bob`],
    [`using credentials bob:${S}`],
    [`config{User:"bob", Password:"${S}"}`],
    [`{User:bob Password:${S} Host:x}`],
    [`{User:bob Password:two words ${S} Host:x}`],
    [`&{Spec:{Host:x Password:${S}}}`],
    [`map[host:x password:${S}]`],
    [`user=bob pass=${S} ok`],
    [`{'user': 'bob', 'password': '${S}'}`],
    [`pаssword=${S}`],
    [`pass\u200bword=${S}`],
    [`ｐａｓｓｗｏｒｄ＝${S}`],
    [`{\\"password\\":\\"${S}\\"}`],
    [`"{\\\\\\"password\\\\\\":\\\\\\"${S}\\\\\\"}"`],
    [`msg="sent {\\"user\\":\\"bob\\",\\"password\\":\\"${S}, and more\\"}" level=info`],
    [`password%3D${S}`],
    [`password => '${S}'`],
    [`:password=>"${S}"`],
    [`password -> ${S}`],
    [`run --password ${S}`],
    [`<add key="DbPassword" value="${S}"/>`],
    [`{"key":"DbPassword","value":"${S}"}`],
    [`Authorization=Bearer ${S}`],
    ['Bearer abc12', 'abc12'],
    [`x-api-key ${S}`],
    [`[x](https://bob:${S}@x/y)`],
    [`https://bob:p@ss${S}@x/y`],
    [`https://:${S}@x/`],
    [`redis://:${S}@h:6379`],
    [`postgres://bob:my ${S}@h/d`],
    [`read ${encode(docker)} from the volume`, encode(docker).slice(0, 40)],
    [`start with --admin-key=${RANDOM} failed`, RANDOM],
    [`start with --house-id ${RANDOM} failed`, RANDOM],
  ];

  test.each(withSecret(texts))('$text', ({ text, secret }) => {
    const masked = keys.mask.text(text);
    expect(masked).not.toContain(secret);
    expect(keys.mask.text(masked)).toBe(masked);
    expect(keys.mask.lines([text]).join('\n')).not.toContain(secret);
  });
});

describe('a command line, as a list and as a script', () => {
  const commands: readonly Line[] = [
    [`curl -ubob:${S} https://example.com`],
    [`curl -u bob:${S} https://example.com`],
    [`curl -sS -Uproxy:${S} https://example.com`],
    [`redis-server --masterauth ${S}`],
    [`redis-cli -h cache -a ${S} ping`],
    [`redis-cli config set requirepass ${S}`],
    [`ldapsearch -x -D cn=admin -w ${S} -b dc=example`],
    [`ldapsearch -x -D cn=admin -w${S} -b dc=example`],
    [`sqlcmd -S db -U sa -P ${S} -Q x`],
    [`/opt/mssql-tools/bin/sqlcmd -S db -U sa -P${S}`],
    [`mc alias set backup https://s3.example.com ${S}k ${S}`],
    [`mc config host add backup https://s3.example.com ${S}k ${S} --api S3v4`],
    [`mysql -h db -p${S} shop`],
    [`mysqldump -uroot -p${S} shop`],
    [`env PGPASSWORD=${S} psql -h db shop`],
    [`mongosh -u root -p ${S} db`],
    [`docker login -u bot -p ${S} registry.example`],
    [`sshpass -p${S} ssh host`],
    [`unzip -P ${S} data.zip`],
    [`7z x -p${S} data.7z`],
    [`smbclient //files/x -U bob%${S}`],
    [`snmpget -v3 -A ${S} -X ${S} host oid`],
    [`htpasswd -bc /etc/users bob ${S}`],
    [`htpasswd -nb bob ${S}`],
    [`rabbitmqctl add_user bob ${S}`],
    [`sqlplus -s scott/${S}@db`],
    [`vault login ${RANDOM}`, RANDOM],
    [`aws configure set aws_secret_access_key ${S}`],
    [`kubectl create secret generic db --from-literal=value=${S}`],
    [`kubectl create secret generic db --from-literal value=${S}`],
    [`openssl rsa -in key -passin pass:${S}`],
    [`run --admin-key=${RANDOM}`, RANDOM],
    [`run --house-id ${RANDOM}`, RANDOM],
    [`run --house-id=${RANDOM}`, RANDOM],
  ];

  test.each(withSecret(commands))('$text', ({ text: line, secret }) => {
    const words = line.split(' ');
    const [program = '', ...rest] = words;
    const places: readonly JsonObject[] = [
      { command: words },
      { command: [program], args: rest },
      { command: ['sh', '-c', `set -e\n${line} && echo done`] },
      { args: ['sh', '-c', line] },
    ];
    for (const members of places) {
      const masked = keys.mask.json(container(members));
      expect(JSON.stringify(masked)).not.toContain(secret);
      expect(keys.mask.json(masked)).toEqual(masked);
    }
    const failed = keys.mask.text(`Error: command failed: ${line}`);
    expect(failed).not.toContain(secret);
    expect(keys.mask.text(failed)).toBe(failed);
  });

  test.each([
    `echo ${S} | docker login -u bot --password-stdin registry.example`,
    `echo -n '${S}' | helm registry login -u bot --password-stdin registry.example`,
    `printf '%s' "${S}" | podman login --password-stdin registry.example`,
    `echo root:${S} | chpasswd`,
    `mysql -p${S} db; redis-cli -a ${S} ping\nsqlcmd -P ${S}`,
  ])('%s', (script) => {
    expect(JSON.stringify(keys.mask.json(container({ command: ['sh', '-c', script] })))).not.toContain(S);
  });
});

test('the harmless rest of a decoded text remains readable', () => {
  expect(keys.mask.text(`db:\n  host: db.example\n  password: ${S}\n  port: 5432\n`)).toBe(
    `db:\n  host: db.example\n  password: ${keys.marker(S)}\n  port: 5432\n`,
  );
  expect(keys.mask.text(`{User:bob Password:${S} Host:x}`)).toBe(
    `{User:bob Password:${keys.marker(S)} Host:x}`,
  );
  expect(keys.mask.text(`<db host="x"><password>${S}</password></db>`)).toBe(
    `<db host="x"><password>${keys.marker(S)}</password></db>`,
  );
  expect(keys.mask.text(`user:${S}@tcp(db:3306)/app`)).toBe(`user:${keys.marker(S)}@tcp(db:3306)/app`);
});

test('base64 that holds compressed or other bytes is no text, and takes no time', () => {
  const data = deflateSync(Buffer.alloc(20_000, 'abc')).toString('base64');
  expect(keys.mask.text(data)).toBe(data);
});

function container(members: JsonObject): JsonObject {
  return { spec: { containers: [{ name: 'app', ...members }] } };
}
