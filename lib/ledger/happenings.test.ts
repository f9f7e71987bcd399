import { describe, expect, test } from 'vitest';
import { happeningsOf } from '@/lib/ledger/happenings';
import { ago, sampleRecordAnswer } from '@/test/ledger';

const held = (from: number, to: number | null) => ({
  kind: 'held' as const,
  from: ago(from),
  to: to === null ? null : ago(to),
  reason: 'partition 3',
  reasonAt: ago(from),
});

function lines(given: NonNullable<Parameters<typeof sampleRecordAnswer>[0]>) {
  const open = { startedAt: ago(60), endedAt: null, outcome: null, events: [], ...given };
  return happeningsOf(sampleRecordAnswer(open));
}

function told(given: NonNullable<Parameters<typeof sampleRecordAnswer>[0]>) {
  return lines(given).map(({ text }) => text);
}

describe('what happened', () => {
  test('says when a rollout was held no longer', () => {
    expect(told({ spans: [held(50, 40)] }).slice(1)).toEqual(['Partition 3', 'No longer held']);
  });

  test('tells no reason before it was known', () => {
    const stuck = {
      kind: 'stuck' as const,
      from: ago(50),
      to: ago(10),
      reason: 'exits with code 1, 9 restarts',
    };
    const times = (spans: Parameters<typeof told>[0]['spans']) =>
      lines({ spans }).map(({ at, text }) => `${at} ${text}`);
    expect(times([{ ...stuck, reasonAt: ago(20) }]).slice(1)).toEqual([
      `${ago(50)} Stalled`,
      `${ago(20)} Exits with code 1, 9 restarts`,
      `${ago(10)} No longer stalled`,
    ]);
    expect(times([{ ...stuck, reasonAt: ago(50) }])[1]).toBe(`${ago(50)} Exits with code 1, 9 restarts`);
    // A former version kept no time of it: by the end it was known.
    expect(times([stuck])[2]).toBe(`${ago(10)} Exits with code 1, 9 restarts`);
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
