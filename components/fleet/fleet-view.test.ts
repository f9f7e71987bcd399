import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { choiceOf, type FleetAddress, readSince, scopeOf } from '@/components/fleet/fleet-address';
import { buildFleetView, sortFleet } from '@/components/fleet/fleet-view';
import { countEnded, isOver, summarizeLastHour } from '@/components/fleet/last-hour';
import { findNearestName } from '@/components/fleet/fleet-states';
import { startMomentOf, lastRolloutText } from '@/components/fleet/row-text';
import type { WorkloadItem } from '@/lib/api/workloads';
import { workloadStates } from '@/lib/api/workload-values';
import { minutesAgo, sampleItem, sampleNowMs } from '@/test/samples';

const address: FleetAddress = {
  q: '',
  namespace: null,
  resource: null,
  tool: null,
  labelSelector: '',
  group: null,
  changedSince: null,
  severalLive: false,
  at: '',
};

function view(items: WorkloadItem[], given: Partial<FleetAddress> = {}) {
  const now = { ...address, ...given };
  return buildFleetView(
    sortFleet(items, () => 0),
    scopeOf(now).scope,
    choiceOf(now, sampleNowMs),
    sampleNowMs,
  );
}

function names(items: WorkloadItem[], given: Partial<FleetAddress> = {}) {
  return view(items, given).lines.flatMap((line) => (line.kind === 'row' ? [line.row.name] : []));
}

function rolledOut(
  startedAt: string | null,
  notAfter: string | null = null,
  to: number | null = 5,
): WorkloadItem['lastRollout'] {
  return {
    from: 4,
    to,
    startedAt,
    notAfter,
    writer: null,
    changeCause: null,
    restart: false,
    record: null,
  };
}

const fleet = [
  sampleItem({ name: 'old' }),
  sampleItem({ name: 'new', lastRollout: rolledOut(minutesAgo(5)) }),
  sampleItem({ name: 'paused', state: 'paused' }),
  sampleItem({ name: 'stuck', state: 'stuck', namespace: 'payments', labels: { tier: 'back' } }),
  sampleItem({ name: 'maybe', lastRollout: rolledOut(null, minutesAgo(10)) }),
  sampleItem({ name: 'start-unknown', lastRollout: rolledOut(null) }),
];

