import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MINUTE } from '@/lib/format/duration';
import type { JsonObject } from '@/lib/kube/json';
import { matchesGlob } from '@/lib/owners/glob';
import { parseGoDuration } from '@/lib/owners/go-duration';
import { blockAt, nextTime, parseSchedule } from '@/lib/owners/sync-windows';
import { argo } from '@/lib/owners/testing/marked';

const at = (text: string) => Date.parse(text);

function block(nowMs: number, ...windows: JsonObject[]) {
  const spec = {
    syncWindows: windows.map((window) => ({
      schedule: '0 22 * * *',
      duration: '8h',
      applications: ['*'],
      ...window,
    })),
  };
  const found = blockAt({ spec }, argo(), nowMs);
  if (found === null) return null;
  const until = found.untilMs === null ? 'no end' : new Date(found.untilMs).toISOString().slice(0, 16);
  return `${found.kind} until ${until}`;
}

const deny = { kind: 'deny' };
const allow = { kind: 'allow' };
const night = at('2026-08-01T23:00:00Z');
const noon = at('2026-08-01T12:00:00Z');

describe('sync windows', () => {
  test.each<[string, number, JsonObject[], string | null]>([
    ['a deny window', night, [deny], 'deny until 2026-08-02T06:00'],
    ['a deny window that is over', noon, [deny], null],
    ['an allow window', night, [allow], null],
    ['an allow window that is not open', noon, [allow], 'allow until 2026-08-01T22:00'],
    ['another allow window that is open', noon, [allow, { ...allow, schedule: '0 8 * * *' }], null],
    ['deny before allow', night, [allow, deny], 'deny until no end'],
    [
      'deny windows one after another',
      night,
      [deny, { ...deny, schedule: '0 6 * * *', duration: '1h30m' }],
      'deny until 2026-08-02T07:30',
    ],
    ['one that never ends', noon, [{ ...deny, schedule: '0 * * * *', duration: '2h' }], 'deny until no end'],
    ['a schedule that is none', night, [{ ...deny, schedule: 'at night' }], null],
    ['a zone', night, [{ ...deny, timeZone: 'Europe/Berlin' }], 'deny until 2026-08-02T04:00'],
    ['a zone that is none', night, [{ ...deny, timeZone: 'Mars/Base' }], 'deny until 2026-08-02T06:00'],
  ])('%s', (_, nowMs, windows, expected) => {
    expect(block(nowMs, ...windows)).toBe(expected);
  });

  const only = (parts: JsonObject) => ({ ...deny, applications: [], ...parts });

  test.each<[string, JsonObject, boolean]>([
    ['an application', only({ applications: ['sh*'] }), true],
    ['another application', only({ applications: ['cart'] }), false],
    ['the namespace of the destination', only({ namespaces: ['shop'] }), true],
    ['the address of the cluster', only({ clusters: ['https://kubernetes.*'] }), true],
    ['one of two lists', only({ applications: ['cart'], namespaces: ['shop'] }), true],
    [
      'one of two lists where both are required',
      only({ applications: ['cart'], namespaces: ['shop'], andOperator: true }),
      false,
    ],
    ['both lists', only({ applications: ['shop'], namespaces: ['shop'], andOperator: true }), true],
    ['no list', only({}), false],
    ['no list where all are required', only({ andOperator: true }), false],
  ])('apply by %s', (_, window, applies) => {
    expect(block(night, window) !== null).toBe(applies);
  });

  test('the end of a block is the first time that is free', () => {
    const window = fc.record({
      kind: fc.constantFrom('allow', 'deny'),
      schedule: fc
        .tuple(
          fc.integer({ min: 0, max: 59 }),
          fc.integer({ min: 0, max: 23 }),
          fc.constantFrom('*', '1-5', '0,6'),
        )
        .map(([minute, hour, days]) => `${minute} ${hour} * * ${days}`),
      duration: fc.integer({ min: 1, max: 3000 }).map((minutes) => `${minutes}m`),
      timeZone: fc.constantFrom('', 'UTC', 'Asia/Kolkata', 'America/New_York'),
    });
    // Far from a change of clocks, where the schedule of a zone moves.
    const minute = fc.integer({ min: at('2026-06-01') / MINUTE, max: at('2026-07-01') / MINUTE });
    fc.assert(
      fc.property(fc.array(window, { maxLength: 3 }), minute, (windows, start) => {
        const syncWindows = windows.map((each) => ({ ...each, applications: ['*'] }));
        const project = { spec: { syncWindows } };
        const now = start * MINUTE;
        const found = blockAt(project, argo(), now);
        if (found?.untilMs == null) return;
        expect(found.untilMs).toBeGreaterThan(now);
        expect(blockAt(project, argo(), found.untilMs)).toBeNull();
        expect(blockAt(project, argo(), found.untilMs - 1)).not.toBeNull();
      }),
    );
  });
});

