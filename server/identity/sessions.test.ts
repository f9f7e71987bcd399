import { randomBytes } from 'node:crypto';
import { beforeEach, expect, test, vi } from 'vitest';
import { AppError } from '@/lib/errors';
import type { ViewerSession, ViewerSessionRepository } from '@/server/archive/viewer-sessions';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import { Seal } from '@/server/identity/seal';
import { SessionCookies, type SessionValues } from '@/server/identity/session-cookies';
import { Sessions } from '@/server/identity/sessions';
import { UnverifiedChecks } from '@/server/identity/unverified-checks';
import { AddressRanges } from '@/server/shared/address-ranges';
import { requestFrom } from '@/server/shared/testing/request-from';

const HOUR_MS = 3_600_000;
const SECRET = 'a secret of the tests';

let clock: VirtualClock;
let rows: Map<string, ViewerSession>;
let isAway: boolean;
const find = vi.fn();

beforeEach(() => {
  clock = new VirtualClock();
  rows = new Map();
  isAway = false;
  find.mockReset().mockImplementation((idHash: string) => {
    const row = rows.get(idHash);
    return isAway
      ? Promise.reject(new AppError('archive_unavailable', 'Away.'))
      : Promise.resolve(row && { ...row });
  });
});

/** A process; several share the archive. */
function start(secrets: readonly string[] = [SECRET]) {
  const seal = new Seal(secrets);
  const cookies = new SessionCookies({ publicUrl: undefined, port: 8440 }, seal);
  const checks = new UnverifiedChecks({ clock, trusted: new AddressRanges([]) });
  const repository = {
    find,
    save: (row: ViewerSession) => Promise.resolve(void rows.set(row.idHash, { ...row })),
    touch: () => Promise.resolve(),
    end: (idHash: string) => Promise.resolve(void rows.delete(idHash)),
  } as unknown as ViewerSessionRepository;
  const sessions = new Sessions({
    ...{ repository: () => repository, seal, clock, checks },
    times: { idleMs: 12 * HOUR_MS, totalMs: 7 * 24 * HOUR_MS },
  });
  const read = async (cookie: string) => {
    const request = requestFrom('192.0.2.1', { cookie });
    const found = cookies.read(request);
    return found && sessions.find(request, found);
  };
  const knows = (cookie: string) => {
    const found = cookies.read(requestFrom('192.0.2.1', { cookie }));
    return found !== undefined && sessions.knows(found);
  };
  const begin = () => sessions.begin({ person: 'user:ana', document: {}, secret: {}, endsMs: null });
  const cookieOf = (values: SessionValues) => cookies.lines(values, 60)[0]?.split(';')[0] ?? '';
  return { sessions, checks, read, knows, begin, cookieOf };
}

const cookieWith = (value: string) => `shiplog-8440=${value}`;
const random = (bytes: number) => randomBytes(bytes).toString('base64url');

test('a cookie that Shiplog never made is refused without the archive', async () => {
  const { read, begin, cookieOf } = start();
  const good = cookieOf(await begin());
  const others = start(['another secret']);
  for (const value of [
    cookieWith(`${random(32)}.${random(16)}`),
    cookieWith(`${random(32)}.`),
    cookieWith(random(31)),
    cookieWith('x'.repeat(10_000)),
    good.slice(0, -2),
    good.replace(/=./, good.includes('=_') ? '=A' : '=_'),
    `${good}A`,
    others.cookieOf(await others.begin()),
  ])
    expect(await read(value)).toBeUndefined();
  expect(find).not.toHaveBeenCalled();
  expect(await start().read(good)).toBeDefined();
});

test('a cookie from before checksums is good until its session ends', async () => {
  const values = await start().begin();
  const { read, sessions } = start();
  expect(await read(cookieWith(values.id))).toBeDefined();
  await sessions.end(values.id);
  expect(await read(cookieWith(values.id))).toBeUndefined();
});

test('a cookie stays good when its secret is replaced, and ends with it', async () => {
  const before = start(['old']);
  const cookie = before.cookieOf(await before.begin());
  expect(await start(['new', 'old']).read(cookie)).toBeDefined();
  expect(await start(['new']).read(cookie)).toBeUndefined();
});

test('junk removes no session from memory, so that an outage of the archive signs no one out', async () => {
  const { read, begin, cookieOf, checks } = start();
  const good = cookieOf(await begin());
  for (let count = 0; count < 6_000; count += 1) {
    expect(await read(cookieWith(random(32)))).toBeUndefined();
  }
  expect(checks.counts.refused).toBe(6_000);
  isAway = true;
  expect(await read(good)).toBeDefined();
});

test('the archive is read once for a cookie that it does not have, and once for many requests at once', async () => {
  const { read } = start();
  const junk = cookieWith(random(32));
  await Promise.all(Array.from({ length: 50 }, () => read(junk)));
  await read(junk);
  expect(find).toHaveBeenCalledTimes(1);
  const first = start();
  const good = first.cookieOf(await first.begin());
  find.mockClear();
  const found = await Promise.all(Array.from({ length: 50 }, () => read(good)));
  expect(found.every((each) => each !== undefined)).toBe(true);
  expect(find).toHaveBeenCalledTimes(1);
});

test('a cookie is known while there is no reason to doubt it', async () => {
  const first = start();
  const values = await first.begin();
  const good = first.cookieOf(values);
  const { knows, read, sessions } = start();
  const old = cookieWith(values.id);
  expect([knows(good), knows(old), knows(cookieWith(random(32)))]).toEqual([true, false, false]);
  await read(old);
  expect([knows(good), knows(old)]).toEqual([true, true]);
  await sessions.end(values.id);
  expect([knows(good), knows(old)]).toEqual([false, false]);
  // One that has ended elsewhere is doubted from the first time that it is missed.
  const ended = first.cookieOf(await first.begin());
  rows.clear();
  expect(knows(ended)).toBe(true);
  await read(ended);
  expect(knows(ended)).toBe(false);
});
