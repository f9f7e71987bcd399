import { describe, expect, test } from 'vitest';
import { eventMarks } from '@/lib/timeline/event-marks';
import { buildLanes, type TimelineRevision } from '@/lib/timeline/lanes';
import { placeMarks } from '@/lib/timeline/layout';
import { podTimes } from '@/lib/timeline/pod-profile';
import { activation, iso, layout, now, timelineRevision } from '@/lib/timeline/testing/timeline-samples';

const stuck = [
  timelineRevision(43, {
    target: true,
    live: true,
    pods: { total: 6, ready: 0 },
    createdAt: iso(26),
    unreadySinceMs: now - 26 * 60_000,
    activations: [activation(43, { from: iso(26), open: true })],
  }),
  timelineRevision(42, {
    live: true,
    pods: { total: 9, ready: 9 },
    createdAt: iso(9000),
    runningSinceMs: now - 9000 * 60_000,
    activations: [activation(42, { from: iso(9000), to: iso(26) })],
  }),
];

describe('a stalled rollout', () => {
  test('draws pods that are not ready as such, and the revision that still serves up to now', () => {
    const { lanes, axis } = layout(stuck, { trouble: true });
    const [target, serving] = lanes;
    expect(target?.boxes.at(-1)).toMatchObject({ appearance: 'unready' });
    expect(target?.endText).toBe('6 pods, 0 ready');
    const last = serving?.boxes.at(-1);
    expect(last).toMatchObject({ appearance: 'live', text: '9 pods' });
    expect((last?.left ?? 0) + (last?.width ?? 0)).toBeCloseTo(axis.nowX);
    expect(last?.height).toBeGreaterThan(target?.boxes.at(-1)?.height ?? 99);
  });

  test('does not draw starting pods red', () => {
    expect(layout(stuck).lanes[0]?.boxes.at(-1)?.appearance).toBe('starting');
  });

  test('once over, draws pods as not ready only for times that are proven', () => {
    const [target, ...rest] = stuck;
    if (target === undefined) throw new Error('no target');
    const partly = { ...target, pods: { total: 6, ready: 5 }, unreadySinceMs: null };
    expect(layout([partly, ...rest], { trouble: true, settled: true }).lanes[0]?.boxes.at(-1)?.width).toBe(
      3.5,
    );
  });
});

describe('a rollback', () => {
  const reused = [
    timelineRevision(3, {
      id: 'a',
      target: true,
      live: true,
      alsoNumbers: [1],
      pods: { total: 12, ready: 12 },
      createdAt: iso(55),
      activations: [
        activation(1, { from: iso(55), to: iso(40) }),
        activation(3, { fromNotBefore: iso(40), fromNotAfter: iso(10), open: true }),
      ],
    }),
    timelineRevision(2, { id: 'b', createdAt: iso(40), activations: [activation(2, { from: iso(40) })] }),
  ];

  test('returns by a curve to the earlier lane, with its former number', () => {
    const { lanes, transitions: passages } = layout(reused);
    expect(lanes.map(({ lane }) => [lane.number, lane.formerNumbers])).toEqual([
      [2, []],
      [3, [1]],
    ]);
    expect(passages.map(({ kind, certain }) => [kind, certain])).toEqual([
      ['step', true],
      ['back', false],
    ]);
  });

  test('is unknown within the bounds of its start, and solid only after them', () => {
    const { lanes, axis } = layout(reused);
    const boxes = lanes[1]?.boxes ?? [];
    const solid = boxes.filter(({ appearance }) => appearance === 'target');
    expect(boxes.filter(({ appearance }) => appearance === 'unknown')).toHaveLength(1);
    expect(solid).toHaveLength(1);
    expect(solid[0]?.left).toBeCloseTo(axis.x(now - 600_000));
    expect(lanes[0]?.boxes.every(({ appearance }) => appearance === 'unknown')).toBe(true);
  });
});

test('pods older than the remaining ones are not drawn', () => {
  const [, serving] = stuck;
  if (serving === undefined) throw new Error('no revision');
  const bars = buildLanes([{ ...serving, runningSinceMs: now - 5 * 60_000 }], now).lanes[0]?.bars;
  expect(bars?.map((bar) => bar.kind === 'running' && bar.certain)).toEqual([false, false, true]);
});

test('the time before the first retained revision is shown as not retained', () => {
  const { unrecorded } = layout(stuck, { range: 'all', createdMs: now - 30_000 * 60_000 });
  expect(unrecorded).toEqual([expect.objectContaining({ text: 'not observed' })]);
});

test('lanes beyond the limit are omitted with the lines that lead to them', () => {
  const { lanes, transitions: passages, height } = layout(stuck, { lanesMax: 1, compact: true });
  expect([lanes.length, passages.length, height]).toEqual([1, 0, 130]);
});

test('a live revision of an old template has its lane although newer templates fill the limit', () => {
  const [, live, ...past] = stuck;
  const reused = { ...live, createdAt: iso(400_000) } as TimelineRevision;
  const { lanes } = layout([...past, reused], { lanesMax: 1 });
  expect(lanes.map(({ lane }) => lane.number)).toEqual([reused.number]);
});

test('labels of events never cover each other or the present', () => {
  const { axis } = layout(stuck);
  const events = [30, 29, 29, 1, 0].map((minutes, index) => ({
    atMs: now - minutes * 60_000,
    warning: true,
    label: `a rather long label ${index}`,
  }));
  const texts = placeMarks(events, axis).flatMap(({ text, label }) => {
    if (text === null) return [];
    const width = label.length * 5.7;
    return [text.anchor === 'start' ? [text.x, text.x + width] : [text.x - width, text.x]];
  });
  expect(texts.length).toBeGreaterThan(0);
  for (const [index, [from = 0, to = 0]] of texts.entries()) {
    expect(to).toBeLessThanOrEqual(axis.nowX);
    for (const [otherFrom = 0, otherTo = 0] of texts.slice(index + 1))
      expect(to <= otherFrom || from >= otherTo).toBe(true);
  }
});

test('events of one reason become one mark at its first time', () => {
  const event = { type: 'Warning', reason: 'BackOff', last: iso(1) };
  expect(
    eventMarks([
      { ...event, count: 4, first: iso(9) },
      { ...event, count: 2, first: iso(20) },
      { ...event, type: 'Normal', reason: 'Pulled', count: 1, first: iso(30) },
    ]),
  ).toEqual([{ atMs: now - 20 * 60_000, warning: true, label: 'back-off ×6' }]);
});

test('a pod that was ready once is not drawn as unready since its creation', () => {
  const pod = {
    revisionId: 'a',
    ready: false,
    createdAt: iso(90),
    block: { kind: 'readiness' as const, since: null },
  };
  const times = (given: object) => podTimes([{ ...pod, ...given } as never]).get('a');
  expect(times({})).toEqual({ runningSinceMs: now - 90 * 60_000, unreadySinceMs: null });
  expect(times({ block: { kind: 'imagePull', since: null } })?.unreadySinceMs).toBe(now - 90 * 60_000);
});
