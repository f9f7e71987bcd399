import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Deadline,
  expectEndOfPause,
  findOverdue,
  findNextChange,
  findPauseEndMs,
  describeMissingPods,
  describeTimedWait,
} from '@/lib/engine/waits';

const START = Date.parse('2026-11-21T00:00:00Z');

test('the first deadline that has passed tells what is overdue', () => {
  const deadlines: Deadline[] = [
    { since: START, limitMs: 0 },
    { since: null, limitMs: 0, text: 'unknown' },
    { since: 'no time', limitMs: 0, text: 'malformed' },
    { since: START, limitMs: 60_000, text: 'at its limit' },
    { since: '2026-11-21T00:00:00Z', limitMs: 59_999, text: 'first' },
    { since: START, limitMs: 0, text: 'second' },
  ];
  expect(findOverdue(deadlines, START + 60_000)).toBe('first');
  expect(findOverdue(deadlines.slice(0, 4), START + 60_000)).toBeNull();
});

test('nothing becomes overdue before the next change that was announced', () => {
  const deadline = fc.record({ since: fc.option(fc.nat(100)), limitMs: fc.nat(100), text: fc.string() });
  fc.assert(
    fc.property(fc.array(deadline), fc.nat(200), fc.nat(200), (deadlines, nowMs, laterMs) => {
      const next = findNextChange({ nowMs }, () => deadlines);
      expect(next).toBeGreaterThan(nowMs);
      const momentMs = Math.min(nowMs + laterMs, next - 1);
      expect(findOverdue(deadlines, momentMs)).toBe(findOverdue(deadlines, nowMs));
    }),
  );
});

test('a pause has its end, and then the silence of the controller', () => {
  const deadlines = expectEndOfPause(2, START);
  const changes = [START - 1, START + 1].map((nowMs) => findNextChange({ nowMs }, () => deadlines));
  expect(changes).toEqual([START + 1, START + 60_001]);
  expect(findOverdue(deadlines, START + 60_001)).toBe(
    'The pause of step 2 is over, but the controller has not reacted.',
  );
});

test.each([
  [START - 1, 'Continues automatically at 2026-11-21 00:00:00 UTC.'],
  [START, 'The pause of 2 min 05 s ended at 2026-11-21 00:00:00 UTC.'],
])('a timed wait tells when it ends, or ended', (nowMs, text) => {
  const until = '2026-11-21T00:00:00.000Z';
  expect(describeTimedWait(125, START, nowMs)).toEqual({ kind: 'time', text, seconds: 125, until });
});

test.each([null, 'no time', '+275760-09-12T00:00:00Z'])(
  'a pause since %s has no end that is known',
  (since) => {
    expect(describeTimedWait(200_000, findPauseEndMs(since, 200_000), START)).toMatchObject({
      text: 'Continues automatically after 2 d 7 h.',
      until: null,
    });
  },
);

test('only pods that are missing are waited for', () => {
  expect(describeMissingPods(3, 2, 'the target', 'ready')).toBeNull();
  expect(describeMissingPods(0, 1, 'the new revision', 'available')).toEqual({
    kind: 'pods',
    text: '0 of 1 pod of the new revision is available.',
    missing: 1,
  });
});
