import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '@/lib/errors';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import { signedOut } from '@/server/identity/identity';
import { UnverifiedChecks } from '@/server/identity/unverified-checks';
import { AddressRanges } from '@/server/shared/address-ranges';
import { requestFrom } from '@/server/shared/testing/request-from';

const CHECKS_MAX = 20;
const JUNK = '203.0.113.66';
const OFFICE = '198.51.100.7';

let clock: VirtualClock;
let checks: UnverifiedChecks;
let running: number;
let runningMax: number;
/** When each check of an address began. */
let begun: { address: string; atMs: number }[];
/** When a refused address got its turn; its check may then wait for one of the twenty places. */
let admitted: { address: string; atMs: number }[];
let keys: number;

beforeEach(() => start());

function start(): void {
  clock = new VirtualClock();
  checks = new UnverifiedChecks({ clock, trusted: new AddressRanges([]) });
  [running, runningMax, keys] = [0, 0, 0];
  [begun, admitted] = [[], []];
}

type Outcome = 'accepted' | 'refused' | 'limited' | 'away';

interface Sent {
  address: string;
  isGood: boolean;
  takesMs: number;
  isOurs?: boolean;
  key?: string;
}

async function send({ address, isGood, takesMs, isOurs = false, key }: Sent): Promise<Outcome> {
  keys += 1;
  const unverified = { key: key ?? String(keys), isOurs };
  try {
    const request = requestFrom(address);
    // As before a request reaches a handler.
    if (!isOurs && checks.isRefused(request)) {
      await checks.admit(request, staying);
      admitted.push({ address, atMs: clock.now() });
    }
    const found = await checks.run({ request, ...unverified }, async () => {
      begun.push({ address, atMs: clock.now() });
      running += 1;
      runningMax = Math.max(runningMax, running);
      if (takesMs > 0) await clock.sleep(takesMs, new AbortController().signal);
      running -= 1;
      return isGood ? 'someone' : undefined;
    });
    return found === undefined ? 'refused' : 'accepted';
  } catch (error) {
    return error instanceof AppError && error.code === 'rate_limited' ? 'limited' : 'away';
  }
}

const staying = new AbortController().signal;

const junk = (address = JUNK, takesMs = 0): Sent => ({ address, isGood: false, takesMs });
const good = (address = OFFICE, takesMs = 0): Sent => ({ address, isGood: true, takesMs });

function sendAll(count: number, sent: Sent): Promise<Outcome[]> {
  return Promise.all(Array.from({ length: count }, () => send(sent)));
}