describe('the list', () => {
  test('sorts trouble first, then in progress, then by the latest change', () => {
    expect(names(fleet)).toEqual(['stuck', 'paused', 'new', 'maybe', 'old', 'start-unknown']);
  });

  test('sorts what the viewer wants first before the others of its group', () => {
    const first = ['new', 'start-unknown'];
    const isLater = ({ name }: WorkloadItem) => Number(!first.includes(name));
    const sorted = sortFleet(fleet, (a, b) => isLater(a) - isLater(b));
    expect(sorted.map(({ name }) => name)).toEqual([
      'stuck',
      'paused',
      'new',
      'start-unknown',
      'maybe',
      'old',
    ]);
  });

  test('sorts trouble by the latest, the unknown last, and what waits by the longest wait', () => {
    const waiting = [
      sampleItem({ name: 'start-unknown', state: 'stuck', lastRollout: rolledOut(null) }),
      sampleItem({ name: 'unknown', state: 'unknown', lastRollout: rolledOut(minutesAgo(900)) }),
      sampleItem({ name: 'new', state: 'stuck', lastRollout: rolledOut(minutesAgo(1)) }),
      sampleItem({ name: 'old', state: 'deadlineExceeded', lastRollout: rolledOut(minutesAgo(90)) }),
      sampleItem({ name: 'held-new', state: 'held', lastRollout: rolledOut(minutesAgo(2)) }),
      sampleItem({ name: 'held-old', state: 'waiting', lastRollout: rolledOut(minutesAgo(800)) }),
      sampleItem({ name: 'rolling', state: 'rolling', lastRollout: rolledOut(minutesAgo(3)) }),
    ];
    const sorted = ['new', 'old', 'start-unknown', 'unknown', 'held-old', 'held-new', 'rolling'];
    expect(names(waiting)).toEqual(sorted);
    expect(names(waiting.filter(({ name }) => name !== 'new'))).toEqual(
      sorted.filter((name) => name !== 'new'),
    );
  });

  test('heads every group with its number of workloads', () => {
    const groups = view(fleet).lines.flatMap((line) =>
      line.kind === 'group' ? [[line.key, line.count]] : [],
    );
    expect(groups).toEqual([
      ['look', 1],
      ['you', 1],
      ['quiet', 4],
    ]);
  });

  test('tells what waits for a person from what its rollout continues', () => {
    const items = [
      sampleItem({ name: 'person', state: 'held' }),
      sampleItem({ name: 'approval', state: 'held', awaitsApproval: true }),
      sampleItem({ name: 'controller', state: 'held', heldByRollout: true }),
      sampleItem({ name: 'failed', state: 'failed' }),
    ];
    expect(names(items, { group: 'look' })).toEqual(['failed']);
    expect(names(items, { group: 'you' })).toEqual(['approval', 'person']);
    expect(names(items, { group: 'moving' })).toEqual(['controller']);
  });

  test('lists what is scaled as in progress, with its last rollout as over', () => {
    const scaling = sampleItem({ state: 'scaling', lastRollout: rolledOut(minutesAgo(5)) });
    expect(names([scaling], { group: 'moving' })).toHaveLength(1);
    const { rows } = summarizeLastHour([scaling], sampleNowMs);
    expect(rows.map((row) => [row.open, isOver(row)])).toEqual([[false, true]]);
    expect(countEnded(rows, undefined).completed).toBe(1);
  });

  test('folds what has waited for more than seven days into one line, unless searched for', () => {
    const day = 24 * 60;
    const items = [
      sampleItem({ name: 'new', state: 'paused', since: minutesAgo(day) }),
      sampleItem({ name: 'old', state: 'paused', since: minutesAgo(8 * day) }),
      sampleItem({ name: 'older', state: 'waiting', since: minutesAgo(30 * day) }),
    ];
    const { lines, shown } = view(items);
    expect(names(items)).toEqual(['new']);
    expect(shown).toBe(3);
    expect(lines.at(-1)).toMatchObject({ kind: 'fold', title: '2 for longer than 7 days' });
    expect(names(items, { q: 'old' })).toEqual(['old', 'older']);
    expect(names(items, { group: 'you' })).toHaveLength(3);
  });

  test('shows every workload once, whatever its state and the order of the answer', () => {
    const item = fc.record({
      name: fc.string({ minLength: 1, maxLength: 4 }),
      state: fc.constantFrom(...workloadStates),
      at: fc.integer({ min: 0, max: 500 }),
    });
    fc.assert(
      fc.property(fc.uniqueArray(item, { selector: ({ name }) => name }), (parts) => {
        const items = parts.map(({ name, state, at }) =>
          sampleItem({ name, state, lastRollout: rolledOut(minutesAgo(at)) }),
        );
        expect(names(items)).toEqual(names(items.toReversed()));
        expect(names(items).toSorted()).toEqual(items.map(({ name }) => name).toSorted());
      }),
    );
  });

  test('counts the matches of each chip, whichever is pressed', () => {
    const counts = { all: 6, look: 1, you: 1, moving: 0, quiet: 4, severalLive: 0 };
    expect(view(fleet).counts).toEqual(counts);
    expect(view(fleet, { group: 'look' })).toMatchObject({ counts, shown: 1 });
    expect(view(fleet, { namespace: 'shop' }).counts).toMatchObject({ all: 5, look: 0 });
  });
});

describe('the filters', () => {
  test.each([
    [{ q: 'NEW' }, ['new']],
    [{ q: 'kubectl stuck' }, ['stuck']],
    [{ namespace: 'payments' }, ['stuck']],
    [{ tool: 'kubectl' }, ['stuck', 'paused', 'old']],
    [{ labelSelector: 'tier in (back)' }, ['stuck']],
    [{ changedSince: '1h' }, ['new', 'maybe']],
    [{ group: 'you' as const }, ['paused']],
  ])('%o leaves %o', (given, left) => {
    expect(names(fleet, given)).toEqual(left);
  });

  test('reports a label selector that does not parse, and filters nothing by it', () => {
    const { scope, selectorError } = scopeOf({ ...address, labelSelector: 'a in (' });
    expect(selectorError).not.toBeNull();
    expect(scope.selector).toBeNull();
  });

  test('parses durations and times, and filters nothing by anything else', () => {
    expect(readSince('30m', sampleNowMs)).toBe(sampleNowMs - 1_800_000);
    expect(readSince('2026-09-17T12:00:00Z', sampleNowMs)).toBe(Date.parse('2026-09-17T12:00:00Z'));
    expect(readSince('yesterday', sampleNowMs)).toBeNull();
  });
});

