import { SignJWT } from 'jose';
import { beforeEach, describe, expect, test, vi, onTestFinished } from 'vitest';
import { AppError } from '@/lib/errors';
import type { BearerToken } from '@/server/shared/bearer-token';
import type { ViewerSession, ViewerSessionRepository } from '@/server/archive/viewer-sessions';
import { Seal } from '@/server/identity/seal';
import { SessionCookies } from '@/server/identity/session-cookies';
import { Sessions } from '@/server/identity/sessions';
import { tokenIdentity } from '@/server/identity/token';
import { UnverifiedChecks } from '@/server/identity/unverified-checks';
import { VerifiedTokens } from '@/server/identity/verified-tokens';
import { AddressRanges } from '@/server/shared/address-ranges';
import { type Clock, systemClock } from '@/server/shared/clock';
import { processViewer } from '@/server/shared/testing/viewers';
import { entryDefaults } from '@/server/shared/testing/entry-defaults';

const HOUR_MS = 3_600_000;
const START_MS = Date.parse('2026-11-01T12:00:00Z');
const self = processViewer('admin');

let now: number;
let rows: Map<string, ViewerSession>;
let isAway: boolean;
let isHanging = false;
const seal = new Seal(['s'.repeat(32)]);
const clock: Clock = { ...systemClock, now: () => now };

/** The users of the tokens that the API server of each cluster accepts. */
const users: Record<string, Record<string, string>> = { prod: { 'of-ana': 'ana' }, staging: { 'of-a': 'a' } };
const verify = vi.fn();

beforeEach(() => {
  now = START_MS;
  rows = new Map();
  isAway = false;
  isHanging = false;
  verify.mockReset().mockImplementation((named: string | undefined, token: BearerToken) => {
    const cluster = named ?? 'prod';
    const user = users[cluster]?.[token.authorization().replace('Bearer ', '')];
    if (user === undefined) return Promise.reject(new AppError('unauthorized', 'No.'));
    return Promise.resolve({ cluster, user });
  });
});

function repository(): ViewerSessionRepository {
  const guarded = <Result>(result: Result): Promise<Result> =>
    isHanging
      ? new Promise(() => undefined)
      : isAway
        ? Promise.reject(new AppError('archive_unavailable', 'Away.'))
        : Promise.resolve(result);
  return {
    save: (row: ViewerSession) => guarded(void rows.set(row.idHash, { ...row })),
    find: (idHash: string, at: number) => {
      const row = rows.get(idHash);
      return guarded(row !== undefined && row.expiresMs >= at ? { ...row } : undefined);
    },
    touch: (idHash: string, seenMs: number, expiresMs: number) =>
      guarded(Object.assign(rows.get(idHash) ?? {}, { seenMs, expiresMs })),
    end: (idHash: string) => guarded(void rows.delete(idHash)),
  } as unknown as ViewerSessionRepository;
}

/** A process; several share the rows. */
function start(publicUrl?: string) {
  const times = { idleMs: 12 * HOUR_MS, totalMs: 7 * 24 * HOUR_MS };
  const checks = new UnverifiedChecks({ clock, trusted: new AddressRanges([]) });
  return tokenIdentity({
    tokens: new VerifiedTokens({ verify, checks, now: () => now }),
    sessions: new Sessions({ repository, seal, times, clock, checks }),
    cookies: new SessionCookies({ publicUrl, port: 8440 }, seal),
    lifeMs: 12 * HOUR_MS,
    now: () => now,
    readOnly: undefined,
  });
}

const request = (headers: Record<string, string> = {}, method = 'GET', query = '') =>
  new Request(`http://localhost:8440/api/workloads${query}`, { method, headers });

/** What a browser sends after these Set-Cookie lines. */
const cookieOf = (lines: readonly string[]) => lines.map((line) => line.split(';')[0]).join('; ');
const signedOut = expect.objectContaining({ code: 'signed_out' }) as Error;