describe('schedules', () => {
  const next = (text: string, after: string) => {
    const schedule = parseSchedule(text);
    const ms = schedule && nextTime(schedule, at(after));
    return ms === null ? null : new Date(ms).toISOString().slice(0, 16);
  };

  test.each([
    ['0 6 * * *', '2026-08-01T06:00:00Z', '2026-08-02T06:00'],
    ['*/20 * * * *', '2026-08-01T06:05:00Z', '2026-08-01T06:20'],
    ['5/20 * * * *', '2026-08-01T06:05:00Z', '2026-08-01T06:25'],
    ['0 9-17/4 * * mon-FRI', '2026-08-01T00:00:00Z', '2026-08-03T09:00'],
    ['0 0 1,15 * *', '2026-08-02T00:00:00Z', '2026-08-15T00:00'],
    ['0 0 13 * 5', '2026-08-01T00:00:00Z', '2026-08-07T00:00'],
    ['0 0 ? jan ?', '2026-08-01T00:00:00Z', '2027-01-01T00:00'],
    ['0 0 29 2 *', '2026-08-01T00:00:00Z', '2028-02-29T00:00'],
    ['0 0 30 2 *', '2026-08-01T00:00:00Z', null],
  ])('%s after %s', (schedule, after, expected) => {
    expect(next(schedule, after)).toBe(expected);
  });

  test.each(['', '* * * *', '60 * * * *', '* * 0 * *', '5-1 * * * *', '*/0 * * * *', '@daily', 'x * * * *'])(
    'what is none is not read: %j',
    (text) => {
      expect(parseSchedule(text)).toBeNull();
    },
  );

  test('the next time is the first minute that matches', () => {
    const minutes = fc.uniqueArray(fc.integer({ min: 0, max: 59 }), { minLength: 1, maxLength: 4 });
    const hours = fc.uniqueArray(fc.integer({ min: 0, max: 23 }), { minLength: 1, maxLength: 4 });
    const start = fc.integer({ min: at('2026-01-01') / 1000, max: at('2027-01-01') / 1000 });
    fc.assert(
      fc.property(minutes, hours, start, (minute, hour, second) => {
        const schedule = parseSchedule(`${minute.join()} ${hour.join()} * * *`);
        let expected = (Math.floor(second / 60) + 1) * MINUTE;
        const matches = (ms: number) =>
          minute.includes(new Date(ms).getUTCMinutes()) && hour.includes(new Date(ms).getUTCHours());
        while (!matches(expected)) expected += MINUTE;
        expect(schedule && nextTime(schedule, second * 1000)).toBe(expected);
      }),
      { numRuns: 30 },
    );
  });
});

test.each([
  ['*', '', true],
  ['*', 'https://a/b', true],
  ['sh?p-*', 'shop-eu', true],
  ['sh?p-*', 'shop', false],
  ['{cart,shop}-[a-c]', 'shop-b', true],
  ['{cart,shop}-[!a-c]', 'shop-b', false],
  ['a.c', 'abc', false],
  ['\\*', '*', true],
  ['*a*a*a*a*a*a*a*b', 'a'.repeat(5000), false],
  ['{a,b}'.repeat(40), 'a'.repeat(40), false],
])('the glob %s and %s: %s', (pattern, text, expected) => {
  expect(matchesGlob(pattern, text)).toBe(expected);
});

test.each([
  ['10m0s', 600_000],
  ['1h30m', 5_400_000],
  ['1.5h', 5_400_000],
  ['250ms', 250],
  ['10', null],
  ['', null],
  ['-1h', null],
  ['1d', null],
])('the duration %s is %s ms', (text, ms) => {
  expect(parseGoDuration(text)).toBe(ms);
});
