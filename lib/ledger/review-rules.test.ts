import { describe, expect, test } from 'vitest';
import { isWaiting, readReviewRules, type ReviewRules, usualRules } from '@/lib/ledger/review-rules';
import { ago, ledgerNowMs, sampleRecord } from '@/test/ledger';

const alone = { revertedBy: null, team: 'storefront' };

function waits(
  given: Parameters<typeof sampleRecord>[1],
  rules: Partial<ReviewRules> = {},
  about = alone as object,
) {
  const record = sampleRecord('r1', given);
  return isWaiting(record, { ...alone, ...about }, { ...usualRules, ...rules }, ledgerNowMs);
}

describe('what waits for a verdict', () => {
  test('is what has ended and was watched, and an open rollout once it has been held for a day', () => {
    const held = (minutes: number, to: string | null = null) => ({
      outcome: null,
      spans: [{ kind: 'held' as const, from: ago(minutes), to, reason: 'partition 3' }],
    });
    expect(waits({})).toBe(true);
    expect(waits({ outcome: 'unknown' })).toBe(false);
    expect(waits({ outcome: null })).toBe(false);
    expect(waits(held(1_440))).toBe(true);
    expect(waits(held(1_439))).toBe(false);
    expect(waits(held(1_440, ago(1)))).toBe(false);
  });

  test('is a restart only where it went wrong, unless a team wants them all', () => {
    expect(waits({ restart: true })).toBe(false);
    expect(waits({ restart: true, outcome: 'failed' })).toBe(true);
    expect(waits({ restart: true }, { restarts: true })).toBe(true);
  });

  test('is no rollout that another one superseded, unless it was stuck', () => {
    const stuck = { kind: 'stuck' as const, from: ago(9), to: ago(5), reason: 'no image' };
    expect(waits({ outcome: 'superseded', spans: [] })).toBe(false);
    expect(waits({ outcome: 'superseded', spans: [stuck] })).toBe(true);
  });

  test('can be what failed alone, or what was taken back alone', () => {
    const back = { revertedBy: 'r2' };
    expect([waits({}, { only: 'failed' }), waits({}, { only: 'failed' }, back)]).toEqual([false, true]);
    expect(waits({ outcome: 'failed' }, { only: 'failed' })).toBe(true);
    expect(waits({ outcome: 'failed' }, { only: 'rollbacks' })).toBe(false);
    expect(waits({ outcome: 'rolledBack' }, { only: 'rollbacks' })).toBe(true);
  });

  test('can be what has been over for a while, and of some teams alone', () => {
    expect([waits({}, { minAgeMs: 3_600_000 }), waits({}, { minAgeMs: 3_600_001 })]).toEqual([true, false]);
    expect(waits({}, { teams: ['storefront'] })).toBe(true);
    expect(waits({}, { teams: ['payments'] })).toBe(false);
  });
});

describe('rules as a setting', () => {
  test('are written as in the address of the page', () => {
    expect(readReviewRules('namespace=shop,payments&only=failed&restarts=1&age=2h&team=a')).toEqual({
      namespaces: ['shop', 'payments'],
      teams: ['a'],
      only: 'failed',
      restarts: true,
      minAgeMs: 7_200_000,
    });
    expect(readReviewRules('')).toEqual(usualRules);
  });

  test.each(['only=bad', 'restarts=yes', 'age=soon', 'names=shop'])('that say %s are refused', (text) => {
    expect(typeof readReviewRules(text)).toBe('string');
  });
});