describe('the last hour', () => {
  test('lists the newest rollout first, and counts those that may have started before', () => {
    const { rows, uncertain } = summarizeLastHour(fleet, sampleNowMs);
    expect(rows.map(({ item }) => item.name)).toEqual(['new', 'maybe']);
    expect(uncertain).toBe(1);
  });

  test('draws a rollout in progress up to now, and a completed one to its end where that is known', () => {
    const items = [
      sampleItem({ name: 'open', state: 'rolling', lastRollout: rolledOut(minutesAgo(30)) }),
      sampleItem({ name: 'done', since: minutesAgo(6), lastRollout: rolledOut(minutesAgo(9)) }),
      sampleItem({ name: 'unknown-end', lastRollout: rolledOut(minutesAgo(15)) }),
      sampleItem({ name: 'complete-before', since: minutesAgo(50), lastRollout: rolledOut(minutesAgo(3)) }),
    ];
    const rows = new Map(summarizeLastHour(items, sampleNowMs).rows.map((row) => [row.item.name, row]));
    expect(rows.get('open')).toMatchObject({ open: true, from: 0.5, to: 1 });
    expect(rows.get('done')).toMatchObject({ open: false, from: 0.85, to: 0.9 });
    expect(rows.get('unknown-end')).toMatchObject({ from: 0.75, to: 0.75 });
    expect(rows.get('complete-before')).toMatchObject({ from: 0.95, to: 0.95 });
  });
});

test('shows a rollout by the latest possible start where only that is known', () => {
  expect(startMomentOf(sampleItem({ lastRollout: rolledOut(null, minutesAgo(10)) }))).toEqual({
    kind: 'by',
    ms: Date.parse(minutesAgo(10)),
  });
  expect(startMomentOf(sampleItem({ lastRollout: rolledOut(null) }))).toEqual({ kind: 'unknown' });
  expect(startMomentOf(sampleItem({ lastRollout: null }))).toEqual({ kind: 'unknown' });
});

test('shows no number for a pending template', () => {
  const canary = sampleItem({
    lastRollout: rolledOut(null, null, null),
    images: [{ container: 'app', image: 'registry.example.com/app:2.0.0' }],
  });
  expect(lastRolloutText(canary)).toBe('4 → 2.0.0');
  expect(lastRolloutText(sampleItem())).toBe('4 → 5');
});

test('suggests the nearest name for a typo, and none for an unrelated name', () => {
  const named = [{ name: 'checkout' }, { name: 'cart' }];
  expect(findNearestName('chekout', named)?.name).toBe('checkout');
  expect(findNearestName('zzzzzzz', named)).toBeNull();
});

test('counts every rollout of the last hour once: by its state, or by its outcome once it is over', () => {
  const over = (name: string) =>
    sampleItem({ name, state: 'complete', lastRollout: rolledOut(minutesAgo(9)) });
  const { rows } = summarizeLastHour(
    [
      sampleItem({ name: 'open', state: 'stuck', lastRollout: rolledOut(minutesAgo(30)) }),
      over('a'),
      over('b'),
    ],
    sampleNowMs,
  );
  expect(rows.filter((row) => !isOver(row)).map(({ item }) => item.name)).toEqual(['open']);
  const none = { failed: 0, rolledBack: 0, completed: 0, undone: 0, superseded: 0, noPods: 0, unknown: 0 };
  expect(countEnded(rows, undefined)).toEqual({ ...none, completed: 2 });
  expect(countEnded(rows, { completed: 5, rolledBack: 1, open: 1 })).toEqual({
    ...none,
    completed: 5,
    rolledBack: 1,
  });
  // The archive is a moment behind the rows.
  expect(countEnded(rows, { completed: 1 })).toEqual({ ...none, completed: 2 });
});
