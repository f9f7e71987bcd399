import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { proxyJwtIdentity } from '@/server/identity/proxy-jwt';

const issuer = 'https://login.example';
const audience = 'shiplog';
const claims = { email: 'ana@shop.example', groups: ['dev'] };

let keys: Server;
let url: string;
let privateKey: CryptoKey;
let foreignKey: CryptoKey;

beforeAll(async () => {
  const pair = await generateKeyPair('ES256');
  ({ privateKey } = pair);
  foreignKey = (await generateKeyPair('ES256')).privateKey;
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k', alg: 'ES256' }] });
  keys = createServer((_, response) => response.end(jwks));
  await new Promise<void>((resolve) => keys.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(keys.address() as AddressInfo).port}/`;
});
afterAll(() => new Promise((resolve) => keys.close(resolve)));

function personOf(headers: Record<string, string>, at = url) {
  const names = { username: 'email', groups: 'groups' };
  const identity = proxyJwtIdentity({
    ...{ header: 'X-Assertion', issuer, audience, keys: at, claims: names, readOnly: undefined },
  });
  return Promise.resolve(identity.personOf(new Request('http://localhost/', { headers })));
}

function assertion(change: { issuer?: string; audience?: string; end?: string } = {}, key = privateKey) {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', kid: 'k' })
    .setSubject('17')
    .setIssuer(change.issuer ?? issuer)
    .setAudience(change.audience ?? audience)
    .setExpirationTime(change.end ?? '5m')
    .sign(key);
}

test('a valid assertion names its person, with or without Bearer before it', async () => {
  const valid = await assertion();
  for (const value of [valid, `Bearer ${valid}`])
    expect(await personOf({ 'x-assertion': value })).toMatchObject({
      ...{ id: `${issuer} 17`, name: 'ana@shop.example', isProcess: false },
    });
});

test('no one is signed in by an assertion of another issuer, audience, key or time, by an unsigned one, or by none', async () => {
  const unsigned = new UnsecuredJWT(claims).setSubject('17').setIssuer(issuer).setAudience(audience);
  const wrong = [
    await assertion({ issuer: 'https://evil.example' }),
    await assertion({ audience: 'another' }),
    await assertion({ end: '2 minutes ago' }),
    await assertion({}, foreignKey),
    unsigned.setExpirationTime('5m').encode(),
    'not a token',
    '',
  ];
  for (const value of wrong)
    await expect(personOf({ 'x-assertion': value })).rejects.toMatchObject({ code: 'signed_out' });
  const elsewhere = async () => personOf({ authorization: await assertion() });
  await expect(elsewhere()).rejects.toMatchObject({ code: 'signed_out' });
});

test('an outage of the keys signs no one out: it is an error of its own', async () => {
  const away = personOf({ 'x-assertion': await assertion() }, 'http://127.0.0.1:1/');
  await expect(away).rejects.toMatchObject({ code: 'identity_unavailable' });
});
