import { describe, expect, it } from 'vitest';
import { type JsonObject } from '@/lib/kube/json';
import { rolloutHistoryOf } from '@/lib/ledger/rollout-history';
import { recordTarget } from '@/lib/rollout/openkruise/explain-history';
import { parseHistory } from '@/lib/rollout/openkruise/history';
import { parseRollout } from '@/lib/rollout/openkruise/parse';
import {
  codes,
  explainAll,
  historyObject,
  liveRollout,
  record,
  size,
} from '@/lib/rollout/openkruise/testing/histories';
import { cloneSetFacts, line, rolloutObject } from '@/lib/rollout/openkruise/testing/objects';

const healthy = (id: string) =>
  liveRollout(line({ phase: 'Healthy', progressing: 'Completed', succeeded: 'True', id }));
const running = (id: string) => liveRollout(line({ id }));

describe('the records that recorded releases left behind', () => {
  it('of a canary Deployment: one complete without pods, a ghost, an abandoned one and that of a rollback', () => {
    const records = [
      record({ name: 'a', id: 'first', created: 69 }),
      record({ name: 'b', id: 'second', created: 70, pods: [0, 0, 0] }),
      record({ name: 'c', id: 'third', created: 156 }),
      record({ name: 'd', id: 'rollback-second', created: 179 }),
    ];
    expect(explainAll(records, healthy('second')).map(codes)).toEqual([
      'neverCompleted ghost',
      'completed withoutPods',
      'neverCompleted pendingDead',
      'neverCompleted rollback',
    ]);
  });

  it('of a partitioned Deployment whose recorder fails: a ghost and one that waits for ever, made in one second', () => {
    const records = [
      record({ name: 'a', id: 'v2', created: 5 }),
      record({ name: 'b', id: 'v3', created: 5 }),
    ];
    expect(explainAll(records, healthy('v3')).map(codes)).toEqual([
      'neverCompleted ghost',
      'neverCompleted pendingDead',
    ]);
  });

  it('of a release since which others came: the ghost of its second is told by what was completed, or by revisions', () => {
    const pair = (phase?: string) => [
      record({ name: 'a', id: 'v1', created: 5 }),
      record({ name: 'b', id: 'v2', created: 5, ...(phase !== undefined && { phase, pods: [1] }) }),
    ];
    expect(explainAll(pair('completed'), healthy('v9')).map(codes)[0]).toBe('neverCompleted ghost');
    expect(explainAll(pair(), healthy('v9'), cloneSetFacts(['v1', 'v2'], [])).map(codes)).toEqual([
      'neverCompleted ghost',
      'neverCompleted pendingDead',
    ]);
    expect(explainAll(pair(), healthy('v9')).map(codes)[0]).toBe('neverCompleted pendingDead');
  });

  it('of a CloneSet: a ghost, a complete one, and one whose id was used for another release since', () => {
    const facts = cloneSetFacts(['v1', 'v2', 'v3', 'v4'], []);
    const records = [
      record({ name: 'a', id: 'v1', created: 1 }),
      record({ name: 'b', id: 'v2', created: 2, pods: [1, 2, 2] }),
      record({ name: 'c', id: 'rel-1', created: 300, pods: [1, 2, 2], image: 'v3' }),
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
    const pending = [record({ name: 'a', id: 'v2' })];
    const state = (rollout: Parameters<typeof explainAll>[1]) => explainAll(pending, rollout)[0]?.state;
    expect(state(running('v2'))).toBe('running');
    expect(state(running('v3'))).toBe('neverCompleted');
    expect(state(healthy('v2'))).toBe('neverCompleted');
    expect(state({ state: 'missing' })).toBe('neverCompleted');
    expect(state({ state: 'unknown' })).toBe('unknown');
  });

  it.each<[string, string, Parameters<typeof record>[0]]>([
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
    const [picture] = explainAll([record(parts)], { state: 'missing' });
    expect((picture === undefined ? '' : codes(picture)).replace(' withoutPods', '')).toBe(expected);
    expect(picture?.message).toMatch(/\.$/);
  });

  it('that has a twin of the same Rollout and id is shown, and so is the twin', () => {
    const records = [record({ name: 'a', pods: [1] }), record({ name: 'b', created: 90, pods: [1] })];
    expect(explainAll(records, healthy('v9')).map(codes)).toEqual([
      'completed duplicate',
      'completed duplicate',
    ]);
  });

  it('names its workload itself when complete, and through its Rollout before', () => {
    const rollout = parseRollout(rolloutObject());
    expect(recordTarget(record({ name: 'a', pods: [1] }), null)).toMatchObject({
      source: 'rolloutHistory',
      target: { resource: 'clonesets.apps.kruise.io', name: 'checkout' },
    });
    expect(recordTarget(record({ name: 'a' }), rollout)).toMatchObject({
      source: 'rollout',
      target: { name: 'checkout' },
    });
    expect(recordTarget(record({ name: 'a' }), null)).toBeNull();
  });

  it('that Shiplog wrote is known as such, by the id of the record there', () => {
    const own = rolloutHistoryOf(
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
        release: null,
      } as unknown as Parameters<typeof rolloutHistoryOf>[0],
      null,
    );
    const parsed = parseHistory(
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

  it('takes a bounded room, whatever is in it', () => {
    const pods = Array.from({ length: 50 }, () => 400);
    const big = record({ name: 'a', pods, labels: { 'rollouts.kruise.io/rollout-name': 'x'.repeat(60) } });
    expect(size(big)).toBeLessThan(200_000);
    expect(big.steps.map(({ podCount }) => podCount)).toEqual(pods);
    const odd = {
      ...historyObject({ name: 'a' }),
      spec: { rollout: 3, workload: { data: { template: [] } } },
      status: { phase: {}, canarySteps: [null, { pods: 'x' }] },
    };
    expect(() => parseHistory(odd as never, () => '')).not.toThrow();
  });

  it('tells when it was completed only by who wrote its status last', () => {
    const object = historyObject({ name: 'a', pods: [1] });
    expect(parseHistory(object, () => '').completedAt).toBeNull();
    object.metadata.managedFields = [
      { manager: 'm', operation: 'Update', time: '2026-11-21T00:05:00Z' },
      { manager: 'm', operation: 'Update', time: '2026-11-21T00:04:00Z', subresource: 'status' },
    ];
    expect(parseHistory(object, () => '').completedAt).toBe('2026-11-21T00:04:00Z');
  });
});