function countOf(outcomes: readonly Outcome[]): Partial<Record<Outcome, number>> {
  const counts: Partial<Record<Outcome, number>> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

describe('an address that was refused', () => {
  test('has five checks a second and ten that wait; the others are limited at once', async () => {
    await sendAll(1, junk());
    const all = sendAll(100, junk());
    await clock.settle();
    expect(checks.counts.limited).toBe(90);
    await clock.advance(1_000);
    expect(checks.counts.refused).toBe(1 + 5);
    await clock.advance(1_100);
    expect(countOf(await all)).toEqual({ refused: 10, limited: 90 });
  });

  test('is limited also in what it sent before it was refused', async () => {
    const all = sendAll(500, junk(JUNK, 100));
    await clock.advance(100);
    expect(checks.waiting).toBe(0);
    expect(countOf(await all)).toEqual({ refused: CHECKS_MAX, limited: 500 - CHECKS_MAX });
  });

  test('is told when to try again', async () => {
    await sendAll(1, junk());
    const all = sendAll(10, junk());
    const error = await checks.admit(requestFrom(JUNK), staying).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'rate_limited', details: { retryAfterMs: 2_000 } });
    await clock.advance(3_000);
    await all;
  });

  test('is as any other a minute later', async () => {
    await sendAll(1, junk());
    await clock.advance(60_000);
    expect(countOf(await sendAll(100, good(JUNK)))).toEqual({ accepted: 100 });
  });

  test('does not limit the cookies that Shiplog made for people there, nor do those that have ended', async () => {
    await sendAll(1, junk(OFFICE));
    const ended = { ...junk(OFFICE), isOurs: true };
    expect(countOf(await sendAll(100, ended))).toEqual({ refused: 100 });
    expect(countOf(await sendAll(300, { ...good(), isOurs: true }))).toEqual({ accepted: 300 });
    expect(checks.waiting).toBe(0);
  });

  test('leaves those in line whose cookies Shiplog made', async () => {
    const first = send(junk(OFFICE, 10));
    const people = sendAll(300, { ...good(OFFICE, 100), isOurs: true });
    await clock.advance(60_000);
    expect([await first, countOf(await people)]).toEqual(['refused', { accepted: 300 }]);
  });

  test('leaves its place to others when the client has gone', async () => {
    await sendAll(1, junk());
    const leaving = new AbortController();
    const gone = checks.admit(requestFrom(JUNK), leaving.signal).catch((thrown: unknown) => thrown);
    const all = sendAll(9, junk());
    expect(checks.waiting).toBe(10);
    leaving.abort('gone');
    expect(await gone).toBe('gone');
    expect(checks.waiting).toBe(9);
    await clock.advance(3_000);
    expect(countOf(await all)).toEqual({ refused: 9 });
  });

  test('is a whole /64 network of IPv6', async () => {
    await send(junk('2001:db8:1:2::1'));
    const all = Promise.all(
      Array.from({ length: 50 }, (_, index) => send(junk(`2001:db8:1:2::${(index + 2).toString(16)}`))),
    );
    expect(countOf(await Promise.all([send(good('2001:db8:1:3::1'))]))).toEqual({ accepted: 1 });
    await clock.advance(3_000);
    expect(countOf(await all)).toEqual({ refused: 10, limited: 40 });
  });
});

describe('an address without a refusal', () => {
  const addresses = Array.from({ length: 200 }, (_, index) => `203.0.113.${index}`);

  test('goes first, and takes turns with others like it', async () => {
    for (const address of addresses) await send(junk(address));
    await clock.advance(1_000);
    const flood = addresses.map((address) => sendAll(5, junk(address, 500)));
    await clock.advance(1_000);
    const burst = sendAll(300, good('192.0.2.1', 500));
    const person = send(good(OFFICE, 500));
    await clock.advance(500);
    await clock.advance(500);
    // It was the second in turn when the first check ended.
    expect(await person).toBe('accepted');
    await clock.advance(60_000);
    await Promise.all([...flood, burst]);
  });

  test('is no slower for junk from anywhere: all of it together has fifty checks a second', async () => {
    for (const address of addresses) await send(junk(address));
    await clock.advance(1_000);
    const before = begun.length;
    const flood = addresses.map((address) => sendAll(20, junk(address)));
    await clock.advance(2_000);
    expect(begun.length - before).toBeLessThanOrEqual(101);
    const each = addresses.map(
      (address) => begun.slice(before).filter((one) => one.address === address).length,
    );
    // The first had a turn when no one else was there yet.
    expect(Math.max(...each.slice(1))).toBe(1);
    await clock.advance(8_000);
    // Whoever has waited ten seconds is answered.
    expect(checks.waiting).toBe(0);
    expect(countOf((await Promise.all(flood)).flat())).toMatchObject({
      refused: expect.any(Number) as number,
    });
  });

  test('has three hundred people who come at once', async () => {
    const all = sendAll(300, good(OFFICE, 10));
    await clock.advance(1_000);
    expect(countOf(await all)).toEqual({ accepted: 300 });
    expect(runningMax).toBe(CHECKS_MAX);
  });

  test('is not refused by an outage', async () => {
    const outage = () => Promise.reject(new AppError('archive_unavailable', 'Away.'));
    const unverified = { request: requestFrom(OFFICE), key: 'x', isOurs: false };
    await expect(checks.run(unverified, outage)).rejects.toThrow('Away.');
    expect(countOf(await sendAll(100, good()))).toEqual({ accepted: 100 });
    await expect(checks.run(unverified, () => Promise.reject(signedOut('No.')))).rejects.toThrow('No.');
    expect(checks.counts).toMatchObject({ failed: 1, refused: 1 });
  });
});

