import { describe, expect, test } from 'vitest';
import { columnsOf, overviewSpanFor, overviewWindow } from '@/lib/timeline/fleet-density';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW_MS = 1_000 * DAY_MS;
const OLDEST_MS = NOW_MS - 100 * DAY_MS;

describe('the overview', () => {
  test('keeps a single rollout visible next to hundreds, and shows which share of a column failed', () => {
    const columns = columnsOf({
      partMs: HOUR_MS,
      parts: [
        { at: new Date(NOW_MS).toISOString(), counts: { completed: 90, failed: 10 } },
        { at: new Date(NOW_MS + HOUR_MS).toISOString(), counts: { rolledBack: 1 } },
      ],
    });
    expect(columns).toEqual([
      { fromMs: NOW_MS, height: 1, failed: 0.1, back: 0 },
      { fromMs: NOW_MS + HOUR_MS, height: 0.1, failed: 0, back: 1 },
    ]);
    expect(columnsOf(null)).toEqual([]);
  });

  test.each(['day', 'week', 'all'] as const)(
    'of a %s contains the window, and no time in the future',
    (span) => {
      for (const back of [0, HOUR_MS, 20 * HOUR_MS, 5 * DAY_MS, 99 * DAY_MS]) {
        for (const length of [60_000, 3 * HOUR_MS, 6 * DAY_MS]) {
          const window = { fromMs: NOW_MS - back - length, toMs: NOW_MS - back };
          const stretch = overviewWindow(span, window, OLDEST_MS, NOW_MS);
          expect(stretch.fromMs).toBeLessThanOrEqual(window.fromMs);
          expect(stretch.toMs).toBeGreaterThanOrEqual(window.toMs);
          expect(stretch.toMs).toBeLessThanOrEqual(NOW_MS);
        }
      }
    },
  );

  test('does not move while the window moves a little, wherever that is', () => {
    const at = (back: number) =>
      overviewWindow('day', { fromMs: NOW_MS - back - HOUR_MS, toMs: NOW_MS - back }, OLDEST_MS, NOW_MS);
    expect(at(HOUR_MS)).toEqual(at(0));
    expect(at(40 * DAY_MS + HOUR_MS)).toEqual(at(40 * DAY_MS + 2 * HOUR_MS));
  });

  test('shows more of the time the longer the window is', () => {
    const spans = [HOUR_MS, 2 * DAY_MS, 30 * DAY_MS].map((length) =>
      overviewSpanFor({ fromMs: NOW_MS - length, toMs: NOW_MS }),
    );
    expect(spans).toEqual(['day', 'week', 'all']);
  });
});
