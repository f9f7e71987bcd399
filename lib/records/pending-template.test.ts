import { describe, expect, test } from 'vitest';
import type { RolloutRecord } from '@/lib/api/record';
import type { Observation } from '@/lib/records/observation';
import { FakeArchive } from '@/lib/records/testing/fake-archive';
import { incarnation, SimulatedWorkload } from '@/lib/records/testing/simulated-workload';

/**
 * All pods run `a`; the template `b` is requested, and its revision is created ten seconds later. `pending`: what is
 * observed in between, by the second.
 */
function recordsOf(pending: Readonly<Record<number, Partial<Observation>>>): RolloutRecord[] {
  const world = new SimulatedWorkload({ keepsNumbers: true, historyLimit: 10, pods: 3 });
  for (let step = 0; step < 6; step += 1) world.apply({ kind: 'step' });
  const before = world.observe(incarnation.createdAt);
  const later = (seconds: number) => new Date(Date.parse(before.at) + seconds * 1000).toISOString();
  const between = Object.entries(pending).map(([second, parts]) => ({
    ...before,
    at: later(Number(second)),
    target: null,
    templateWrittenAt: later(3),
    revisions: before.revisions.map((revision) => ({ ...revision, pods: 0, ready: 0 })),
    ...parts,
  }));
  world.apply({ kind: 'deploy', template: 'b' });
  const archive = new FakeArchive();
  for (const each of [before, ...between, world.observe(incarnation.createdAt)]) archive.observe(each);
  return archive.recordList;
}

const start = Date.parse(recordsOf({}).at(-1)?.startedAt ?? '') - 10_000;
const secondsOf = (time: string | null | undefined) => (Date.parse(time ?? '') - start) / 1000;
const begunAt = (pending: Parameters<typeof recordsOf>[0]) => secondsOf(recordsOf(pending).at(-1)?.startedAt);

describe('the record of a template whose revision comes later', () => {
  test('begins with the write, and has the pods since then', () => {
    const [, record] = recordsOf({ 4: {}, 8: {} });
    expect(secondsOf(record?.startedAt)).toBe(3);
    const samples = record?.samples.map(({ at, byRevision }) => [secondsOf(at), byRevision.length]);
    expect(samples).toEqual([
      [4, 0],
      [8, 0],
      [10, 1],
    ]);
  });

  test('begins when the template was first observed where managedFields have the time of another write', () => {
    expect(begunAt({ 4: { templateWrittenAt: null }, 8: {} })).toBe(4);
    expect(begunAt({ 5: { templateWrittenAt: incarnation.createdAt }, 8: {} })).toBe(5);
  });

  test('begins with the revision where that comes within two seconds, as in a rolling update', () => {
    expect(begunAt({ 8: { templateWrittenAt: null } })).toBe(10);
  });

  test('begins with the revision while its rollout was paused, or where a gap may hide another template', () => {
    expect(begunAt({ 3.5: { paused: true } })).toBe(10);
    expect(begunAt({ 3.5: { paused: true }, 8: {} })).toBe(10);
    expect(begunAt({ 3.5: { watch: { since: new Date(start + 3_200).toISOString(), lostAt: null } } })).toBe(
      10,
    );
  });
});
