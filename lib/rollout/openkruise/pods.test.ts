import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plannedReplicas } from '@/lib/rollout/openkruise/steps';
import {
  cloneSetFacts,
  deploymentFacts,
  found,
  line,
  deriveFrom,
  type BatchPod,
  rolloutObject,
  statusOf,
  web,
} from '@/lib/rollout/openkruise/testing/objects';

function podNamesByStep(pods: readonly BatchPod[], changes: Parameters<typeof line>[0] = {}) {
  const rollout = deriveFrom(
    rolloutObject({ status: statusOf(line(changes)) }),
    found(cloneSetFacts(['v0', 'v1', 'v2'], pods)),
  );
  const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);
  return { steps: rollout.steps.map((step) => names(step.pods)), unassigned: names(rollout.unassignedPods) };
}

describe('the pods of a step', () => {
  it('carry its number, the id of this rollout and the revision of this rollout, all three', () => {
    const pods: BatchPod[] = [
      { name: 'one', of: 'v2', id: 'v2', batch: 1 },
      { name: 'two', of: 'v2', id: 'v2', batch: 2 },
      { name: 'reused-id', of: 'v1', id: 'v2', batch: 1 },
      { name: 'older-id', of: 'v2', id: 'v0', batch: 1 },
      { name: 'young', of: 'v2' },
      { name: 'leaving', of: 'v2', id: 'v2', batch: 1, deleted: '2026-11-21T00:59:00Z' },
      { name: 'stable', of: 'v1' },
    ];
    expect(podNamesByStep(pods, { step: 2, next: 3 })).toEqual({
      steps: [['one'], ['two'], []],
      unassigned: ['older-id', 'young'],
    });
  });

  it.each(['0', '4', '-1', '1.5', '01', 'x', ''])(
    'are none for the label %j: the step is unknown, not a wrong one',
    (batch) => {
      expect(podNamesByStep([{ name: 'a', of: 'v2', id: 'v2', batch }], { step: 3, next: -1 })).toEqual({
        steps: [[], [], []],
        unassigned: ['a'],
      });
    },
  );

  it('of a Deployment are assigned by their owners: its labels name a hash on old pods too', () => {
    const stable = deploymentFacts(
      'checkout',
      ['aaa', 'bbb'],
      [
        { name: 'old', of: 'aaa', id: 'v2', batch: 1 },
        { name: 'new', of: 'bbb', id: 'v2', batch: 1 },
      ],
    );
    const rollout = deriveFrom(
      rolloutObject({ workload: web, status: statusOf(line({ stable: 'aaa', hash: 'bbb' })) }),
      found(stable),
    );
    expect(rollout.steps[0]?.pods.map(({ name, revision }) => [name, revision])).toEqual([['new', 2]]);
  });

  it('keep their step when the rollout ends, and are unknown where the canary deleted them', () => {
    const over = {
      phase: 'Healthy',
      progressing: 'Completed',
      succeeded: 'True',
      step: 3,
      next: -1,
      state: 'Completed',
    };
    const pods: BatchPod[] = [
      { name: 'kept', of: 'v2', id: 'v2', batch: 3 },
      { name: 'later', of: 'v2' },
    ];
    expect(podNamesByStep(pods, over)).toEqual({ steps: [[], [], ['kept']], unassigned: ['later'] });
  });

  const pod = fc.record({
    of: fc.constantFrom('v0', 'v1', 'v2', 'gone'),
    id: fc.option(fc.constantFrom('v0', 'v1', 'v2', 'rollback-v1'), { nil: undefined }),
    batch: fc.option(fc.oneof(fc.integer({ min: -1, max: 6 }), fc.string({ maxLength: 3 })), {
      nil: undefined,
    }),
    deleted: fc.option(fc.constant('2026-11-21T00:59:00Z'), { nil: undefined }),
  });

  it('are never in two steps, nor in one that does not exist or has not begun, nor of another revision', () => {
    fc.assert(
      fc.property(
        fc.array(pod, { maxLength: 25 }),
        fc.integer({ min: 0, max: 5 }),
        fc.constantFrom('StepUpgrade', 'StepPaused', 'Completed', ''),
        fc.constantFrom('Progressing', 'Healthy', 'Disabled', 'Terminating', 'Initial'),
        (specs, step, state, phase) => {
          const pods = specs.map(({ of, ...rest }, index): BatchPod => ({
            name: `pod-${index}`,
            of,
            ...(Object.fromEntries(
              Object.entries(rest).filter(([, value]) => value !== undefined),
            ) as object),
          }));
          const { steps, unassigned } = podNamesByStep(pods, { step, state, phase });
          const all = [...steps.flat(), ...unassigned];
          expect(new Set(all).size).toBe(all.length);
          expect(steps).toHaveLength(3);
          for (const name of all) {
            const { of, deleted } = pods[Number(name.slice(4))] ?? {};
            expect([of, deleted]).toEqual(['v2', undefined]);
          }
          if (phase === 'Progressing' && state !== 'Completed')
            steps.forEach((names, index) => expect(names.length > 0 && index + 1 > step).toBe(false));
        },
      ),
    );
  });
});

describe('the planned size', () => {
  it.each([
    ['20%', 5, 1],
    ['34%', 3, 2],
    ['100%', 5, 5],
    [2, 5, 2],
    ['2', 5, 2],
    [9, 5, 5],
    ['0%', 5, 0],
    ['20%', 0, 0],
    ['half', 5, null],
    [null, 5, null],
    ['20%', null, null],
  ])('%j of %j is %j', (replicas, desired, planned) => {
    expect(plannedReplicas({ replicas, traffic: null, pause: { kind: 'none' } }, desired)).toBe(planned);
  });

  it('never shrinks with the request, nor exceeds what exists', () => {
    const size = fc.oneof(
      fc.integer({ min: 0, max: 300 }),
      fc.integer({ min: 0, max: 100 }).map((percent) => `${percent}%`),
    );
    fc.assert(
      fc.property(size, size, fc.integer({ min: 0, max: 200 }), (a, b, desired) => {
        if (typeof a !== typeof b) return;
        const of = (replicas: string | number) =>
          plannedReplicas({ replicas, traffic: null, pause: { kind: 'none' } }, desired) ?? NaN;
        const [low, high] = parseInt(String(a), 10) <= parseInt(String(b), 10) ? [a, b] : [b, a];
        expect(of(low)).toBeLessThanOrEqual(of(high));
        expect(of(high)).toBeLessThanOrEqual(desired);
      }),
    );
  });
});