test('requests with the same credential share one check', async () => {
  const all = sendAll(50, { ...good(OFFICE, 10), key: 'of-ana' });
  await clock.advance(10);
  expect(countOf(await all)).toEqual({ accepted: 50 });
  expect(begun).toHaveLength(1);
  await clock.advance(0);
  const again = send({ ...good(OFFICE, 10), key: 'of-ana' });
  await clock.advance(10);
  await again;
  expect(begun).toHaveLength(2);
});

test('what waits is bounded, and the longest line is shortened first', async () => {
  const hanging = sendAll(20, good('192.0.2.200', 60_000));
  const flood = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((address) => sendAll(3_000, good(address)));
  const person = send(good());
  await clock.settle();
  expect(checks.waiting).toBe(5_000);
  await clock.advance(60_000);
  expect(await person).toBe('accepted');
  expect(countOf(await hanging)).toEqual({ accepted: 20 });
  const outcomes = await Promise.all(flood);
  expect(countOf(outcomes.flat())).toEqual({ accepted: 4_999, limited: 4_001 });
  for (const each of outcomes) expect(countOf(each).accepted).toBeGreaterThan(1_600);
});

describe('whatever comes, from whoever', () => {
  const addresses = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '2001:db8::1', OFFICE];
  const sent = fc.record({
    afterMs: fc.integer({ min: 0, max: 400 }),
    count: fc.integer({ min: 1, max: 40 }),
    address: fc.constantFrom(...addresses),
    isGood: fc.boolean(),
    takesMs: fc.integer({ min: 0, max: 600 }),
  });

  test('the bounds hold, no one is limited by others, and everyone is answered', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(sent, { maxLength: 25 }), async (events) => {
        start();
        const answers: Promise<{ address: string; outcome: Outcome }>[] = [];
        const refusedMs = new Map<string, number>();
        for (const { afterMs, count, ...each } of events) {
          await clock.advance(afterMs);
          // The office sends nothing that is refused.
          const isGood = each.isGood || each.address === OFFICE;
          for (let index = 0; index < count; index += 1)
            answers.push(
              send({ ...each, isGood }).then((outcome) => {
                if (outcome === 'refused' && !refusedMs.has(each.address))
                  refusedMs.set(each.address, clock.now());
                return { address: each.address, outcome };
              }),
            );
        }
        await clock.settle();
        await clock.advance(60_000);
        expect([checks.waiting, running]).toEqual([0, 0]);
        const outcomes = await Promise.all(answers);

        expect(runningMax).toBeLessThanOrEqual(CHECKS_MAX);
        for (const { address, outcome } of outcomes)
          if (!refusedMs.has(address)) expect(outcome).toBe('accepted');
        for (const [address, fromMs] of refusedMs) {
          const turns = admitted.filter((turn) => turn.address === address);
          for (const { atMs } of turns)
            expect(turns.filter((turn) => turn.atMs >= atMs && turn.atMs < atMs + 1_000).length).toBeLessThan(
              6,
            );
          const later = begun.filter((check) => check.address === address && check.atMs > fromMs);
          expect(later.length).toBeLessThanOrEqual(turns.length);
        }
        const { accepted, refused, failed, limited } = checks.counts;
        expect(accepted + refused + failed + limited).toBe(answers.length);
        expect(outcomes.some(({ outcome }) => outcome === 'away')).toBe(false);
      }),
      { numRuns: 60 },
    );
  });
});
