import { describe, expect, test } from 'vitest';
import type { ReviewRules } from '@/lib/api/review-queue';
import { isAwaitingReview, parseReviewQuery, defaultReviewRules } from '@/lib/records/review-rules';
import { minutesAgo, recordsNowMs, sampleRecord } from '@/test/record-samples';

const alone = { revertedBy: null, team: 'storefront' };

function waits(
  given: Parameters<typeof sampleRecord>[1],
  rules: Partial<ReviewRules> = {},
  about = alone as object,
) {
  const record = sampleRecord('r1', given);
  return isAwaitingReview(record, { ...alone, ...about }, { ...defaultReviewRules, ...rules }, recordsNowMs);
}

describe('rollouts that wait for a verdict', () => {
  test('are ended rollouts that were observed, and an open rollout once it has been held for a day', () => {
    const held = (minutes: number, to: string | null = null) => ({
      outcome: null,
      spans: [{ kind: 'held' as const, from: minutesAgo(minutes), to, reason: 'partition 3' }],
    });
    expect(waits({})).toBe(true);
    expect(waits({ outcome: 'unknown' })).toBe(false);
    expect(waits({ outcome: null })).toBe(false);
    expect(waits(held(1_440))).toBe(true);
    expect(waits(held(1_439))).toBe(false);
    expect(waits(held(1_440, minutesAgo(1)))).toBe(false);
  });

  test('include a restart only where it failed, unless a team wants them all', () => {
    expect(waits({ restart: true })).toBe(false);
    expect(waits({ restart: true, outcome: 'failed' })).toBe(true);
    expect(waits({ restart: true }, { restarts: true })).toBe(true);
  });

  test('include no superseded rollout, unless it was stalled', () => {
    const stuck = { kind: 'stuck' as const, from: minutesAgo(9), to: minutesAgo(5), reason: 'no image' };
    expect(waits({ outcome: 'superseded', spans: [] })).toBe(false);
    expect(waits({ outcome: 'superseded', spans: [stuck] })).toBe(true);
  });

  test('include no rollout without pods', () => {
    expect(waits({ outcome: 'noPods' })).toBe(false);
  });

  test('can be failed rollouts alone, or reverted ones alone', () => {
    const back = { revertedBy: 'r2' };
    expect([waits({}, { only: 'failed' }), waits({}, { only: 'failed' }, back)]).toEqual([false, true]);
    expect(waits({ outcome: 'failed' }, { only: 'failed' })).toBe(true);
    expect(waits({ outcome: 'failed' }, { only: 'rollbacks' })).toBe(false);
    expect(waits({ outcome: 'rolledBack' }, { only: 'rollbacks' })).toBe(true);
  });

  test('can be those that ended some time ago, and those of some teams alone', () => {
    expect([waits({}, { minAgeMs: 3_600_000 }), waits({}, { minAgeMs: 3_600_001 })]).toEqual([true, false]);
    expect(waits({}, { teams: ['storefront'] })).toBe(true);
    expect(waits({}, { teams: ['payments'] })).toBe(false);
  });
});

describe('rules as a setting', () => {
  test('have the format of the address of the page', () => {
    expect(parseReviewQuery('namespace=shop,payments&only=failed&restarts=1&age=2h&team=a')).toEqual({
      namespaces: ['shop', 'payments'],
      teams: ['a'],
      only: 'failed',
      restarts: true,
      minAgeMs: 7_200_000,
    });
    expect(parseReviewQuery('')).toEqual(defaultReviewRules);
  });

  test.each(['only=bad', 'restarts=yes', 'age=soon', 'names=shop'])('with %s are rejected', (text) => {
    expect(typeof parseReviewQuery(text)).toBe('string');
  });
});
