import { expect, test } from 'vitest';
import type { Observation } from '@/lib/records/observation';
import { FakeArchive } from '@/lib/records/testing/fake-archive';
import { SimulatedProgressiveRollout } from '@/lib/records/testing/simulated-progressive-rollout';

/** A workload without pods, whose system has not noticed the change of its template. */
function withoutPods(seen: Observation): Observation {
  const nothing = { desiredPods: 0, targetPods: [], activePods: [], completion: { provenAt: null } };
  return { ...seen, ...nothing, state: 'complete', paused: false, progressiveRollout: null };
}

test.each([false, true])(
  'a workload without pods is not complete before its system has rolled the change out (restart: %s)',
  (dies) => {
    const rollout = new SimulatedProgressiveRollout({
      ...{ isCanary: false, keepsNumbers: true, isLabelled: true },
      steps: [1, 2],
    });
    const archive = new FakeArchive();
    const since = rollout.observe('', null).incarnation.createdAt;
    const look = () => rollout.observe(since, null);
    archive.observe(look());
    rollout.apply({ kind: 'deploy', template: 'b' });
    archive.observe(withoutPods(look()));
    const { id, outcome } = archive.recordList.at(-1) ?? {};
    expect(outcome).toBe('noPods');
    if (dies) archive.restart();
    for (let count = 0; count < 3; count += 1) {
      rollout.apply({ kind: 'step' });
      archive.observe(look());
    }
    expect(archive.recordList.at(-1)).toMatchObject({ id, outcome: null, endedAt: null });
    for (let count = 0; count < 20; count += 1) {
      rollout.apply({ kind: count % 2 === 0 ? 'approve' : 'step' });
      archive.observe(look());
    }
    expect(archive.recordList.at(-1)).toMatchObject({
      ...{ id, outcome: 'completed', to: { hash: 'b' } },
      progressiveRollout: { result: 'completed' },
      steps: [{ state: 'completed' }, { state: 'completed' }],
    });
  },
);
