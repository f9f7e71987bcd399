import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PodTrack } from '@/lib/api/earlier-incarnation';
import type { RolloutSummary } from '@/lib/api/records';
import type { TimelineRevision } from '@/lib/timeline/lanes';
import { podProfiles, intervalsWithin } from '@/lib/timeline/pod-profile';
import { activation, iso, layout, now, timelineRevision } from '@/lib/timeline/testing/timeline-samples';

function summary(id: string, given: Partial<RolloutSummary> = {}): RolloutSummary {
  return {
    id,
    outcome: 'completed',
    startedAt: null,
    endedAt: null,
    actor: null,
    cause: null,
    ...given,
  };
}

/** A revision that was the target for a while, in minutes before now. */
function revision(
  number: number,
  from: number,
  to: number | null,
  record: RolloutSummary | null,
  given: Partial<TimelineRevision> = {},
): TimelineRevision {
  const isTarget = to === null;
  return timelineRevision(number, {
    target: isTarget,
    live: isTarget,
    pods: isTarget ? { total: 4, ready: 4 } : { total: 0, ready: 0 },
    createdAt: iso(from),
    activations: [
      activation(number, { from: iso(from), to: isTarget ? null : iso(to), open: isTarget, record }),
    ],
    ...given,
  });
}

const layoutSettled = (revisions: TimelineRevision[]) => layout(revisions, { desired: 4, settled: true });

describe('a recorded rollout', () => {
  test('is distinct from the time after it, up to its end', () => {
    const record = summary('r', { startedAt: iso(50), endedAt: iso(45) });
    const { lanes, axis } = layoutSettled([revision(1, 50, 10, record)]);
    const boxes = lanes[0]?.boxes ?? [];
    expect(boxes.map(({ rolling }) => rolling)).toEqual([true, false]);
    expect(boxes[1]?.left).toBeCloseTo(axis.x(now - 45 * 60_000));
  });

  test('that was superseded was in progress until its end', () => {
    const record = summary('r', { outcome: 'superseded', startedAt: iso(50), endedAt: iso(10) });
    const boxes = layoutSettled([revision(1, 50, 10, record)]).lanes[0]?.boxes ?? [];
    expect(boxes.map(({ rolling }) => rolling)).toEqual([true]);
  });

  test('that failed has a note at its bar, which covers nothing', () => {
    const bad = summary('bad', { outcome: 'rolledBack', startedAt: iso(20), endedAt: iso(18) });
    const { lanes, axis } = layoutSettled([revision(2, 20, 18, bad), revision(1, 50, 20, summary('good'))]);
    const [text] = lanes[0]?.labels ?? [];
    const [box] = lanes[0]?.boxes ?? [];
    expect(text).toMatchObject({ outcome: 'rolled back', rest: ' after 2 min', anchor: 'end' });
    expect(text?.x).toBeLessThan(box?.left ?? 0);
    expect(box).toMatchObject({ appearance: 'back' });
    expect(lanes[0]?.labels.every(({ x }) => x > (axis.panels[0]?.left ?? 0))).toBe(true);
  });
});

test('a revision that only the archive has is a lane of its own, marked as archived', () => {
  const archived = revision(1, 50, 20, null, { retained: false, note: 'archived' });
  const { lanes } = layoutSettled([revision(2, 20, null, summary('r')), archived]);
  expect(lanes.map(({ lane, endText: end }) => [lane.number, lane.archived, end])).toEqual([
    [2, false, '4 pods, 4 ready'],
    [1, true, 'archived'],
  ]);
});

describe('pods over time', () => {
  const revisions = [revision(2, 20, null, summary('second')), revision(1, 50, 20, summary('first'))];
  const sample = (minutesAgo: number, one: number, two: number) => ({
    at: iso(minutesAgo),
    pods: [
      { revisionId: 'rs-1', pods: one, ready: one },
      { revisionId: 'rs-2', pods: two, ready: two },
    ],
  });
  const track: PodTrack = {
    rollouts: [
      { record: 'first', samples: [sample(50, 2, 0), sample(48, 4, 0)] },
      { record: 'second', samples: [sample(20, 4, 1), sample(19, 2, 3), sample(18, 0, 4)] },
    ],
  };

  test('keep the last sample between rollouts, and nothing that was not observed', () => {
    const profiles = podProfiles(track, revisions, now);
    const said = (id: string) =>
      profiles
        .get(id)
        ?.map(({ fromMs, toMs, pods }) => [(now - fromMs) / 60_000, (now - toMs) / 60_000, pods]);
    expect(said('rs-1')).toEqual([
      [50, 48, 2],
      [48, 19, 4],
      [19, 18, 2],
    ]);
    expect(said('rs-2')).toEqual([
      [20, 19, 1],
      [19, 18, 3],
      [18, 0, 4],
    ]);
  });

  test('set the thickness of the bars, also for a revision being replaced', () => {
    const profiles = podProfiles(track, revisions, now);
    const sampled = revisions.map((each) => ({ ...each, profile: profiles.get(each.id) ?? [] }));
    const [target, before] = layoutSettled(sampled).lanes;
    expect(target?.boxes.some(({ pods }) => pods !== null)).toBe(true);
    const leaving = before?.boxes.find(({ activation }) => activation === null);
    expect(leaving).toMatchObject({ appearance: 'past', rolling: true });
  });

  test('never overlap, whatever was sampled', () => {
    const times = fc.uniqueArray(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 20 });
    const pods = fc.tuple(fc.nat(5), fc.nat(5));
    const counts = fc.array(pods, { minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(times, counts, (ats, chosen) => {
        const samples = ats
          .toSorted((a, b) => b - a)
          .map((minutes, index) => sample(minutes, ...(chosen[index] ?? [0, 0])));
        const rollouts = samples.map((each, index) => ({
          record: index % 2 ? 'first' : 'second',
          samples: [each],
        }));
        for (const profile of podProfiles({ rollouts }, revisions, now).values()) {
          const within = intervalsWithin(profile, now - 400 * 60_000, now);
          within.forEach((each, index) => {
            expect(each.toMs).toBeGreaterThan(each.fromMs);
            expect(each.fromMs).toBeGreaterThanOrEqual(within[index - 1]?.toMs ?? -Infinity);
          });
        }
      }),
    );
  });
});
