import { describe, expect, test } from 'vitest';
import { minutesAgo, recordsNowMs, sampleRecordAnswer } from '@/test/record-samples';
import type { TimelineItem } from '@/lib/api/timeline';
import {
  countAppearances,
  isSelected,
  isWithin,
  findReverts,
  buildRows,
  intervalOf,
} from '@/lib/timeline/fleet-rows';
import {
  barNote,
  periodText,
  describeOutcome,
  describeRollout,
  unrecordedText,
} from '@/lib/timeline/fleet-text';

const frame = { nowMs: recordsNowMs, timeZone: 'UTC' };
const hour = { fromMs: recordsNowMs - 3_600_000, toMs: recordsNowMs };

function item(
  id: string,
  given: Partial<TimelineItem> = {},
  name = 'cart',
  namespace = 'shop',
): TimelineItem {
  const { workload, ...record } = sampleRecordAnswer();
  return { ...record, id, workload: { ...workload, name, namespace }, steps: [], unwatched: [], ...given };
}

const stuck = {
  outcome: null,
  endedAt: null,
  spans: [{ kind: 'stuck' as const, from: minutesAgo(5), to: null, reason: 'no pod is ready' }],
};

describe('rows of the timeline', () => {
  test('are one per workload, most problems first, each showing its worst rollout', () => {
    const rows = buildRows(
      [
        item('a2', { startedAt: minutesAgo(10), outcome: 'completed' }),
        item('a1', { startedAt: minutesAgo(20), outcome: 'failed' }),
        item('b1', stuck, 'pay'),
        item('c1', { startedAt: minutesAgo(1) }, 'log', 'ops'),
      ],
      'trouble',
    );
    expect(rows.map(({ workload, mostUrgent: told }) => [workload.name, told.id])).toEqual([
      ['pay', 'b1'],
      ['cart', 'a1'],
      ['log', 'c1'],
    ]);
    expect(rows[1]?.rollouts.map(({ id }) => id)).toEqual(['a1', 'a2']);
    expect(countAppearances(rows.flatMap(({ rollouts }) => rollouts))).toEqual([
      { appearance: 'stuck', count: 1 },
      { appearance: 'failed', count: 1 },
      { appearance: 'completed', count: 2 },
    ]);
  });

  test('are apart for the same name in two clusters, even under one uid, and next to each other', () => {
    const inCluster = (id: string, cluster: string) => {
      const { workload, ...rest } = item(id);
      return { ...rest, workload: { ...workload, cluster } };
    };
    const rows = buildRows([inCluster('a', 'us'), inCluster('b', 'eu'), item('c', {}, 'pay')], 'place');
    expect(rows.map(({ workload, rollouts }) => [workload.name, workload.cluster, rollouts.length])).toEqual([
      ['cart', 'eu', 1],
      ['cart', 'us', 1],
      ['pay', item('c').workload.cluster, 1],
    ]);
  });

  test('can be in the order of places, or of time', () => {
    const items = [
      item('a', { startedAt: minutesAgo(9) }),
      item('b', stuck, 'pay'),
      item('c', { startedAt: minutesAgo(1) }, 'log', 'ops'),
    ];
    const names = (order: 'place' | 'latest') => buildRows(items, order).map(({ workload }) => workload.name);
    expect(names('place')).toEqual(['log', 'cart', 'pay']);
    expect(names('latest')).toEqual(['log', 'cart', 'pay']);
  });

  test('can start with the last rollout before a moment, and end with those after it', () => {
    const items = [
      item('a', { startedAt: minutesAgo(40) }, 'early'),
      item('b', { startedAt: minutesAgo(12) }, 'late'),
      item('c', { startedAt: minutesAgo(21) }, 'cause'),
      item('d', { startedAt: minutesAgo(19) }, 'next'),
    ];
    const rows = buildRows(items, 'nearest', Date.parse(minutesAgo(20)));
    expect(rows.map(({ workload }) => workload.name)).toEqual(['cause', 'early', 'next', 'late']);
  });

  test('know the rollout that reverted another one, and count that one as rolled back', () => {
    const items = [
      item('bad', { startedAt: minutesAgo(9), revertedBy: 'back' }),
      item('back', { startedAt: minutesAgo(5) }),
    ];
    expect([...findReverts(items).keys()]).toEqual(['back']);
    const rows = buildRows(items, 'trouble');
    expect(countAppearances(items)).toEqual([
      { appearance: 'back', count: 1 },
      { appearance: 'completed', count: 1 },
    ]);
    expect(describeOutcome(rows[0]?.mostUrgent ?? item('none'))).toContain('later reverted');
    const back = items[1] ?? item('none');
    expect(barNote(back, undefined, null, hour, frame)).toBe('back to rev 5');
    expect(barNote(back, undefined, 5, hour, frame)).toBe('back to rev 5');
  });

  test('name a revision that a rollback renumbered by its number at the time', () => {
    const refOf = (number: number) => ({ number, id: `rs-${number}`, hash: 'h' });
    const items = [
      item('bad', { startedAt: minutesAgo(9), revertedBy: 'back', from: refOf(3), to: refOf(4) }),
      item('back', { startedAt: minutesAgo(5), from: refOf(4), to: refOf(5) }),
    ];
    const back = items[1] ?? item('none');
    expect(barNote(back, undefined, findReverts(items).get('back'), hour, frame)).toBe(
      'back to rev 3 (now rev 5)',
    );
  });

  test('describe an open rollout with the same word as the list of workloads', () => {
    const openWith = (spans: TimelineItem['spans']) => describeOutcome(item('open', { ...stuck, spans }));
    const span = { from: minutesAgo(5), to: null, reason: '' };
    expect(openWith([{ ...span, kind: 'stuck' }])).toBe('Stalled');
    expect(openWith([{ ...span, kind: 'stuck', hasFailed: true }])).toBe('Failed');
    expect(openWith([{ ...span, kind: 'held' }])).toBe('Held');
    expect(openWith([{ ...span, kind: 'held', waitsFor: 'approval' }])).toBe('Waiting for approval');
    expect(openWith([{ ...span, kind: 'held', waitsFor: 'deletion' }])).toBe('Waiting for pod deletion');
    expect(openWith([{ ...span, kind: 'held', waitsFor: 'resume' }])).toBe('Paused');
    expect(openWith([])).toBe('In progress');
  });

  test('do not describe a rolled back rollout as reverted, too', () => {
    expect(describeOutcome(item('bad', { outcome: 'rolledBack', revertedBy: 'back' }))).not.toContain(
      'later',
    );
  });
});

