import type { JWTPayload } from 'jose';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AppError } from '@/lib/errors';
import { TestArchive } from '@/server/archive/testing/test-archive';
import type { IdentityProvider, SignInProvider } from '@/server/identity/identity';
import { oidcIdentity } from '@/server/identity/oidc';
import { OpenIdProvider } from '@/server/identity/open-id-provider';
import { Seal } from '@/server/identity/seal';
import { SessionCookies } from '@/server/identity/session-cookies';
import { Sessions } from '@/server/identity/sessions';
import { UnverifiedChecks } from '@/server/identity/unverified-checks';
import { AddressRanges } from '@/server/shared/address-ranges';
import { returnPathOf, SignInAttempts } from '@/server/identity/sign-in-attempts';
import { TestProvider } from '@/server/identity/testing/oidc-provider';
import { systemClock } from '@/server/shared/clock';
import type { PersonCredential } from '@/server/shared/cluster-entry';
import { silentLogger } from '@/server/shared/log';
import { entryDefaults } from '@/server/shared/testing/entry-defaults';
import { processViewer } from '@/server/shared/testing/viewers';
import type { Person } from '@/server/shared/viewer';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const PUBLIC_URL = 'http://localhost:8440';
const self = processViewer('admin');
const LOGOUT = 'http://schemas.openid.net/event/backchannel-logout';
const signedOut = (text: string) =>
  expect.objectContaining({ code: 'signed_out', message: expect.stringContaining(text) as string }) as Error;
const unavailable = expect.objectContaining({ code: 'identity_unavailable' }) as Error;

let login: TestProvider;
let archive: TestArchive;
let credentials: Set<PersonCredential>;
let scopes: string;

const client = { id: 'shiplog', secret: 's3cret', redirectUri: `${PUBLIC_URL}/sign-in/callback` };

async function use(options?: Parameters<typeof TestProvider.start>[1]): Promise<void> {
  await login?.stop();
  login = await TestProvider.start(client, options);
}

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  credentials = new Set(['impersonate']);
  scopes = 'openid profile email groups offline_access';
  archive = await TestArchive.open();
  await use();
});

afterEach(async () => {
  vi.useRealTimers();
  await login.stop();
});

const later = (ms: number) => vi.setSystemTime(Date.now() + ms);

/** Of the process that started last. */
let checks: UnverifiedChecks;

type Started = IdentityProvider & { provider: SignInProvider };

/** A process; several share the archive. */
function start(): Started {
  const seal = new Seal(['s'.repeat(32)]);
  const names = { publicUrl: PUBLIC_URL, port: 8440 };
  checks = new UnverifiedChecks({ clock: systemClock, trusted: new AddressRanges([]) });
  return oidcIdentity({
    provider: new OpenIdProvider({
      ...{ issuer: login.issuer, clientId: client.id, clientSecret: client.secret, scopes },
      ...{ publicUrl: PUBLIC_URL, claims: { username: 'email', groups: 'groups' } },
    }),
    sessions: new Sessions({
      ...{ repository: () => archive.sessions, seal, clock: systemClock, checks },
      times: { idleMs: 12 * HOUR_MS, totalMs: 7 * 24 * HOUR_MS },
    }),
    attempts: new SignInAttempts(seal, names),
    checks,
    cookies: new SessionCookies(names, seal),
    credentials: () => credentials,
    totalMs: 7 * 24 * HOUR_MS,
    clock: systemClock,
    log: silentLogger,
    readOnly: undefined,
  }) as Started;
}

const requestOf = (url: string, cookie = '', method = 'GET') =>
  new Request(new URL(url, PUBLIC_URL), { method, headers: { cookie } });
/** What a browser sends after these Set-Cookie lines; those that are deleted are left out. */
const cookieOf = (lines: readonly string[]) =>
  lines.flatMap((line) => (line.includes('Max-Age=0') ? [] : (line.split(';')[0] ?? ''))).join('; ');

