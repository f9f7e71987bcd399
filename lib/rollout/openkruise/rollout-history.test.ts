import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import { buildRolloutHistory } from '@/lib/view/kruise-rollout-history';
import { controllerRecordTarget } from '@/lib/rollout/openkruise/explain-rollout-history';
import { parseRolloutHistory } from '@/lib/rollout/openkruise/rollout-history';
import { parseKruiseRollout } from '@/lib/rollout/openkruise/parse';
import {
  codes,
  explainAll,
  historyObject,
  liveRollout,
  recordOf,
  jsonSize,
} from '@/lib/rollout/openkruise/testing/histories';
import { cloneSetFacts, line, rolloutObject } from '@/lib/rollout/openkruise/testing/objects';

const healthy = (id: string) =>
  liveRollout(line({ phase: 'Healthy', progressing: 'Completed', succeeded: 'True', id }));
const running = (id: string) => liveRollout(line({ id }));

describe('the records that recorded rollouts left behind', () => {
  it('of a canary Deployment: one complete without pods, a ghost, an abandoned one and that of a rollback', () => {
    const records = [
      recordOf({ name: 'a', id: 'first', created: 69 }),
      recordOf({ name: 'b', id: 'second', created: 70, pods: [0, 0, 0] }),
      recordOf({ name: 'c', id: 'third', created: 156 }),
      recordOf({ name: 'd', id: 'rollback-second', created: 179 }),
    ];
    expect(explainAll(records, healthy('second')).map(codes)).toEqual([
      'neverCompleted ghost',
      'completed withoutPods',
      'neverCompleted pendingDead',
      'neverCompleted rollback',
    ]);
  });

  it('of a partitioned Deployment with a failing recorder: a ghost and one that never completes, created in one second', () => {
    const records = [
      recordOf({ name: 'a', id: 'v2', created: 5 }),
      recordOf({ name: 'b', id: 'v3', created: 5 }),
    ];
    expect(explainAll(records, healthy('v3')).map(codes)).toEqual([
      'neverCompleted ghost',
      'neverCompleted pendingDead',
    ]);
  });

  it('of a rollout with successors: the ghost of its second is identified by completion, or by revisions', () => {
    const pair = (phase?: string) => [
      recordOf({ name: 'a', id: 'v1', created: 5 }),
      recordOf({ name: 'b', id: 'v2', created: 5, ...(phase !== undefined && { phase, pods: [1] }) }),
    ];
    expect(explainAll(pair('completed'), healthy('v9')).map(codes)[0]).toBe('neverCompleted ghost');
    expect(explainAll(pair(), healthy('v9'), cloneSetFacts(['v1', 'v2'], [])).map(codes)).toEqual([
      'neverCompleted ghost',
      'neverCompleted pendingDead',
    ]);
    expect(explainAll(pair(), healthy('v9')).map(codes)[0]).toBe('neverCompleted pendingDead');
  });

  it('of a CloneSet: a ghost, a complete one, and one whose id was reused for another rollout', () => {
    const facts = cloneSetFacts(['v1', 'v2', 'v3', 'v4'], []);
    const records = [
      recordOf({ name: 'a', id: 'v1', created: 1 }),
      recordOf({ name: 'b', id: 'v2', created: 2, pods: [1, 2, 2] }),
      recordOf({ name: 'c', id: 'rel-1', created: 300, pods: [1, 2, 2], image: 'v3' }),
    ];
    const pictures = explainAll(records, healthy('rel-1'), facts);
    expect(pictures.map(codes)).toEqual(['neverCompleted ghost', 'completed', 'completed reusedId']);
    expect(pictures.map(({ revision }) => [revision?.revision.number, revision?.source])).toEqual([
      [1, 'labels'],
      [2, 'revisions'],
      [3, 'revisions'],
    ]);
  });
});

