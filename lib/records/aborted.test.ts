import { expect, test } from 'vitest';
import { type Observation } from '@/lib/records/observation';
import { FakeArchive } from '@/lib/records/testing/fake-archive';
import { SimulatedProgressiveRollout } from '@/lib/records/testing/simulated-progressive-rollout';

const rules = { isCanary: false, keepsNumbers: true, steps: [1, 2, 3], isLabelled: true };

/** What the system reports once it has returned to the stable revision. */
function withAbortedRelease(seen: Observation): Observation {
  const { release } = seen;
  if (release === null) throw new Error('there is no release');
  const step = { ...release.step, index: 0 };
  return { ...seen, release: { ...release, state: 'failed', since: seen.at, step } };
}

test.each([false, true])(
  'an aborted progressive rollout has failed, and continues when it is retried (restart: %s)',
  (dies) => {
    const world = new SimulatedProgressiveRollout(rules);
    const kept = new FakeArchive();
    const since = world.observe('', null).incarnation.createdAt;
    const look = () => world.observe(since, null);
    kept.observe(look());
    world.apply({ kind: 'deploy', template: 'b' });
    kept.observe(look());
    for (let count = 0; count < 3; count += 1) {
      world.apply({ kind: 'step' });
      kept.observe(look());
    }
    expect(kept.recordList.at(-1)).toMatchObject({ outcome: null, release: { result: null } });

    const seen = withAbortedRelease(look());
    kept.observe(seen);
    const failed = kept.recordList.at(-1);
    expect(failed).toMatchObject({ outcome: 'failed', endedAt: seen.at, release: { result: 'failed' } });
    expect(failed?.steps.map(({ state }) => state)).toEqual(['abandoned', 'skipped', 'skipped']);
    kept.observe(withAbortedRelease(look()));
    expect(kept.recordList.at(-1)).toEqual(failed);

    if (dies) kept.restart();
    for (let count = 0; count < 20; count += 1) {
      world.apply({ kind: count % 2 === 0 ? 'approve' : 'step' });
      kept.observe(look());
      if (count === 0) expect(kept.recordList.at(-1)).toMatchObject({ outcome: null, endedAt: null });
    }
    expect(kept.recordList.at(-1)).toMatchObject({ outcome: 'completed', release: { result: 'completed' } });
    expect(kept.recordList.at(-1)?.steps.map(({ state }) => state)).toEqual([
      'completed',
      'completed',
      'completed',
    ]);
  },
);