/** Goes to the provider and back, up to the answer that the browser brings. */
async function goThere({ provider }: Started, path = '/sign-in') {
  const { url, cookies } = await provider.begin(requestOf(path));
  return { back: await login.signIn(url), cookie: cookieOf(cookies), cookies };
}

async function signIn(identity = start(), path?: string) {
  const { back, cookie } = await goThere(identity, path);
  const done = await identity.provider.complete(requestOf(back, cookie));
  const own = cookieOf(done.cookies);
  return { ...done, identity, cookie: own, read: async (by = identity) => by.personOf(requestOf('/', own)) };
}

const viewerIn = (person: Person, credential: PersonCredential) =>
  person.viewerIn({ ...entryDefaults, name: 'prod', self, credential });
const groupsOf = (person: Person) => {
  const viewer = viewerIn(person, 'impersonate');
  return viewer.credential.kind === 'impersonate' ? viewer.credential.groups : undefined;
};
const tokenOf = (person: Person) => {
  const { credential } = viewerIn(person, 'token');
  return credential.kind === 'token' ? credential.token.authorization() : credential.kind;
};

describe('a browser', () => {
  test('signs in at the provider, and returns to the page that it came from', async () => {
    const identity = start();
    const { url } = await identity.provider.begin(requestOf('/sign-in'));
    expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
      ...{ redirect_uri: `${PUBLIC_URL}/sign-in/callback`, response_type: 'code', scope: scopes },
      ...{ code_challenge_method: 'S256', client_id: 'shiplog' },
      state: expect.stringMatching(/^.{43}$/) as string,
      nonce: expect.stringMatching(/^.{43}$/) as string,
    });
    const { path, cookies, read, cookie } = await signIn(identity, '/sign-in?return=/workloads%3Fq%3Dcart');
    expect(path).toBe('/workloads?q=cart');
    const incarnation = 7 * 24 * 3_600;
    expect(cookies).toEqual([
      expect.stringMatching(
        `^shiplog-8440=[\\w-]{43}\\.[\\w-]{22}; Max-Age=${incarnation}; Path=/; HttpOnly; SameSite=Lax$`,
      ),
      expect.stringMatching(
        `^shiplog-8440-act=[\\w-]{43}; Max-Age=${incarnation}; Path=/; HttpOnly; SameSite=Strict$`,
      ),
      expect.stringMatching(/^shiplog-8440-flow-.{8}=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    const person = await read();
    expect(person).toMatchObject({ id: `${login.issuer} ana`, name: 'ana@shop.example', isProcess: false });
    expect(groupsOf(person)).toEqual(['dev', 'sre']);
    expect(tokenOf(person)).toMatch(/^Bearer ey/);
    await identity.personOf(requestOf('/', cookie, 'POST'));
    const look = cookie.split('; ')[0];
    await expect(identity.personOf(requestOf('/', look, 'POST'))).rejects.toThrow(
      expect.objectContaining({ code: 'forbidden' }) as Error,
    );
    await expect(identity.personOf(requestOf('/'))).rejects.toThrow(signedOut('Sign in with 127.0.0.1'));
  });

  test('has an encrypted cookie for each attempt, and five at most', async () => {
    const { provider } = start();
    let jar: string[] = [];
    for (let count = 0; count < 7; count += 1) {
      later(1_000);
      const { cookies } = await provider.begin(requestOf('/sign-in', jar.join('; ')));
      const gone = cookies.filter((line) => line.includes('Max-Age=0')).map((line) => line.split('=')[0]);
      jar = jar.filter((each) => !gone.includes(each.split('=')[0]));
      jar.push(cookieOf(cookies));
      expect(cookies.at(-1)).toMatch(/; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
    }
    expect(jar).toHaveLength(5);
    const names = { publicUrl: 'https://shiplog.example', port: 8440 };
    const attempts = new SignInAttempts(new Seal(['s'.repeat(32)]), names);
    const { attempt, cookies } = attempts.begin(requestOf('/'), '/', Date.now());
    expect(cookies[0]).toMatch(/^__Host-shiplog-flow-[\w-]{8}=.*; HttpOnly; Secure; SameSite=Lax$/);
    for (const value of Object.values(attempt)) expect(cookies[0]).not.toContain(value);
  });

  test('is refused with a state that is not its own, without the cookie of the attempt, or too late', async () => {
    const identity = start();
    const { complete } = identity.provider;
    const { back, cookie } = await goThere(identity);
    const other = await goThere(identity);
    const own = signedOut('did not begin this sign-in');
    await expect(complete(requestOf(back))).rejects.toThrow(own);
    await expect(complete(requestOf(back, other.cookie))).rejects.toThrow(own);
    const forged = new URL(back);
    forged.searchParams.set('state', `${forged.searchParams.get('state')}x`);
    await expect(complete(requestOf(forged.href, cookie))).rejects.toThrow(own);
    later(10 * MINUTE_MS + 1);
    await expect(complete(requestOf(back, cookie))).rejects.toThrow(own);
  });

  test('is refused with a code that was used before, or is of another attempt', async () => {
    const identity = start();
    const { complete } = identity.provider;
    const { back, cookie } = await goThere(identity);
    await complete(requestOf(back, cookie));
    await expect(complete(requestOf(back, cookie))).rejects.toThrow(signedOut('invalid_grant'));
    const [first, second] = [await goThere(identity), await goThere(identity)];
    const mixed = new URL(second.back);
    mixed.searchParams.set('code', new URL(first.back).searchParams.get('code') ?? '');
    await expect(complete(requestOf(mixed.href, second.cookie))).rejects.toThrow(signedOut('invalid_grant'));
  });

  test('is told why the provider refuses', async () => {
    const identity = start();
    const { url, cookies } = await identity.provider.begin(requestOf('/sign-in'));
    const state = new URL(url).searchParams.get('state') ?? '';
    const query = new URLSearchParams({ state, error: 'access_denied', error_description: 'not assigned' });
    query.set('iss', login.issuer);
    await expect(
      identity.provider.complete(requestOf(`/sign-in/callback?${query}`, cookieOf(cookies))),
    ).rejects.toThrow(signedOut('access_denied: not assigned'));
  });

  test('does not sign in a member of system:masters', async () => {
    login.accounts.ana = { email: 'ana@shop.example', groups: ['dev', 'system:masters'] };
    await expect(signIn()).rejects.toThrow(signedOut('system:masters'));
  });

  test('gets names that only the userinfo endpoint has, with one request', async () => {
    await use({ claimsInToken: false });
    const { read } = await signIn();
    const person = await read();
    expect([person.name, groupsOf(person)]).toEqual(['ana@shop.example', ['dev', 'sre']]);
    expect(login.requests.filter((line) => line === 'GET /me')).toHaveLength(1);
  });

  test('is told that the provider is away, and can sign in when it is back', async () => {
    const identity = start();
    login.isAway = true;
    await expect(identity.provider.begin(requestOf('/sign-in'))).rejects.toThrow(unavailable);
    login.isAway = false;
    const { back, cookie } = await goThere(identity);
    login.isAway = true;
    await expect(identity.provider.complete(requestOf(back, cookie))).rejects.toThrow(unavailable);
    login.isAway = false;
    await signIn(identity);
  });

  test.each<[string, string, number, string]>([
    ['an error of its own at the token endpoint', '/token', 500, 'oops'],
    ['too many requests at the token endpoint', '/token', 429, '{"error":"slow_down"}'],
    ['the page of a load balancer at the token endpoint', '/token', 200, '<html>'],
    ['an error of its own at the userinfo endpoint', '/me', 502, 'oops'],
    ['too many requests at the userinfo endpoint', '/me', 429, 'slow down'],
    ['the page of a load balancer at the userinfo endpoint', '/me', 200, '<html>'],
  ])('is told that the provider is away for %s', async (_, path, status, body) => {
    for (const type of ['text/html', 'application/json']) {
      await use({ claimsInToken: false });
      login.answers[path] = { status, body, headers: { 'content-type': type } };
      await expect(signIn()).rejects.toThrow(unavailable);
    }
  });

  test.each([
    'authorization_endpoint',
    'token_endpoint',
    'jwks_uri',
    'userinfo_endpoint',
    'revocation_endpoint',
    'end_session_endpoint',
  ])('is not sent to a provider whose %s has no TLS', async (name) => {
    const path = '/.well-known/openid-configuration';
    const settings = (await (await fetch(`${login.issuer}${path}`)).json()) as object;
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ ...settings, [name]: 'http://login.example/x' });
    login.answers[path] = { status: 200, headers, body };
    const exposed = expect.objectContaining({
      ...{ code: 'identity_unavailable', message: expect.stringContaining(`as its ${name}`) as string },
    }) as Error;
    await expect(start().provider.begin(requestOf('/sign-in'))).rejects.toThrow(exposed);
  });

  test('is not sent to where the settings of the provider are redirected to', async () => {
    const path = '/.well-known/openid-configuration';
    login.answers[path] = { status: 302, body: '', headers: { location: `${login.issuer}/elsewhere` } };
    await expect(start().provider.begin(requestOf('/sign-in'))).rejects.toThrow(unavailable);
    expect(login.requests).toEqual([`GET ${path}`]);
  });

  test('is not named by an address that the provider has not verified', async () => {
    for (const claimsInToken of [true, false]) {
      await use({ claimsInToken });
      login.accounts.ana = { email: 'admin@shop.example', email_verified: 'false' };
      expect((await (await signIn()).read()).name).toBe('ana');
    }
  });

  test('is not named by an address of the userinfo endpoint that only the token calls verified', async () => {
    login.accounts.ana = { email_verified: true, groups: ['dev'] };
    const headers = { 'content-type': 'application/json' };
    const info = { sub: 'ana', email: 'admin@shop.example', email_verified: false, groups: ['admins'] };
    login.answers['/me'] = { status: 200, headers, body: JSON.stringify(info) };
    const person = await (await signIn()).read();
    expect([person.name, groupsOf(person)]).toEqual(['ana', ['dev']]);
  });

  test('signs out here and at the provider, and the refresh token is revoked', async () => {
    const { identity, cookie, read } = await signIn();
    const { person, cookies, url } = await identity.signOut(requestOf('/', cookie, 'DELETE'));
    expect(person).toMatchObject({ name: 'ana@shop.example' });
    expect(cookies).toHaveLength(2);
    expect(url).toMatch(`${login.issuer}/session/end?`);
    expect(new URL(url ?? '').searchParams.get('id_token_hint')).toMatch(/^ey/);
    await expect(read()).rejects.toThrow(signedOut('Sign in'));
    await vi.waitFor(() => expect(login.requests).toContain('POST /token/revocation'));
  });
});

