import { expect, test } from 'vitest';
import { proxyHeadersIdentity } from '@/server/identity/proxy-headers';

const secret = 's'.repeat(32);
const fromProxy = {
  'x-proxy-secret': secret,
  'x-forwarded-user': 'ana',
  'x-forwarded-groups': 'dev, sre,dev',
};

function personOf(headers: Record<string, string>, peer: string | undefined = '10.1.2.3') {
  const identity = proxyHeadersIdentity({
    ...{ userHeader: 'X-Forwarded-User', groupsHeader: 'X-Forwarded-Groups', secretHeader: 'X-Proxy-Secret' },
    ...{ secret, trusted: ['10.0.0.0/8', 'fd00::/8'], peerOf: () => peer, readOnly: undefined },
  });
  return identity.personOf(new Request('http://localhost/', { headers }));
}

test('a request of the proxy is of the user and the groups that it names', () => {
  for (const peer of ['10.1.2.3', '::ffff:10.1.2.3', 'fd00::7'])
    expect(personOf(fromProxy, peer)).toMatchObject({ id: 'proxy ana', name: 'ana', isProcess: false });
});

test.each<[string, Record<string, string>, string | undefined]>([
  ['from another address', fromProxy, '192.0.2.1'],
  ['from an unknown address', fromProxy, ''],
  ['without the secret', { 'x-forwarded-user': 'ana' }, '10.1.2.3'],
  ['with another secret', { ...fromProxy, 'x-proxy-secret': `${secret}x` }, '10.1.2.3'],
  ['without a user', { 'x-proxy-secret': secret }, '10.1.2.3'],
  ['with a user twice', { ...fromProxy, 'x-forwarded-user': 'ana, root' }, '10.1.2.3'],
  ['with a header that only looks alike', { 'x-proxy-secret': secret, x_forwarded_user: 'ana' }, '10.1.2.3'],
  ['with a user of the API server', { ...fromProxy, 'x-forwarded-user': 'system:admin' }, '10.1.2.3'],
  [
    'with a group of the API server',
    { ...fromProxy, 'x-forwarded-groups': 'dev,system:masters' },
    '10.1.2.3',
  ],
])('%s no one is signed in', (_, headers, peer) => {
  expect(() => personOf(headers, peer)).toThrow(expect.objectContaining({ code: 'signed_out' }) as Error);
});
