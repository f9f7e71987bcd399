import { expect, test } from 'vitest';
import { buildPodChart } from '@/lib/view/pod-chart';
import { minutesAgo, recordsNowMs, sampleRecordAnswer } from '@/test/record-samples';

const samples: [string, [string, number, number][]][] = [
  [minutesAgo(62), [['hash-4', 3, 3]]],
  [
    minutesAgo(61),
    [
      ['hash-4', 1, 1],
      ['hash-5', 3, 2],
    ],
  ],
  [minutesAgo(60), [['hash-5', 3, 3]]],
];
const record = sampleRecordAnswer({ samples: samples.map(([at, byRevision]) => ({ at, byRevision })) });

test('a chart has the target first, and every segment lies within it', () => {
  const track = buildPodChart(record, recordsNowMs);
  expect(track?.lanes.map(({ label }) => label)).toEqual(['5', '4']);
  expect(track?.lanes[1]?.segments).toEqual([
    { from: 0, to: 0.5, pods: 3, ready: 3 },
    { from: 0.5, to: 1, pods: 1, ready: 1 },
  ]);
});

test('an open rollout extends to now, and a stalled one is still stalled', () => {
  const spans = [{ kind: 'stuck' as const, from: minutesAgo(61), to: null, reason: '' }];
  const track = buildPodChart({ ...record, outcome: null, endedAt: null, spans }, recordsNowMs);
  expect(track?.toMs).toBe(recordsNowMs);
  expect(track?.spans[0]?.to).toBe(1);
});

test('nothing is drawn of an unobserved rollout', () => {
  expect(buildPodChart(sampleRecordAnswer(), recordsNowMs)).toBeNull();
});