test.each<[string, string]>([
  ['/', '/'],
  ['/workloads?q=a&b#c', '/workloads?q=a&b#c'],
  ['/a b', '/a%20b'],
  ...[
    `/${'x'.repeat(1_000)}`,
    '/..//evil.example',
    '/a/..//evil.example',
    '/%2e%2e//evil.example',
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    '/\t/evil.example',
    'evil',
    '',
    '\\\\evil',
  ].map((path): [string, string] => [path, '/']),
])('a browser that wants to return to %j is sent to %j, never to another site', (path, expected) => {
  expect(returnPathOf(path)).toBe(expected);
});

describe('a session', () => {
  test('survives a restart', async () => {
    const { read } = await signIn();
    expect((await read(start())).name).toBe('ana@shop.example');
    later(20 * MINUTE_MS);
    expect((await read(start())).name).toBe('ana@shop.example');
  });

  test('is renewed once for fifty requests at two processes, and no one is signed out', async () => {
    await use({ idTokenSeconds: 300 });
    credentials = new Set(['impersonate', 'token']);
    const { read, identity } = await signIn();
    const other = start();
    const first = tokenOf(await read());
    await read(other);
    for (let round = 0; round < 3; round += 1) {
      later(301_000);
      const before = login.requests.filter((line) => line === 'POST /token').length;
      const people = await Promise.all(
        Array.from({ length: 50 }, (_, index) => read(index % 2 ? other : identity)),
      );
      expect(login.requests.filter((line) => line === 'POST /token')).toHaveLength(before + 1);
      expect(people.map(({ name }) => name)).toEqual(Array.from({ length: 50 }, () => 'ana@shop.example'));
    }
    later(6_000);
    for (const each of [identity, other]) {
      const token = tokenOf(await read(each));
      expect(token).toMatch(/^Bearer ey/);
      expect(token).not.toBe(first);
    }
  });

  test('waits for the renewal of another request where clusters take nothing but a valid token', async () => {
    await use({ idTokenSeconds: 300 });
    credentials = new Set(['token']);
    const { read, identity } = await signIn();
    const other = start();
    later(301_000);
    const people = await Promise.all(
      Array.from({ length: 50 }, (_, index) => read(index % 2 ? other : identity)),
    );
    for (const person of people) expect(tokenOf(person)).toMatch(/^Bearer ey/);
  });

  test('ends within fifteen minutes of use after the account is disabled', async () => {
    const { read } = await signIn();
    delete login.accounts.ana;
    later(14 * MINUTE_MS);
    await read();
    later(MINUTE_MS);
    await expect(read()).rejects.toThrow(signedOut('has ended your sign-in'));
    await expect(read()).rejects.toThrow(signedOut('Sign in'));
    await expect(read(start())).rejects.toThrow(signedOut('Sign in'));
  });

  test('loses a group within fifteen minutes of use, and ends where a group of the API server is added', async () => {
    const { read } = await signIn();
    login.accounts.ana = { email: 'ana@shop.example', groups: ['dev'] };
    later(15 * MINUTE_MS);
    expect(groupsOf(await read())).toEqual(['dev']);
    login.accounts.ana = { email: 'ana@shop.example' };
    later(15 * MINUTE_MS);
    expect(groupsOf(await read())).toEqual([]);
    login.accounts.ana = { email: 'ana@shop.example', groups: ['system:masters'] };
    later(15 * MINUTE_MS);
    await expect(read()).rejects.toThrow(signedOut('system:masters'));
    await expect(read()).rejects.toThrow(signedOut('Sign in'));
  });

  test('goes on for an hour while the provider is away, and then does not count until it is back', async () => {
    const { read } = await signIn();
    login.isAway = true;
    later(45 * MINUTE_MS);
    await read();
    const requests = login.requests.length;
    later(14 * MINUTE_MS);
    expect((await read()).name).toBe('ana@shop.example');
    later(MINUTE_MS);
    for (let count = 0; count < 2; count += 1)
      await expect(read()).rejects.toThrow(signedOut('has not confirmed your sign-in'));
    expect(login.requests).toHaveLength(requests);
    login.isAway = false;
    expect((await read()).name).toBe('ana@shop.example');
  });

  test('does not count after its token where clusters take nothing else, while the provider is away', async () => {
    credentials = new Set(['token']);
    const { read } = await signIn();
    login.isAway = true;
    later(HOUR_MS - 20_000);
    expect(tokenOf(await read())).toMatch(/^Bearer ey/);
    later(20_000);
    await expect(read()).rejects.toThrow(signedOut('has not confirmed'));
  });

  test('has no token for a cluster after the token has expired', async () => {
    credentials = new Set(['impersonate', 'token']);
    const { read } = await signIn();
    login.isAway = true;
    later(50 * MINUTE_MS);
    await read();
    later(10 * MINUTE_MS - 2_000);
    expect(tokenOf(await read())).toMatch(/^Bearer/);
    await use({ idTokenSeconds: 600 });
    const short = await signIn();
    login.isAway = true;
    later(601_000);
    expect(tokenOf(await short.read())).toBe('none');
  });

  test('lasts eight hours without a refresh token', async () => {
    login.givesRefreshTokens = false;
    const { read, cookies } = await signIn();
    expect(cookies[0]).toContain(`Max-Age=${8 * 3_600};`);
    later(7 * HOUR_MS);
    await read();
    later(HOUR_MS + 1);
    await expect(read()).rejects.toThrow(signedOut('Sign in'));
  });

  test('lasts seven days in use, and twelve hours without', async () => {
    const { read } = await signIn();
    for (let day = 0; day < 13; day += 1) {
      later(11 * HOUR_MS);
      await read();
    }
    later(12 * HOUR_MS + 1);
    await expect(read()).rejects.toThrow(signedOut('Sign in'));
    const second = await signIn();
    for (let hour = 0; hour < 7 * 24; hour += 8) {
      await second.read();
      later(8 * HOUR_MS);
    }
    later(1_000);
    await expect(second.read()).rejects.toThrow(signedOut('Sign in'));
  });

  test('keeps the next refresh token though the rest of a renewal fails', async () => {
    await use({ claimsInToken: false });
    const { read } = await signIn();
    later(15 * MINUTE_MS);
    const names = vi.spyOn(globalThis, 'fetch').mockImplementation(failUserinfo(globalThis.fetch));
    await read();
    names.mockRestore();
    later(15 * MINUTE_MS);
    login.accounts.ana = { email: 'ana@shop.example', groups: ['dev'] };
    expect(groupsOf(await read())).toEqual(['dev']);
  });
});

