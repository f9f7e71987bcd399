import { describe, expect, test } from 'vitest';
import { addSpan, endSpans } from '@/lib/records/spans';
import type { RolloutEvent, RolloutSpan } from '@/lib/api/record';
import { addWarnings } from '@/lib/records/warnings';
import type { WorkloadState } from '@/lib/api/workload-values';
import { masked } from '@/test/masked';

const at = (minute: number) => `2026-01-01T12:${String(minute).padStart(2, '0')}:00Z`;

describe('spans', () => {
  const through = (states: WorkloadState[], since: string | null = null) =>
    states.reduce<readonly RolloutSpan[]>(
      (spans, state, minute) =>
        addSpan(spans, { state, message: masked(state), stateSince: since, at: at(minute) }, at(0)),
      [],
    );

  test('last as long as the state, and one kind follows another', () => {
    expect(through(['rolling', 'stuck', 'deadlineExceeded', 'paused', 'rolling'])).toEqual([
      { kind: 'stuck', from: at(1), to: at(3), reason: 'deadlineExceeded', reasonAt: at(2) },
      { kind: 'held', waitsFor: 'resume', from: at(3), to: at(4), reason: 'paused', reasonAt: at(3) },
    ]);
  });

  test('of a held rollout show what it waited for, one after the other', () => {
    expect(through(['waiting', 'paused', 'held', 'held'])).toMatchObject([
      { kind: 'held', waitsFor: 'deletion', from: at(0), to: at(1) },
      { kind: 'held', waitsFor: 'resume', from: at(1), to: at(2) },
      { kind: 'held', from: at(2), to: null, reason: 'held' },
    ]);
    const pace = { state: 'held', message: masked('step 1'), stateSince: null, at: at(1) } as const;
    expect(addSpan([], { ...pace, awaitsApproval: true }, at(0))).toMatchObject([{ waitsFor: 'approval' }]);
  });

  test('of a rollout without progress show whether its rollout controller calls it failed', () => {
    expect(through(['stuck', 'failed'])).toMatchObject([{ kind: 'stuck', from: at(0), hasFailed: true }]);
    const [recovered] = through(['failed', 'stuck']);
    expect([recovered?.from, recovered?.hasFailed]).toEqual([at(0), undefined]);
  });

  test('do not count scaling, and end with it', () => {
    expect(through(['rolling', 'scaling', 'scaling', 'complete'])).toEqual([]);
    expect(through(['stuck', 'scaling'])).toMatchObject([{ kind: 'stuck', from: at(0), to: at(1) }]);
  });

  test('are not interrupted by an edit that no controller has observed', () => {
    expect(through(['held', 'unknown', 'held'])).toHaveLength(1);
  });

  test('begin when the cluster reports it, but not before the rollout', () => {
    expect(through(['rolling', 'stuck'], at(0))[0]?.from).toBe(at(0));
    expect(through(['stuck'], '2026-01-01T11:00:00Z')[0]?.from).toBe(at(0));
  });

  test('do not begin with the deadline of the rollout before, unless there is no progress for another deadline', () => {
    const late: WorkloadState[] = Array.from({ length: 12 }, () => 'deadlineExceeded');
    expect(through(late.slice(0, 10), '2026-01-01T11:59:59Z')).toEqual([]);
    expect(through(late, '2026-01-01T11:59:59Z')).toMatchObject([{ kind: 'stuck', to: null }]);
    expect(through(late.slice(0, 10), at(0))).toEqual([]);
    expect(through(late.slice(0, 1), '2026-01-01T12:00:01Z')).toHaveLength(1);
  });

  test('that are open end with the watch', () => {
    expect(endSpans(through(['held']), at(5))[0]?.to).toBe(at(5));
  });

  test('are bounded, and the last one then covers the rest', () => {
    const toAndFro = Array.from({ length: 50 }, (): WorkloadState[] => [
      'stuck',
      'rolling',
      'held',
      'rolling',
    ]);
    const spans = toAndFro
      .flat()
      .reduce<readonly RolloutSpan[]>(
        (known, state, index) =>
          addSpan(
            known,
            { state, message: masked(''), stateSince: null, at: new Date(index * 1000).toISOString() },
            null,
          ),
        [],
      );
    expect(spans).toHaveLength(100);
  });
});

describe('warnings', () => {
  const event = (message: string, count: number, minute: number): RolloutEvent => ({
    at: at(minute),
    reason: 'BackOff',
    message,
    object: 'Pod web-1',
    count,
  });

  test('that repeat are counted once, those before the rollout not at all', () => {
    const first = addWarnings([], [event('old', 1, 1), event('a', 1, 10)], at(5));
    expect(addWarnings(first, [event('a', 4, 12), event('b', 1, 11)], at(5))).toEqual([
      event('a', 4, 12),
      event('b', 1, 11),
    ]);
  });

  test('are bounded, and the first ones stay', () => {
    const many = Array.from({ length: 80 }, (_, index) => event(String(index), 1, 10));
    const kept = addWarnings([], many, null);
    expect([kept.length, kept[0]?.message]).toEqual([50, '0']);
  });
});
