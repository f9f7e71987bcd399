import { describe, expect, test } from 'vitest';
import { addressOf, orderOf, windowOf } from '@/components/fleet-timeline/timeline-address';

const NOW_MS = Date.parse('2026-09-17T14:32:00Z');
const HOUR_MS = 3_600_000;
const none = { from: null, to: null, at: null };

describe('the window of an address', () => {
  test('is the last hour for an empty or an invalid address', () => {
    const hour = { fromMs: NOW_MS - HOUR_MS, toMs: NOW_MS, isLive: true };
    expect(windowOf(none, NOW_MS)).toEqual(hour);
    expect(windowOf({ from: 'soon', to: 'later', at: '?' }, NOW_MS)).toEqual(hour);
  });

  test('is mostly before a linked moment, and never past the present', () => {
    expect(windowOf({ ...none, at: '2026-09-17T14:00:00Z' }, NOW_MS)).toEqual({
      fromMs: Date.parse('2026-09-17T13:30:00Z'),
      toMs: Date.parse('2026-09-17T14:10:00Z'),
      isLive: false,
    });
    expect(windowOf({ ...none, at: '2026-09-17T14:30:00Z' }, NOW_MS).toMs).toBe(NOW_MS);
  });

  test('has its rows by nearness to a linked moment unless another order is chosen', () => {
    const at = '2026-09-17T14:00:00Z';
    expect(orderOf({ order: null, at: null })).toBe('trouble');
    expect(orderOf({ order: null, at })).toBe('nearest');
    expect(orderOf({ order: 'latest', at })).toBe('latest');
    expect(orderOf({ order: 'nearest', at: null })).toBe('trouble');
  });

  test('survives a round trip through the address', () => {
    const past = { fromMs: NOW_MS - 3 * HOUR_MS, toMs: NOW_MS - 2 * HOUR_MS };
    expect(windowOf({ ...none, ...addressOf(past, NOW_MS) }, NOW_MS)).toEqual({ ...past, isLive: false });
    const live = { fromMs: NOW_MS - 6 * HOUR_MS, toMs: NOW_MS };
    expect(addressOf(live, NOW_MS)).toEqual({ from: '6h', to: null });
    expect(windowOf({ ...none, ...addressOf(live, NOW_MS) }, NOW_MS)).toEqual({ ...live, isLive: true });
  });

  test('is between two times in either order', () => {
    const [one, other] = ['2026-09-17T12:00:00Z', '2026-09-17T13:00:00Z'];
    expect(windowOf({ from: other, to: one, at: null }, NOW_MS)).toEqual({
      ...{ fromMs: Date.parse(one), toMs: Date.parse(other), isLive: false },
    });
  });

  test('has its ends in order and a length above zero for any input', () => {
    for (const [from, to] of [
      ['2026-09-17T14:00:00Z', '2026-09-17T13:00:00Z'],
      ['2026-09-17T14:00:00Z', '2026-09-17T14:00:00Z'],
      ['2027-01-01', '2027-01-02'],
    ] as const) {
      const window = windowOf({ from, to, at: null }, NOW_MS);
      expect(window.toMs - window.fromMs).toBeGreaterThanOrEqual(120_000);
      expect(window.toMs).toBeLessThanOrEqual(NOW_MS);
    }
  });
});