test('a renewal that failed halfway is repeated with the next refresh token, also without a pause', async () => {
  await use({ claimsInToken: false });
  const { read } = await signIn();
  later(HOUR_MS);
  const names = vi.spyOn(globalThis, 'fetch').mockImplementation(failUserinfo(globalThis.fetch));
  for (let count = 0; count < 3; count += 1)
    await expect(read()).rejects.toThrow(signedOut('has not confirmed'));
  names.mockRestore();
  expect((await read()).name).toBe('ana@shop.example');
});

/** The provider breaks after the refresh token is spent. */
function failUserinfo(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) =>
    typeof input === 'string' && input.endsWith('/me')
      ? Promise.reject(new TypeError('fetch failed'))
      : fetch(input, init);
}

test('a code of the provider and a cookie that may be made up are unverified', async () => {
  const { identity, cookie } = await signIn();
  const { isUnverified = () => false } = identity;
  expect(isUnverified(requestOf('/'))).toBe(false);
  expect(isUnverified(requestOf('/', cookie))).toBe(false);
  expect(isUnverified(requestOf('/sign-in/callback?code=x&state=y', cookie))).toBe(true);
  expect(isUnverified(requestOf('/', `shiplog-8440=${'x'.repeat(43)}`))).toBe(true);
});

test('an answer that the provider refuses counts against its sender, and one without an attempt costs nothing', async () => {
  const identity = start();
  const { back, cookie } = await goThere(identity);
  const forged = new URL(back, PUBLIC_URL);
  forged.searchParams.set('code', 'of-no-one');
  const before = login.requests.length;
  const refused = expect.objectContaining({ code: 'signed_out' }) as Error;
  await expect(identity.provider.complete(requestOf(forged.href))).rejects.toThrow(refused);
  expect(login.requests).toHaveLength(before);
  expect(checks.counts.refused).toBe(0);
  await expect(identity.provider.complete(requestOf(forged.href, cookie))).rejects.toThrow(refused);
  expect(checks.counts.refused).toBe(1);
});

