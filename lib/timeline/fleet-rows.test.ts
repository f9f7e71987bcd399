import { describe, expect, test } from 'vitest';
import { ago, ledgerNowMs, sampleRecordAnswer } from '@/test/ledger';
import { type TimelineItem } from '@/lib/api/timeline';
import { countLooks, isChosen, isWithin, returnsAmong, rowsOf, stretchOf } from '@/lib/timeline/fleet-rows';
import { besideBar, periodText, tellOutcome, tellRollout, unrecordedText } from '@/lib/timeline/fleet-words';

const frame = { nowMs: ledgerNowMs, timeZone: 'UTC' };
const hour = { fromMs: ledgerNowMs - 3_600_000, toMs: ledgerNowMs };

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
  spans: [{ kind: 'stuck' as const, from: ago(5), to: null, reason: 'no pod is ready' }],
};

describe('rows of the timeline', () => {
  test('are one a workload, the most troubled first, each speaking of its worst rollout', () => {
    const rows = rowsOf(
      [
        item('a2', { startedAt: ago(10), outcome: 'completed' }),
        item('a1', { startedAt: ago(20), outcome: 'failed' }),
        item('b1', stuck, 'pay'),
        item('c1', { startedAt: ago(1) }, 'log', 'ops'),
      ],
      'trouble',
    );
    expect(rows.map(({ workload, told }) => [workload.name, told.id])).toEqual([
      ['pay', 'b1'],
      ['cart', 'a1'],
      ['log', 'c1'],
    ]);
    expect(rows[1]?.rollouts.map(({ id }) => id)).toEqual(['a1', 'a2']);
    expect(countLooks(rows)).toEqual([
      { look: 'stuck', count: 1 },
      { look: 'failed', count: 1 },
      { look: 'completed', count: 1 },
    ]);
  });

  test('can be put in the order of places, or of time', () => {
    const items = [
      item('a', { startedAt: ago(9) }),
      item('b', stuck, 'pay'),
      item('c', { startedAt: ago(1) }, 'log', 'ops'),
    ];
    const names = (order: 'place' | 'latest') => rowsOf(items, order).map(({ workload }) => workload.name);
    expect(names('place')).toEqual(['log', 'cart', 'pay']);
    expect(names('latest')).toEqual(['log', 'cart', 'pay']);
  });

  test('know the rollout that took another one back, and count that one as rolled back', () => {
    const items = [
      item('bad', { startedAt: ago(9), revertedBy: 'back' }),
      item('back', { startedAt: ago(5) }),
    ];
    expect([...returnsAmong(items).keys()]).toEqual(['back']);
    const rows = rowsOf(items, 'trouble');
    expect(countLooks(rows)).toEqual([{ look: 'back', count: 1 }]);
    expect(tellOutcome(rows[0]?.told ?? item('none'))).toContain('reverted later');
    const back = items[1] ?? item('none');
    expect(besideBar(back, undefined, null, hour, frame)).toBe('back to rev 5');
    expect(besideBar(back, undefined, 5, hour, frame)).toBe('back to rev 5');
  });

  test('name a revision that a rollback renumbered as the row knew it', () => {
    const refOf = (number: number) => ({ number, id: `rs-${number}`, hash: 'h' });
    const items = [
      item('bad', { startedAt: ago(9), revertedBy: 'back', from: refOf(3), to: refOf(4) }),
      item('back', { startedAt: ago(5), from: refOf(4), to: refOf(5) }),
    ];
    const back = items[1] ?? item('none');
    expect(besideBar(back, undefined, returnsAmong(items).get('back'), hour, frame)).toBe(
      'back to rev 3 (now rev 5)',
    );
  });

  test('of an open rollout say what it does by the word that the list of workloads has', () => {
    const openWith = (spans: TimelineItem['spans']) => tellOutcome(item('open', { ...stuck, spans }));
    const span = { from: ago(5), to: null, reason: '' };
    expect(openWith([{ ...span, kind: 'stuck' }])).toBe('Stalled');
    expect(openWith([{ ...span, kind: 'held' }])).toBe('Held');
    expect(openWith([{ ...span, kind: 'held', waitsFor: 'approval' }])).toBe('Waiting for approval');
    expect(openWith([{ ...span, kind: 'held', waitsFor: 'deletion' }])).toBe('Waiting for deletion');
    expect(openWith([{ ...span, kind: 'held', waitsFor: 'resume' }])).toBe('Paused');
    expect(openWith([])).toBe('In progress');
  });

  test('of a rollout that was rolled back do not say that it was reverted besides', () => {
    expect(tellOutcome(item('bad', { outcome: 'rolledBack', revertedBy: 'back' }))).not.toContain('later');
  });
});