describe('a record', () => {
  it('runs while a live Rollout works under its id, and only then', () => {
    const pending = [recordOf({ name: 'a', id: 'v2' })];
    const state = (rollout: Parameters<typeof explainAll>[1]) => explainAll(pending, rollout)[0]?.state;
    expect(state(running('v2'))).toBe('running');
    expect(state(running('v3'))).toBe('neverCompleted');
    expect(state(healthy('v2'))).toBe('neverCompleted');
    expect(state({ state: 'missing' })).toBe('neverCompleted');
    expect(state({ state: 'unknown' })).toBe('unknown');
  });

  it.each<[string, string, Parameters<typeof recordOf>[0]]>([
    ['of a Rollout that is gone', 'completed rolloutGone', { name: 'a', pods: [1] }],
    ['of a phase that nobody knows', 'unknown unknownPhase rolloutGone', { name: 'a', phase: 'updated' }],
    ['without labels', 'completed unlabelled rolloutGone', { name: 'a', id: null, pods: [1] }],
    [
      'without Ingress and HTTPRoute',
      'completed rolloutGone withoutRoute',
      { name: 'a', pods: [1], spec: { trafficRouting: {} } },
    ],
    [
      'with an HTTPRoute',
      'completed rolloutGone',
      { name: 'a', pods: [1], spec: { trafficRouting: { httpRoute: { name: 'r' } } } },
    ],
    [
      'with another id inside',
      'completed rolloutGone idMismatch',
      { name: 'a', pods: [], spec: { rollout: { name: 'checkout-ro', rolloutID: 'x' } } },
    ],
    [
      'with fewer steps than were planned',
      'completed rolloutGone planChanged',
      {
        name: 'a',
        pods: [1],
        spec: {
          rollout: {
            name: 'checkout-ro',
            rolloutID: 'v2',
            data: { strategy: { canary: { steps: [{}, {}] } } },
          },
        },
      },
    ],
  ])('%s is explained', (_, expected, parts) => {
    const [picture] = explainAll([recordOf(parts)], { state: 'missing' });
    expect((picture === undefined ? '' : codes(picture)).replace(' withoutPods', '')).toBe(expected);
    expect(picture?.message).toMatch(/\.$/);
  });

  it('with a duplicate of the same Rollout and id is shown, and so is the duplicate', () => {
    const records = [recordOf({ name: 'a', pods: [1] }), recordOf({ name: 'b', created: 90, pods: [1] })];
    expect(explainAll(records, healthy('v9')).map(codes)).toEqual([
      'completed duplicate',
      'completed duplicate',
    ]);
  });

  it('names its workload itself when complete, and through its Rollout before', () => {
    const rollout = parseKruiseRollout(rolloutObject());
    expect(controllerRecordTarget(recordOf({ name: 'a', pods: [1] }), null)).toMatchObject({
      source: 'rolloutHistory',
      target: { resource: 'clonesets.apps.kruise.io', name: 'checkout' },
    });
    expect(controllerRecordTarget(recordOf({ name: 'a' }), rollout)).toMatchObject({
      source: 'rollout',
      target: { name: 'checkout' },
    });
    expect(controllerRecordTarget(recordOf({ name: 'a' }), null)).toBeNull();
  });

  it('written by Shiplog is recognized, by the id of the record there', () => {
    const own = buildRolloutHistory(
      {
        id: 'rec-1',
        workload: {
          cluster: 'c',
          resource: 'deployments.apps',
          kind: 'Deployment',
          namespace: 'shop',
          name: 'checkout',
          uid: 'u',
        },
        from: null,
        to: { number: 2, id: null, hash: 'h' },
        startedAt: null,
        endedAt: null,
        outcome: 'completed',
        actor: null,
        cause: null,
        summary: '',
        steps: [],
        progressiveRollout: null,
      } as unknown as Parameters<typeof buildRolloutHistory>[0],
      null,
    );
    const parsed = parseRolloutHistory(
      {
        ...historyObject({ name: 'x' }),
        ...own,
        metadata: {
          ...historyObject({ name: 'x' }).metadata,
          ...(own.metadata as object),
          labels: (own.metadata as JsonObject).labels as Record<string, string>,
        },
      },
      () => '',
    );
    expect(parsed.ownRecord).toBe('rec-1');
    expect(explainAll([parsed], { state: 'missing' }).map(codes)).toEqual(['completed shiplog']);
  });

  it('has a bounded size, whatever its content', () => {
    const pods = Array.from({ length: 50 }, () => 400);
    const big = recordOf({ name: 'a', pods, labels: { 'rollouts.kruise.io/rollout-name': 'x'.repeat(60) } });
    expect(jsonSize(big)).toBeLessThan(200_000);
    expect(big.steps.map(({ podCount }) => podCount)).toEqual(pods);
    const odd = {
      ...historyObject({ name: 'a' }),
      spec: { rollout: 3, workload: { data: { template: [] } } },
      status: { phase: {}, canarySteps: [null, { pods: 'x' }] },
    };
    expect(() => parseRolloutHistory(odd as never, () => '')).not.toThrow();
  });

  it('shows when it was completed only by the last writer of its status', () => {
    const object = historyObject({ name: 'a', pods: [1] });
    expect(parseRolloutHistory(object, () => '').completedAt).toBeNull();
    object.metadata.managedFields = [
      { manager: 'm', operation: 'Update', time: '2026-11-21T00:05:00Z' },
      { manager: 'm', operation: 'Update', time: '2026-11-21T00:04:00Z', subresource: 'status' },
    ];
    expect(parseRolloutHistory(object, () => '').completedAt).toBe('2026-11-21T00:04:00Z');
  });
});
