import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { proxyJwtIdentity } from '@/server/identity/proxy-jwt';

const issuer = 'https://login.example';
const audience = 'shiplog';
const claims = { email: 'ana@shop.example', groups: ['dev'] };

let keys: Server;
let url: string;
let jwks: string;
/** In place of the keys. */
let answer: ((response: ServerResponse) => void) | undefined;
let privateKey: CryptoKey;
let foreignKey: CryptoKey;

beforeAll(async () => {
  const pair = await generateKeyPair('ES256');
  ({ privateKey } = pair);
  foreignKey = (await generateKeyPair('ES256')).privateKey;
  jwks = JSON.stringify({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k', alg: 'ES256' }] });
  keys = createServer((_, response) => void (answer ?? ((to) => to.end(jwks)))(response));
  await new Promise<void>((resolve) => keys.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(keys.address() as AddressInfo).port}/`;
});
afterEach(() => {
  answer = undefined;
});
afterAll(() => new Promise((resolve) => keys.close(resolve)));

function personOf(headers: Record<string, string>, at = url) {
  const names = { username: 'email', groups: 'groups' };
  const identity = proxyJwtIdentity({
    ...{ header: 'X-Assertion', issuer, audience, keys: at, claims: names, readOnly: undefined },
  });
  return Promise.resolve(identity.personOf(new Request('http://localhost/', { headers })));
}

function assertion(
  change: { issuer?: string; audience?: string; end?: string; claims?: object } = {},
  key = privateKey,
) {
  return new SignJWT({ ...claims, ...change.claims })
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

test('a claim that is not true in its own type names no one else', async () => {
  const changed = await assertion({ claims: { email: 'admin@shop.example', email_verified: 'false' } });
  expect(await personOf({ 'x-assertion': changed })).toMatchObject({ name: '17' });
});

test('an outage of the keys signs no one out: it is an error of its own', async () => {
  const unavailable = { code: 'identity_unavailable' };
  const valid = await assertion();
  await expect(personOf({ 'x-assertion': valid }, 'http://127.0.0.1:1/')).rejects.toMatchObject(unavailable);
  for (const [status, body] of [
    [500, 'oops'],
    [429, ''],
    [404, 'Not found'],
    [200, '<html>'],
    [200, '{}'],
  ] as const) {
    answer = (response) => response.writeHead(status).end(body);
    await expect(personOf({ 'x-assertion': valid })).rejects.toMatchObject(unavailable);
  }
  answer = undefined;
  await personOf({ 'x-assertion': valid });
});

test('keys are not fetched from where their URL is redirected to', async () => {
  const visits: string[] = [];
  const other = createServer((request, response) => {
    visits.push(request.url ?? '');
    response.end(jwks);
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
  answer = (response) => response.writeHead(302, { location }).end();
  const valid = await assertion();
  await expect(personOf({ 'x-assertion': valid })).rejects.toMatchObject({ code: 'identity_unavailable' });
  expect(visits).toEqual([]);
  await new Promise((resolve) => other.close(resolve));
});
