import { expect, test } from 'vitest';
import { type Observation } from '@/lib/ledger/observation';
import { Kept } from '@/lib/ledger/testing/kept';
import { ReleaseWorld } from '@/lib/ledger/testing/release-world';

const rules = { isCanary: false, keepsNumbers: true, steps: [1, 2, 3], isLabelled: true };

/** As the system says it once it has gone back to the stable revision. */
function aborted(seen: Observation): Observation {
  const { release } = seen;
  if (release === null) throw new Error('there is no release');
  const step = { ...release.step, index: 0 };
  return { ...seen, release: { ...release, state: 'failed', since: seen.at, step } };
}

test.each([false, true])(
  'an aborted release has failed, and goes on when it is retried (restart: %s)',
  (dies) => {
    const world = new ReleaseWorld(rules);
    const kept = new Kept();
    const since = world.look('', null).life.createdAt;
    const look = () => world.look(since, null);
    kept.see(look());
    world.do({ kind: 'deploy', template: 'b' });
    kept.see(look());
    for (let count = 0; count < 3; count += 1) {
      world.do({ kind: 'step' });
      kept.see(look());
    }
    expect(kept.list.at(-1)).toMatchObject({ outcome: null, release: { result: null } });

    const seen = aborted(look());
    kept.see(seen);
    const failed = kept.list.at(-1);
    expect(failed).toMatchObject({ outcome: 'failed', endedAt: seen.at, release: { result: 'failed' } });
    expect(failed?.steps.map(({ state }) => state)).toEqual(['abandoned', 'skipped', 'skipped']);
    kept.see(aborted(look()));
    expect(kept.list.at(-1)).toEqual(failed);

    if (dies) kept.restart();
    for (let count = 0; count < 20; count += 1) {
      world.do({ kind: count % 2 === 0 ? 'approve' : 'step' });
      kept.see(look());
      if (count === 0) expect(kept.list.at(-1)).toMatchObject({ outcome: null, endedAt: null });
    }
    expect(kept.list.at(-1)).toMatchObject({ outcome: 'completed', release: { result: 'completed' } });
    expect(kept.list.at(-1)?.steps.map(({ state }) => state)).toEqual([
      'completed',
      'completed',
      'completed',
    ]);
  },
);
