import { expect, test } from 'vitest';
import type { Observation } from '@/lib/records/observation';
import { FakeArchive } from '@/lib/records/testing/fake-archive';
import { SimulatedProgressiveRollout } from '@/lib/records/testing/simulated-progressive-rollout';

const rules = { isCanary: false, keepsNumbers: true, steps: [1, 2, 3], isLabelled: true };

/** What the system reports once it has returned to the stable revision. */
function withAbortedRollout(seen: Observation): Observation {
  const { progressiveRollout: rollout } = seen;
  if (rollout === null) throw new Error('there is no progressive rollout');
  const step = { ...rollout.step, index: 0 };
  return { ...seen, progressiveRollout: { ...rollout, state: 'failed', since: seen.at, step } };
}

test.each([false, true])(
  'an aborted progressive rollout has failed, and continues with the reason when it is retried (restart: %s)',
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
    const last = () => kept.recordList.at(-1);
    expect([last()?.outcome, last()?.progressiveRollout?.result]).toEqual([null, null]);

    const seen = withAbortedRollout(look());
    kept.observe(seen);
    const failed = last();
    expect(failed).toMatchObject({ outcome: 'failed', endedAt: seen.at });
    expect(failed?.progressiveRollout?.result).toBe('failed');
    const reason = seen.progressiveRollout?.message;
    const abort = { kind: 'stuck', hasFailed: true, reason, from: seen.at };
    expect(failed?.spans.at(-1)).toMatchObject({ ...abort, to: seen.at });
    expect(failed?.steps.map(({ state }) => state)).toEqual(['abandoned', 'skipped', 'skipped']);
    kept.observe(withAbortedRollout(look()));
    expect(kept.recordList.at(-1)).toEqual(failed);

    if (dies) kept.restart();
    for (let count = 0; count < 20; count += 1) {
      world.apply({ kind: count % 2 === 0 ? 'approve' : 'step' });
      kept.observe(look());
      if (count === 0) expect(kept.recordList.at(-1)).toMatchObject({ outcome: null, endedAt: null });
    }
    const aborts = last()?.spans.filter(({ hasFailed }) => hasFailed) ?? [];
    expect(aborts).toMatchObject([abort]);
    // Until the retry.
    expect(aborts[0]?.to).not.toBe(seen.at);
    expect([last()?.outcome, last()?.progressiveRollout?.result]).toEqual(['completed', 'completed']);
    expect(kept.recordList.at(-1)?.steps.map(({ state }) => state)).toEqual([
      'completed',
      'completed',
      'completed',
    ]);
  },
);
