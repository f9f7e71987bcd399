import { describe, expect, test } from 'vitest';
import { happeningsOf } from '@/lib/ledger/happenings';
import { ago, sampleRecordAnswer } from '@/test/ledger';

const held = (from: number, to: number | null) => ({
  kind: 'held' as const,
  from: ago(from),
  to: to === null ? null : ago(to),
  reason: 'partition 3',
});

function told(given: Parameters<typeof sampleRecordAnswer>[0]) {
  const open = { startedAt: ago(60), endedAt: null, outcome: null, events: [], ...given };
  return happeningsOf(sampleRecordAnswer(open)).map(({ text }) => text);
}

describe('what happened', () => {
  test('says when a rollout was held no longer', () => {
    expect(told({ spans: [held(50, 40)] }).slice(1)).toEqual(['Partition 3', 'No longer held']);
  });

  test('does not say so where nobody was watching any more', () => {
    expect(
      told({ spans: [held(50, 40), held(30, null)], unwatched: [{ from: ago(40), to: ago(30) }] }).slice(1),
    ).toEqual([
      'Partition 3',
      'Shiplog was not watching from here on',
      'Shiplog watched again',
      'Partition 3',
    ]);
  });

  test('does not say so where it was held on for another reason', () => {
    expect(told({ spans: [held(50, 40), { ...held(40, null), reason: 'paused' }] }).slice(1)).toEqual([
      'Partition 3',
      'Paused',
    ]);
  });
});