describe('a rollout on the axis', () => {
  test('is within a period if it was in progress at any time of it', () => {
    const within = (given: Partial<TimelineItem>) => isWithin(item('x', given), hour, recordsNowMs);
    expect(within({ startedAt: minutesAgo(90), endedAt: minutesAgo(70) })).toBe(false);
    expect(within({ startedAt: minutesAgo(90), endedAt: minutesAgo(50) })).toBe(true);
    expect(within({ startedAt: minutesAgo(9_000), endedAt: null, outcome: null })).toBe(true);
    // Its end is only the start of the next one.
    expect(within({ startedAt: minutesAgo(90), endedAt: minutesAgo(50), outcome: 'unknown' })).toBe(false);
    expect(
      within({ startedAt: null, startedNotAfter: minutesAgo(30), endedAt: null, outcome: 'unknown' }),
    ).toBe(true);
    expect(within({ startedAt: null, startedNotAfter: null })).toBe(false);
  });

  test('extends to the present while it is open, with its gaps', () => {
    expect(intervalOf(item('x', stuck), recordsNowMs)).toMatchObject({
      toMs: recordsNowMs,
      isEndUnobserved: false,
    });
    expect(
      intervalOf(item('x', { startedAt: null, startedNotAfter: minutesAgo(3), endedAt: null }), recordsNowMs),
    ).toEqual({
      fromMs: Date.parse(minutesAgo(3)),
      toMs: Date.parse(minutesAgo(3)),
      isFromBound: true,
      isEndUnobserved: true,
    });
  });

  test('is selected by its state and when it began', () => {
    const before = item('x', { ...stuck, startedAt: minutesAgo(90) });
    expect(
      (['all', 'began', 'look', 'open'] as const).map((choice) => isSelected(before, choice, hour)),
    ).toEqual([true, false, true, true]);
  });

  test('is not reported missing from a time that was not recorded', () => {
    const oldestMs = Date.parse(minutesAgo(30));
    expect(unrecordedText(oldestMs, { fromMs: 0, toMs: oldestMs - 1 }, frame)).toBe(
      'no data: recording started with a rollout at 12:02.',
    );
    expect(unrecordedText(oldestMs, hour, frame)).toBe(
      'no rollouts recorded. Recording started with a rollout at 12:02.',
    );
  });

  test('has a description in one sentence', () => {
    expect(describeRollout(item('x', { startedAt: minutesAgo(12), endedAt: minutesAgo(10) }), frame)).toBe(
      'cart in shop, 4 → 5, Completed in 2 min, started 12:20, ended 12:22, app: image 1.4.0 → 1.5.0, kubectl',
    );
  });
});

test('a period has its everyday name', () => {
  const texts = [
    periodText(hour, true, frame),
    periodText(hour, false, frame),
    periodText({ fromMs: recordsNowMs - 7 * 86_400_000, toMs: recordsNowMs }, true, frame),
    periodText({ fromMs: recordsNowMs - 2 * 86_400_000, toMs: recordsNowMs - 86_400_000 }, false, frame),
  ];
  expect(texts).toEqual([
    'In the last hour',
    'Between 11:32 and 12:32',
    'In the last 7 days',
    'Between 15 Sep, 12:32 and 16 Sep, 12:32',
  ]);
});
