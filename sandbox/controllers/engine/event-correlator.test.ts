import { beforeEach, expect, test } from 'vitest';
import { EventCorrelator } from '@/sandbox/controllers/engine/event-correlator';
import { type ObjectEvent } from '@/sandbox/controllers/engine/object-event';
import { pod, T0 } from '@/sandbox/controllers/testing/objects';

let now = T0;
let correlator: EventCorrelator;

beforeEach(() => {
  now = T0;
  correlator = new EventCorrelator({ now: () => now });
});

function event(message: string): ObjectEvent {
  return { about: pod('web'), type: 'Normal', reason: 'Created', message, source: { component: 'test' } };
}

/** What is written: the message, and `×n` when an existing event counts on. */
function record(message: string): string | undefined {
  const verdict = correlator.correlate(event(message));
  if (verdict === undefined) return undefined;
  if (verdict.known === undefined) correlator.remember(event(message), message);
  return verdict.known === undefined ? verdict.message : `${verdict.message} ×${verdict.known.count}`;
}

test('counts an equal event', () => {
  expect([record('a'), record('b'), record('a'), record('a')]).toEqual(['a', 'b', 'a ×2', 'a ×3']);
});

test('combines similar events within ten minutes from the tenth on', () => {
  const written = Array.from({ length: 12 }, (_, index) => record(`pod ${index}`));
  expect(written.slice(8)).toEqual([
    'pod 8',
    '(combined from similar events): pod 9',
    '(combined from similar events): pod 10 ×2',
    '(combined from similar events): pod 11 ×3',
  ]);
  now += 601_000;
  expect(record('later')).toBe('later');
});

test('cuts off a flood after 25 events and lets one through every five minutes', () => {
  const written = Array.from({ length: 40 }, () => record('again'));
  expect(written.filter((text) => text !== undefined)).toHaveLength(25);
  now += 300_000;
  expect([record('again'), record('again')]).toEqual(['again ×26', undefined]);
});