describe('a rollout on the axis', () => {
  test('is within a period if it was under way at any moment of it', () => {
    const within = (given: Partial<TimelineItem>) => isWithin(item('x', given), hour, ledgerNowMs);
    expect(within({ startedAt: ago(90), endedAt: ago(70) })).toBe(false);
    expect(within({ startedAt: ago(90), endedAt: ago(50) })).toBe(true);
    expect(within({ startedAt: ago(9_000), endedAt: null, outcome: null })).toBe(true);
    // Its end is only when the next one began.
    expect(within({ startedAt: ago(90), endedAt: ago(50), outcome: 'unknown' })).toBe(false);
    expect(within({ startedAt: null, startedNotAfter: ago(30), endedAt: null, outcome: 'unknown' })).toBe(
      true,
    );
    expect(within({ startedAt: null, startedNotAfter: null })).toBe(false);
  });

  test('goes on to the present while it is open, and says what of it nobody saw', () => {
    expect(stretchOf(item('x', stuck), ledgerNowMs)).toMatchObject({ toMs: ledgerNowMs, isEndUnseen: false });
    expect(
      stretchOf(item('x', { startedAt: null, startedNotAfter: ago(3), endedAt: null }), ledgerNowMs),
    ).toEqual({
      fromMs: Date.parse(ago(3)),
      toMs: Date.parse(ago(3)),
      isFromBound: true,
      isEndUnseen: true,
    });
  });

  test('is chosen by what it is and when it began', () => {
    const before = item('x', { ...stuck, startedAt: ago(90) });
    expect(
      (['all', 'began', 'look', 'open'] as const).map((choice) => isChosen(before, choice, hour)),
    ).toEqual([true, false, true, true]);
  });

  test('is not said to be missing from a time that was not recorded', () => {
    const oldestMs = Date.parse(ago(30));
    expect(unrecordedText(oldestMs, { fromMs: 0, toMs: oldestMs - 1 }, frame)).toBe(
      'nothing was recorded: the first recorded rollout began today 12:02.',
    );
    expect(unrecordedText(oldestMs, hour, frame)).toBe(
      'no rollout is recorded; the first one began today 12:02.',
    );
  });

  test('can be told in a sentence', () => {
    expect(tellRollout(item('x', { startedAt: ago(12), endedAt: ago(10) }), frame)).toBe(
      'cart in shop, 4 → 5, completed in 2 min, began today 12:20, ended today 12:22, app: image 1.4.0 → 1.5.0, kubectl',
    );
  });
});

test('a period is named as people would', () => {
  const texts = [
    periodText(hour, true, frame),
    periodText(hour, false, frame),
    periodText({ fromMs: ledgerNowMs - 7 * 86_400_000, toMs: ledgerNowMs }, true, frame),
    periodText({ fromMs: ledgerNowMs - 2 * 86_400_000, toMs: ledgerNowMs - 86_400_000 }, false, frame),
  ];
  expect(texts).toEqual([
    'In the last hour',
    'Between 11:32 and 12:32',
    'In the last 7 days',
    'Between Tue 15 Sep 12:32 and yesterday 12:32',
  ]);
});