describe('a script', () => {
  test('acts with the token that it sends, in the cluster that accepts it', async () => {
    const person = await start().personOf(request({ authorization: 'Bearer of-ana' }, 'POST'));
    expect(person).toMatchObject({ id: 'user:ana', name: 'ana', isProcess: false, isShared: false });
    const viewer = person.viewerIn({ ...entryDefaults, name: 'prod', self });
    expect(viewer).toMatchObject({ id: 'user:ana', credential: { kind: 'token' }, isProcess: false });
    expect(person.viewerIn({ ...entryDefaults, name: 'staging', self }).credential).toEqual({ kind: 'none' });
  });

  test('names the cluster of its token', async () => {
    const person = await start().personOf(
      request({ authorization: 'Bearer of-a' }, 'GET', '?cluster=staging'),
    );
    expect(person.viewerIn({ ...entryDefaults, name: 'staging', self }).name).toBe('a');
  });

  test('is refused without asking the API server where the token is blank', async () => {
    for (const authorization of ['', 'Bearer', 'Bearer   ', 'Basic abc', 'Bearer a b', 'Bearer a,b'])
      await expect(start().personOf(request({ authorization }))).rejects.toThrow(AppError);
    expect(verify).not.toHaveBeenCalled();
  });

  test('is verified once a minute', async () => {
    const { personOf } = start();
    const read = () => personOf(request({ authorization: 'Bearer of-ana' }));
    for (let count = 0; count < 5; count += 1) await read();
    expect(verify).toHaveBeenCalledTimes(1);
    now += 60_000;
    await Promise.all([read(), read()]);
    expect(verify).toHaveBeenCalledTimes(2);
  });

  test('that was accepted a minute ago waits for no junk', async () => {
    const { personOf } = start();
    const read = (token: string) => personOf(request({ authorization: `Bearer ${token}` }));
    await read('of-ana');
    now += 60_000;
    verify.mockImplementation((_: unknown, token: BearerToken) =>
      token.authorization() === 'Bearer of-ana'
        ? Promise.resolve({ cluster: 'prod', user: 'ana' })
        : new Promise(() => undefined),
    );
    for (let count = 0; count < 50; count += 1) void read(`junk-${count}`);
    expect((await read('of-ana')).name).toBe('ana');
    expect(verify).toHaveBeenCalledTimes(1 + 20 + 1);
  });

  test('is refused for ten seconds without asking again, and by then a token may be known', async () => {
    const { personOf, signIn } = start();
    const authorization = 'Bearer of-new';
    for (let count = 0; count < 3; count += 1)
      await expect(personOf(request({ authorization }))).rejects.toThrow(signedOut);
    await expect(signIn(request(), { token: 'of-new' })).rejects.toThrow(signedOut);
    expect(verify).toHaveBeenCalledTimes(1);
    users.prod = { ...users.prod, 'of-new': 'new' };
    now += 10_000;
    expect((await personOf(request({ authorization }))).name).toBe('new');
  });

  test('whose token is no longer accepted notices within a minute', async () => {
    const { personOf } = start();
    const authorization = 'Bearer of-leaver';
    users.prod = { ...users.prod, 'of-leaver': 'leaver' };
    await personOf(request({ authorization }));
    delete users.prod['of-leaver'];
    now += 60_000;
    await expect(personOf(request({ authorization }))).rejects.toThrow(signedOut);
    await expect(personOf(request({ authorization }))).rejects.toThrow(signedOut);
    expect(verify).toHaveBeenCalledTimes(2);
  });

  test('is asked about again after an outage of the API server, which refuses no one', async () => {
    const { personOf } = start();
    const read = () => personOf(request({ authorization: 'Bearer of-ana' }));
    await read();
    now += 60_000;
    const away = new AppError('cluster_unreachable', 'Away.');
    verify.mockRejectedValueOnce(away);
    await expect(read()).rejects.toThrow(away);
    expect((await read()).name).toBe('ana');
  });
});

