import { expect, test } from 'vitest';
import { trackOf } from '@/lib/ledger/track';
import { ago, ledgerNowMs, sampleRecordAnswer } from '@/test/ledger';

const samples: [string, [string, number, number][]][] = [
  [ago(62), [['hash-4', 3, 3]]],
  [
    ago(61),
    [
      ['hash-4', 1, 1],
      ['hash-5', 3, 2],
    ],
  ],
  [ago(60), [['hash-5', 3, 3]]],
];
const record = sampleRecordAnswer({ samples: samples.map(([at, byRevision]) => ({ at, byRevision })) });

test('a track has the target first, and every part lies within it', () => {
  const track = trackOf(record, ledgerNowMs);
  expect(track?.lanes.map(({ label }) => label)).toEqual(['5', '4']);
  expect(track?.lanes[1]?.parts).toEqual([
    { from: 0, to: 0.5, pods: 3, ready: 3 },
    { from: 0.5, to: 1, pods: 1, ready: 1 },
  ]);
});

test('an open rollout reaches to now, and what is stuck still is', () => {
  const spans = [{ kind: 'stuck' as const, from: ago(61), to: null, reason: '' }];
  const track = trackOf({ ...record, outcome: null, endedAt: null, spans }, ledgerNowMs);
  expect(track?.toMs).toBe(ledgerNowMs);
  expect(track?.spans[0]?.to).toBe(1);
});

test('nothing is drawn of a rollout that nobody watched', () => {
  expect(trackOf(sampleRecordAnswer(), ledgerNowMs)).toBeNull();
});