describe('the back channel', () => {
  test('ends the sessions of a person at every process', async () => {
    const { read, identity } = await signIn();
    const other = start();
    await read(other);
    await identity.provider.endSessions(await login.logoutToken({ sub: 'ana' }));
    await expect(read()).rejects.toThrow(signedOut('Sign in'));
    later(5_000);
    await expect(read(other)).rejects.toThrow(signedOut('Sign in'));
  });

  test('leaves the sessions of another browser and of another person', async () => {
    const { read, identity } = await signIn();
    await identity.provider.endSessions(await login.logoutToken({ sid: 'another' }));
    await identity.provider.endSessions(await login.logoutToken({ sub: 'ben' }));
    await read();
  });

  test('ends no session that began after the logout, though its token is sent again', async () => {
    const first = await signIn();
    const token = await login.logoutToken({ sub: 'ana' });
    await first.identity.provider.endSessions(token);
    await expect(first.read()).rejects.toThrow(signedOut('Sign in'));
    later(1_000);
    const second = await signIn(first.identity);
    const used = expect.objectContaining({
      ...{ code: 'bad_request', message: expect.stringContaining('used before') as string },
    }) as Error;
    await expect(first.identity.provider.endSessions(token)).rejects.toThrow(used);
    // A process that has not seen the token yet.
    await start().provider.endSessions(token);
    await second.read();
    await second.read(start());
  });

  test('ends a session that began in the second of the logout, and one that was renewed since', async () => {
    const { read, identity } = await signIn();
    later(15 * MINUTE_MS);
    await read();
    const { read: readNew } = await signIn(identity);
    await identity.provider.endSessions(await login.logoutToken({ sub: 'ana' }));
    await expect(read()).rejects.toThrow(signedOut('Sign in'));
    await expect(readNew()).rejects.toThrow(signedOut('Sign in'));
  });

  test('accepts a token again where the archive was away', async () => {
    const { read, identity } = await signIn();
    const token = await login.logoutToken({ sub: 'ana' });
    const away = new AppError('archive_unavailable', 'Away.');
    const ending = vi.spyOn(archive.sessions, 'endLogins').mockRejectedValueOnce(away);
    await expect(identity.provider.endSessions(token)).rejects.toThrow(away);
    ending.mockRestore();
    await identity.provider.endSessions(token);
    await expect(read()).rejects.toThrow(signedOut('Sign in'));
  });

  test.each<[string, number, string]>([
    ['an error', 500, 'oops'],
    ['too many requests', 429, ''],
    ['no JSON', 200, '<html>'],
    ['JSON without keys', 200, '{}'],
  ])('does not call a token invalid while the keys answer with %s', async (_, status, body) => {
    const { identity } = await signIn();
    login.answers['/jwks'] = { status, body };
    const token = await login.logoutToken({ sub: 'ana' });
    await expect(identity.provider.endSessions(token)).rejects.toThrow(unavailable);
  });

  test.each<[string, JWTPayload]>([
    ['of another issuer', { iss: 'https://evil.example' }],
    ['for another client', { aud: 'grafana' }],
    ['of a sign-in', { nonce: 'n' }],
    ['of no logout', { events: { 'https://example.com/other': {} } }],
    ['without events', { events: undefined }],
    ['without an id', { jti: undefined }],
    ['with an id that is no text', { jti: 7 as unknown as string }],
    ['with an event that is no object', { events: { [LOGOUT]: true } }],
    ['about no one', { sub: undefined }],
    ['about a person whose name is no text', { sub: { $ne: 1 } as unknown as string }],
    ['about a number', { sub: 17 as unknown as string }],
    ['about a session that is no text', { sid: ['s'] }],
    ['of five minutes ago', { iat: Math.floor(Date.now() / 1_000) - 300 }],
    ['that has expired', { exp: Math.floor(Date.now() / 1_000) - 60 }],
  ])('refuses a token %s', async (_, claims) => {
    const { read, identity } = await signIn();
    const token = await login.logoutToken({ sub: 'ana', ...claims });
    const refused = expect.objectContaining({ code: 'bad_request' }) as Error;
    await expect(identity.provider.endSessions(token)).rejects.toThrow(refused);
    await expect(identity.provider.endSessions(`${token.slice(0, -9)}AAAAAAAAA`)).rejects.toThrow(refused);
    await read();
  });
});
