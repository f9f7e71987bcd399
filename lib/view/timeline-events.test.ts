import { describe, expect, test } from 'vitest';
import { listTimelineEvents } from '@/lib/view/timeline-events';
import { minutesAgo, sampleRecordAnswer } from '@/test/record-samples';

const held = (from: number, to: number | null) => ({
  kind: 'held' as const,
  from: minutesAgo(from),
  to: to === null ? null : minutesAgo(to),
  reason: 'partition 3',
  reasonAt: minutesAgo(from),
});

function lines(given: NonNullable<Parameters<typeof sampleRecordAnswer>[0]>) {
  const open = { startedAt: minutesAgo(60), endedAt: null, outcome: null, events: [], ...given };
  return listTimelineEvents(sampleRecordAnswer(open));
}

function eventTexts(given: NonNullable<Parameters<typeof sampleRecordAnswer>[0]>) {
  return lines(given).map(({ text }) => text);
}

describe('timeline events', () => {
  test('show when a rollout was no longer held', () => {
    expect(eventTexts({ spans: [held(50, 40)] }).slice(1)).toEqual(['Partition 3', 'No longer held']);
  });

  test('show no reason before it was known', () => {
    const stuck = {
      kind: 'stuck' as const,
      from: minutesAgo(50),
      to: minutesAgo(10),
      reason: 'exits with code 1, 9 restarts',
    };
    const times = (spans: Parameters<typeof eventTexts>[0]['spans']) =>
      lines({ spans }).map(({ at, text }) => `${at} ${text}`);
    expect(times([{ ...stuck, reasonAt: minutesAgo(20) }]).slice(1)).toEqual([
      `${minutesAgo(50)} Stalled`,
      `${minutesAgo(20)} Exits with code 1, 9 restarts`,
      `${minutesAgo(10)} No longer stalled`,
    ]);
    expect(times([{ ...stuck, reasonAt: minutesAgo(50) }])[1]).toBe(
      `${minutesAgo(50)} Exits with code 1, 9 restarts`,
    );
    // A former version saved no time of it: by the end it was known.
    expect(times([stuck])[2]).toBe(`${minutesAgo(10)} Exits with code 1, 9 restarts`);
  });

  test('do not show the end of a hold that was not watched', () => {
    expect(
      eventTexts({
        spans: [held(50, 40), held(30, null)],
        unwatched: [{ from: minutesAgo(40), to: minutesAgo(30) }],
      }).slice(1),
    ).toEqual(['Partition 3', 'Observation stopped', 'Observation resumed', 'Partition 3']);
  });

  test('do not show the end of a hold that continued for another reason', () => {
    expect(eventTexts({ spans: [held(50, 40), { ...held(40, null), reason: 'paused' }] }).slice(1)).toEqual([
      'Partition 3',
      'Paused',
    ]);
  });
});
