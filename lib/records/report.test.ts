import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createPeriodReport, median, type Period, type ReportedRollout } from '@/lib/records/report';
import { outcomes } from '@/lib/api/record-values';

const HOUR = 3_600_000;
const period: Period = { fromMs: 0, toMs: 48 * HOUR, revertedWithinMs: 24 * HOUR, timeZone: 'UTC' };

function reportPeriod(rollouts: readonly ReportedRollout[], period: Period, before = 0) {
  const count = createPeriodReport(period, before);
  for (const rollout of [...rollouts].sort((a, b) => b.startedMs - a.startedMs)) count.add(rollout);
  return count.report();
}

let count = 0;
function rollout(startedMs: number, given: Partial<ReportedRollout> = {}): ReportedRollout {
  count += 1;
  return {
    id: `r${count}`,
    workload: 'deployments.apps/shop/cart',
    group: 'shop',
    startedMs,
    endedMs: startedMs + 60_000,
    outcome: 'completed',
    isStartKnown: true,
    revertedMs: null,
    stuck: false,
    reviewed: false,
    hasCause: false,
    isReturn: false,
    ...given,
  };
}

describe('the figures of a period', () => {
  test('a completed change that was reverted in time is a failed one, one reverted later is not', () => {
    const soon = rollout(0, { revertedMs: 2 * HOUR });
    const late = rollout(HOUR, { revertedMs: 30 * HOUR });
    const { total, failures } = reportPeriod([soon, late], period);
    expect(total).toMatchObject({ failedChanges: 1, reverted: 1, measured: 2, changeFailureRate: 0.5 });
    expect(failures.map((failure) => failure.rollout)).toEqual([soon]);
  });

  test('a rollback and the undoing of one are no changes, whatever their outcome', () => {
    const bad = rollout(0, { outcome: 'rolledBack' });
    const back = rollout(HOUR, { isReturn: true, revertedMs: 2 * HOUR });
    const undone = rollout(2 * HOUR, { isReturn: true, outcome: 'failed' });
    const { total, failures } = reportPeriod([bad, back, undone], period);
    expect(total).toMatchObject({ rollouts: 3, measured: 1, failedChanges: 1, restored: 1 });
    expect(failures.map((failure) => failure.rollout)).toEqual([bad]);
  });

  test('what the owner of a workload reverted is neither a change nor a failure, and restores nothing', () => {
    const bad = rollout(0, { outcome: 'failed' });
    const undone = rollout(HOUR, { outcome: 'undone', revertedMs: HOUR });
    const { total, failures } = reportPeriod([bad, undone], period);
    expect(total).toMatchObject({ rollouts: 2, undone: 1, measured: 1, unrestored: 1 });
    expect(failures.map((failure) => failure.rollout)).toEqual([bad]);
  });

  test('quick edits that supersede each other do not dilute the rate', () => {
    const failed = rollout(0, { outcome: 'failed' });
    const edits = [1, 2, 3].map((index) =>
      rollout(index * HOUR, { outcome: 'superseded', endedMs: index * HOUR + 59_999 }),
    );
    const tried = rollout(5 * HOUR, { outcome: 'superseded' });
    expect(reportPeriod([failed, ...edits], period).total).toMatchObject({ measured: 1, superseded: 3 });
    expect(reportPeriod([failed, tried], period).total).toMatchObject({ measured: 2 });
  });

  test('open and unobserved rollouts do not count towards the rate', () => {
    const { total } = reportPeriod(
      [
        rollout(0, { outcome: 'failed' }),
        rollout(1, { outcome: null, endedMs: null }),
        rollout(2, { outcome: 'unknown', endedMs: null }),
      ],
      period,
    );
    expect(total).toMatchObject({ rollouts: 3, open: 1, unknown: 1, measured: 1, changeFailureRate: 1 });
  });

  test('time to restore runs to the next rollout of the same workload that completed, also beyond the period', () => {
    const failed = rollout(47 * HOUR, { outcome: 'rolledBack' });
    const other = rollout(47 * HOUR + 1, { workload: 'deployments.apps/shop/pay' });
    const next = rollout(48 * HOUR + 1, { endedMs: 50 * HOUR });
    const { total } = reportPeriod([failed, other, next], period);
    expect(total).toMatchObject({ rollouts: 2, restored: 1, unrestored: 0, timeToRestoreMs: 3 * HOUR });
    expect(reportPeriod([failed, other], period).total).toMatchObject({
      unrestored: 1,
      timeToRestoreMs: null,
    });
  });

  test('each earlier period has its own figures, and a start belongs to the period that begins with it', () => {
    const length = period.toMs - period.fromMs;
    const rollouts = [
      rollout(period.toMs),
      rollout(0),
      rollout(-1, { outcome: 'failed', group: 'pay' }),
      rollout(-length),
      rollout(-length - 1),
      rollout(-3 * length),
    ];
    const { total, before, groups } = reportPeriod(rollouts, period, 2);
    expect([total, ...before].map((figures) => figures.rollouts)).toEqual([1, 2, 1]);
    expect(before.map(({ changeFailureRate }) => changeFailureRate)).toEqual([0.5, 0]);
    expect(groups).toMatchObject([{ name: 'shop', figures: { rollouts: 1 }, previous: { rollouts: 1 } }]);
  });

  test('a rollout without pods is no change, and restores nothing', () => {
    const failed = rollout(0, { outcome: 'failed' });
    const { total } = reportPeriod([failed, rollout(HOUR, { outcome: 'noPods' })], period);
    expect(total).toMatchObject({ rollouts: 2, noPods: 1, completed: 0, measured: 1, unrestored: 1 });
  });

  test('a duration whose start is only bounded is left out of the median', () => {
    const { total } = reportPeriod(
      [rollout(0), rollout(1, { isStartKnown: false, endedMs: 40 * HOUR })],
      period,
    );
    expect(total.durationMs).toBe(60_000);
  });

  test('an empty period has no rate and no median', () => {
    const { total, groups } = reportPeriod([], period);
    expect(total).toMatchObject({ changeFailureRate: null, timeToRestoreMs: null, durationMs: null });
    expect(groups).toEqual([]);
  });

  const anyRollout = fc.record({
    startedMs: fc.integer({ min: -HOUR, max: 60 * HOUR }),
    group: fc.constantFrom('shop', 'pay', null),
    outcome: fc.constantFrom(...outcomes, null),
    isReturn: fc.boolean(),
    revertedMs: fc.option(fc.integer({ min: 0, max: 90 * HOUR })),
  });

  test('days are those of the calendar in the zone, the first and the last as far as the period has them', () => {
    const at = (text: string) => Date.parse(`2026-${text}Z`);
    const week = { ...period, fromMs: at('03-27T12:30'), toMs: at('03-30T08:00'), timeZone: 'Europe/Berlin' };
    const started = ['03-27T22:59', '03-27T23:00', '03-29T21:59', '03-29T22:00', '03-24T18:00'];
    const { days } = reportPeriod(
      started.map((text) => rollout(at(text))),
      week,
      1,
    );
    expect(
      days.map(({ fromMs, isPartial, completed, before }) => [fromMs, isPartial, completed, before]),
    ).toEqual([
      [at('03-27T12:30'), true, 1, 1],
      [at('03-27T23:00'), false, 1, 0],
      // The clocks go forward: 23 hours.
      [at('03-28T23:00'), false, 1, 0],
      [at('03-29T22:00'), true, 1, 0],
    ]);
  });

  test('groups and days each add up to the total, and every failed change is restored or not', () => {
    fc.assert(
      fc.property(fc.array(anyRollout), (given) => {
        const rollouts = given.map(({ startedMs, ...rest }) => rollout(startedMs, rest));
        const { total, groups, days, failures } = reportPeriod(rollouts, period);
        const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);
        expect(sum(groups.map(({ figures }) => figures.rollouts))).toBe(total.rollouts);
        expect(sum(groups.map(({ figures }) => figures.failedChanges))).toBe(total.failedChanges);
        expect(sum(days.map((day) => day.completed + day.rolledBack + day.failed + day.other))).toBe(
          total.rollouts,
        );
        expect(total.restored + total.unrestored).toBe(failures.length);
        expect(total.failedChanges).toBeLessThanOrEqual(total.measured);
      }),
    );
  });

  test('the median of an even count is the mean of the two middle values', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([9, 1, 5])).toBe(5);
  });
});
