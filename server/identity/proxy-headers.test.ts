import { expect, test } from 'vitest';
import { proxyHeadersIdentity } from '@/server/identity/proxy-headers';
import { entryDefaults } from '@/server/shared/testing/entry-defaults';
import { processViewer } from '@/server/shared/testing/viewers';

const self = processViewer('admin');
const secret = 'geheim-0123456789-Zürich';
/** As Node gives the bytes of a header. */
const bytesOf = (text: string) => Buffer.from(text).toString('latin1');
const fromProxy = {
  'x-proxy-secret': bytesOf(secret),
  'x-forwarded-user': 'ana',
  'x-forwarded-groups': 'dev, sre,dev',
};

function personOf(
  headers: Record<string, string>,
  peer: string | undefined = '10.1.2.3',
  repeated: readonly string[] = [],
) {
  const identity = proxyHeadersIdentity({
    ...{ userHeader: 'X-Forwarded-User', groupsHeader: 'X-Forwarded-Groups', secretHeader: 'X-Proxy-Secret' },
    ...{ secret, trusted: ['10.0.0.0/8', 'fd00::/8'], peerOf: () => peer, readOnly: undefined },
    isRepeated: (_, name) => repeated.includes(name),
  });
  return identity.personOf(new Request('http://localhost/', { headers }));
}

test('a request of the proxy is of the user and the groups that it names', () => {
  for (const peer of ['10.1.2.3', '::ffff:10.1.2.3', 'fd00::7'])
    expect(personOf(fromProxy, peer)).toMatchObject({ id: 'proxy ana', name: 'ana', isProcess: false });
});

test.each([
  ['Müller', bytesOf('Müller')],
  ['Müller', 'M\u00fcller'],
  ['山田', bytesOf('山田')],
  ['Ã', '\u00c3'],
])('a name arrives as %s, whether the proxy sends UTF-8 or Latin-1', async (name, value) => {
  const person = await personOf({
    ...fromProxy,
    'x-forwarded-user': value,
    'x-forwarded-groups': `dev, ${value}`,
  });
  expect(person.name).toBe(name);
  expect(person.viewerIn({ ...entryDefaults, name: 'a', self }).credential).toMatchObject({
    ...{ kind: 'impersonate', user: name, groups: ['dev', name] },
  });
});

test.each(['X-Forwarded-User', 'X-Forwarded-Groups'])(
  'no one is signed in where %s is sent twice',
  (name) => {
    expect(() => personOf(fromProxy, '10.1.2.3', [name])).toThrow(
      expect.objectContaining({
        code: 'signed_out',
        message: expect.stringContaining(name) as string,
      }) as Error,
    );
  },
);

test.each<[string, Record<string, string>, string | undefined]>(
  // prettier-ignore
  [
  ['from another address', fromProxy, '192.0.2.1'],
  ['from an unknown address', fromProxy, ''],
  ['without the secret', { 'x-forwarded-user': 'ana' }, '10.1.2.3'],
  ['with another secret', { ...fromProxy, 'x-proxy-secret': `${bytesOf(secret)}x` }, '10.1.2.3'],
  ['without a user', { 'x-proxy-secret': bytesOf(secret) }, '10.1.2.3'],
  ['with a user twice', { ...fromProxy, 'x-forwarded-user': 'ana, root' }, '10.1.2.3'],
  ['with a header that only looks alike', { 'x-proxy-secret': bytesOf(secret), x_forwarded_user: 'ana' }, '10.1.2.3'],
  ['with a user of the API server', { ...fromProxy, 'x-forwarded-user': 'system:admin' }, '10.1.2.3'],
  ['with a user in another order', { ...fromProxy, 'x-forwarded-user': bytesOf('nimda\u202e') }, '10.1.2.3'],
  ['with a group behind a wide space', { ...fromProxy, 'x-forwarded-groups': bytesOf('dev, \u00a0a') }, '10.1.2.3'],
  ['with a byte order mark', { ...fromProxy, 'x-forwarded-user': bytesOf('\ufeffana') }, '10.1.2.3'],
  ['with a group in another order', { ...fromProxy, 'x-forwarded-groups': bytesOf('dev, a\u2067') }, '10.1.2.3'],
  ['with a group of the API server', { ...fromProxy, 'x-forwarded-groups': 'dev,system:masters' }, '10.1.2.3'],
],
)('%s no one is signed in', (_, headers, peer) => {
  expect(() => personOf(headers, peer)).toThrow(expect.objectContaining({ code: 'signed_out' }) as Error);
});
