import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isModified } from '@/lib/oam/next-move';
import { isTerminal } from '@/lib/oam/states';
import { Play } from '@/lib/oam/testing/play';
import { PlayedCloneSet } from '@/lib/oam/testing/played-clone-set';
import { objectAt } from '@/lib/workloads/read';

const batches = fc
  .array(fc.record({ replicas: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constantFrom('10%', '30%')) }), {
    maxLength: 4,
  })
  .map((list) => [...list, { replicas: '100%' }]);

const act = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('move' as const),
      spare: fc.oneof(fc.constant(9), fc.integer({ min: 0, max: 3 })),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('live' as const),
      made: fc.integer({ min: 0, max: 4 }),
      ready: fc.integer({ min: 0, max: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('pause' as const), paused: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('partition' as const),
      to: fc.option(fc.integer({ min: 0, max: 4 })),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('plan' as const), rolloutBatches: batches }) },
  { weight: 1, arbitrary: fc.constant({ do: 'delete' as const }) },
);

test('whatever happens to the rollout of a CloneSet, no pod runs ahead of its batch, and it ends', () => {
  const ends = new Map<string, number>();
  const story = fc.record({
    size: fc.integer({ min: 4, max: 12 }),
    strategy: fc.constantFrom({ paused: true }, { partition: '100%' }, { paused: true, partition: 2 }),
    rolloutBatches: batches,
    revertOnDelete: fc.boolean(),
    acts: fc.array(act, { minLength: 10, maxLength: 100 }),
    endsDeleted: fc.boolean(),
  });
  fc.assert(
    fc.property(story, ({ size, strategy, rolloutBatches, revertOnDelete, acts, endsDeleted }) => {
      const play = new Play();
      const set = new PlayedCloneSet(play, size, strategy);
      const before = objectAt(set.object.spec, 'updateStrategy');
      play.roll({
        targetRef: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'set' },
        rolloutPlan: { rolloutBatches, revertOnDelete },
      });
      const look = () => {
        const { run, position } = play.status ?? {};
        const fresh = set.pods.filter(({ revision }) => revision === 'new').length;
        const most = Math.max(run?.batchReplicas ?? 0, run?.finishedReplicas ?? 0);
        expect(fresh, 'no pod runs ahead of its batch').toBeLessThanOrEqual(
          play.rollout === undefined ? size : most,
        );
        if (position?.rolling === 'rollingInBatches')
          expect(fresh, 'a finished batch stays').toBeGreaterThanOrEqual(run?.finishedReplicas ?? 0);
        expect(set.pods.length).toBe(size);
      };
      for (const step of acts) {
        if (step.do === 'move') play.move(step.spare);
        if (step.do === 'live') set.live(step.made, step.ready);
        if (step.do === 'pause') play.editPlan({ paused: step.paused });
        if (step.do === 'partition') play.editPlan({ batchPartition: step.to });
        if (step.do === 'plan') play.editPlan({ rolloutBatches: step.rolloutBatches });
        if (step.do === 'delete') play.delete();
        play.nowMs += 1_000;
        look();
      }
      play.editPlan({ paused: false, batchPartition: null });
      const last = play.status?.position?.rolling;
      if (endsDeleted) play.delete();
      const isDeleting = play.rollout?.metadata.deletionTimestamp !== undefined;
      const isOver = () => {
        const { parsed } = play;
        const rolling = parsed?.status.position?.rolling;
        if (parsed === undefined) return true;
        return !isDeleting && rolling !== undefined && isTerminal(rolling) && !isModified(parsed);
      };
      play.until(isOver, () => {
        set.live(9, 9);
        look();
      });
      const end = play.rollout === undefined ? 'deleted' : (play.status?.position?.rolling ?? '');
      const images = new Set(set.pods.map(({ revision }) => revision));
      if (end === 'rolloutSucceed') expect(images).toEqual(new Set(['new']));
      if (isDeleting && revertOnDelete && last !== 'rolloutSucceed') {
        ends.set('reverted', (ends.get('reverted') ?? 0) + 1);
        expect(images).toEqual(new Set(['old']));
        // Not to be paused may be written or left out.
        const after = objectAt(set.object.spec, 'updateStrategy');
        expect({ paused: false, ...after }).toEqual({ paused: false, ...before });
      }
      ends.set(end, (ends.get(end) ?? 0) + 1);
    }),
    { numRuns: 300 },
  );
  for (const end of ['deleted', 'rolloutSucceed', 'rolloutFailed', 'reverted'])
    expect(ends.get(end)).toBeGreaterThan(5);
});