describe('a browser', () => {
  test('gets two cookies for a token, and neither they nor the archive hold it', async () => {
    const { signIn, personOf } = start();
    const { cookies, person } = await signIn(request(), { token: 'of-ana' });
    expect(person.name).toBe('ana');
    const [look = '', act = ''] = cookies;
    expect(look).toMatch(
      /^shiplog-8440=[\w-]{43}\.[\w-]{22}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect(act).toMatch(/^shiplog-8440-act=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(JSON.stringify([cookies, [...rows.values()]])).not.toContain('of-ana');
    for (const value of [look, act].map((line) => /=([\w-]{43})/.exec(line)?.[1] ?? '?'))
      expect(JSON.stringify([...rows.values()])).not.toContain(value);
    const found = await personOf(request({ cookie: cookieOf(cookies) }, 'POST'));
    expect(found.name).toBe('ana');
  });

  test('behind https the cookies are bound to the host', async () => {
    const { cookies } = await start('https://shiplog.example').signIn(request(), { token: 'of-ana' });
    expect(cookies.map((line) => line.split('=')[0])).toEqual(['__Host-shiplog', '__Host-shiplog-act']);
    for (const line of cookies) expect(line).toContain('; Secure');
  });

  test('that came by a link from another site sees and does not act', async () => {
    const { signIn, personOf } = start();
    const { cookies } = await signIn(request(), { token: 'of-ana' });
    const cookie = cookieOf(cookies.slice(0, 1));
    expect((await personOf(request({ cookie }))).name).toBe('ana');
    await expect(personOf(request({ cookie }, 'POST'))).rejects.toThrow(
      expect.objectContaining({ code: 'forbidden' }) as Error,
    );
  });

  test('signs in to a second cluster besides the first', async () => {
    const { signIn, personOf } = start();
    const first = await signIn(request(), { token: 'of-ana', cluster: 'prod' });
    const cookie = cookieOf(first.cookies);
    const second = await signIn(request({ cookie }), { token: 'of-a', cluster: 'staging' });
    const person = await personOf(request({ cookie: cookieOf(second.cookies) }));
    expect(['prod', 'staging'].map((name) => person.viewerIn({ ...entryDefaults, name, self }).id)).toEqual([
      'user:ana',
      'user:a',
    ]);
    // The value from before is worth nothing.
    await expect(personOf(request({ cookie }))).rejects.toThrow(signedOut);
  });

  test('with the cookie to look alone gets nothing of the first session by signing in elsewhere', async () => {
    const { signIn, personOf } = start();
    const other = await signIn(request(), { token: 'of-a', cluster: 'staging' });
    for (const act of ['', cookieOf(other.cookies.slice(1))]) {
      const first = await signIn(request(), { token: 'of-ana', cluster: 'prod' });
      const cookie = `${cookieOf(first.cookies.slice(0, 1))}; ${act}`;
      const { cookies, person: told } = await signIn(request({ cookie }), {
        token: 'of-a',
        cluster: 'staging',
      });
      for (const person of [told, await personOf(request({ cookie: cookieOf(cookies) }, 'POST'))]) {
        const kinds = ['prod', 'staging'].map(
          (name) => person.viewerIn({ ...entryDefaults, name, self }).credential.kind,
        );
        expect([person.name, ...kinds]).toEqual(['a', 'none', 'token']);
      }
    }
  });

  test('is not signed in as a user whose name is not seen as it is', async () => {
    users.prod = { ...users.prod, 'of-mallory': 'nimda\u202e' };
    const refused = expect.objectContaining({
      ...{ code: 'signed_out', message: expect.stringContaining('\\u{202e}') as string },
    }) as Error;
    await expect(start().signIn(request(), { token: 'of-mallory' })).rejects.toThrow(refused);
    const bearer = request({ authorization: 'Bearer of-mallory' });
    await expect(start().personOf(bearer)).rejects.toThrow(refused);
  });

  test('is not told that its token is wrong while the API server is away', async () => {
    for (const code of ['cluster_unreachable', 'timeout', 'cluster_error'] as const) {
      verify.mockRejectedValue(new AppError(code, 'Away.'));
      const away = expect.objectContaining({ code }) as Error;
      await expect(start().signIn(request(), { token: 'of-ana' })).rejects.toThrow(away);
      await expect(start().personOf(request({ authorization: 'Bearer of-ana' }))).rejects.toThrow(away);
    }
  });

  test('is told that a token is not accepted, and is not signed in', async () => {
    await expect(start().signIn(request(), { token: 'wrong' })).rejects.toThrow(signedOut);
    await expect(start().signIn(request(), { key: 'x' })).rejects.toThrow(AppError);
    expect(rows.size).toBe(0);
  });
});

describe('an unverified request', () => {
  test('has a token that was not accepted yet, or a cookie that may be made up, or signs in', async () => {
    const { isUnverified = () => false, personOf, signIn, signOut } = start();
    const authorization = 'Bearer of-ana';
    expect(isUnverified(request())).toBe(false);
    expect(isUnverified(request({}, 'POST'))).toBe(true);
    expect(isUnverified(request({ authorization }))).toBe(true);
    await personOf(request({ authorization }));
    expect(isUnverified(request({ authorization }))).toBe(false);
    // It was accepted in the only cluster that it names, and may be none in another.
    expect(isUnverified(request({ authorization }, 'GET', '?cluster=staging'))).toBe(true);
    // An hour later it is asked about again, and waits for no one.
    now += HOUR_MS;
    expect(isUnverified(request({ authorization }))).toBe(false);
    const cookie = cookieOf((await signIn(request(), { token: 'of-ana' })).cookies);
    for (const method of ['GET', 'POST']) expect(isUnverified(request({ cookie }, method))).toBe(false);
    await signOut(request({ cookie }));
    expect(isUnverified(request({ cookie }))).toBe(true);
    for (const value of ['x', 'x'.repeat(43), `${'x'.repeat(43)}.${'x'.repeat(22)}`])
      expect(isUnverified(request({ cookie: `shiplog-8440=${value}` }))).toBe(true);
  });
});

describe('a session', () => {
  async function begin(token = 'of-ana') {
    const identity = start();
    const { cookies } = await identity.signIn(request(), { token });
    return { ...identity, read: () => identity.personOf(request({ cookie: cookieOf(cookies) })), cookies };
  }

  test('survives a restart, and ends everywhere at once when one signs out', async () => {
    const { cookies, signOut, read } = await begin();
    const cookie = cookieOf(cookies);
    const other = start();
    expect((await other.personOf(request({ cookie }))).name).toBe('ana');
    expect((await signOut(request({ cookie }))).person).toMatchObject({ name: 'ana' });
    await expect(read()).rejects.toThrow(signedOut);
    // Another process has a copy for a moment.
    now += 5_000;
    await expect(other.personOf(request({ cookie }))).rejects.toThrow(signedOut);
  });

  test('ends twelve hours after the sign-in', async () => {
    const { read } = await begin();
    now += 11 * HOUR_MS;
    await read();
    now += 11 * HOUR_MS;
    await expect(read()).rejects.toThrow(signedOut);
  });

  test('ends with its token', async () => {
    const token = await new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime(START_MS / 1_000 + 60)
      .sign(Buffer.alloc(32));
    users.prod = { ...users.prod, [token]: 'ana' };
    const { read, cookies } = await begin(token);
    expect(cookies[0]).toContain('Max-Age=60;');
    await read();
    now += 60_001;
    await expect(read()).rejects.toThrow(signedOut);
  });

  test('ends after twelve hours where the end of its token is no number', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const token = `${part({ alg: 'HS256' })}.${part({ exp: 'soon' })}.x`;
    users.prod = { ...users.prod, [token]: 'ana' };
    const { read, cookies } = await begin(token);
    expect(cookies[0]).toContain('Max-Age=43200;');
    await read();
  });

  test('goes on while the archive is away, and a new one says what is missing', async () => {
    const { read } = await begin();
    isAway = true;
    now += HOUR_MS;
    expect((await read()).name).toBe('ana');
    const away = expect.objectContaining({ code: 'archive_unavailable' }) as Error;
    await expect(start().signIn(request(), { token: 'of-ana' })).rejects.toThrow(away);
    // A process that does not know the session can't tell whether it is over.
    await expect(start().personOf(request({ cookie: `shiplog-8440=${'x'.repeat(43)}` }))).rejects.toThrow(
      away,
    );
  });

  test('waits two seconds at most for an archive that hangs, and not with every request', async () => {
    const { read } = await begin();
    isHanging = true;
    now += HOUR_MS;
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const first = read();
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await first).name).toBe('ana');
    expect((await read()).name).toBe('ana');
  });
});
