import { describe, expect, it } from 'vitest';
import { semanticText } from '@/lib/diff/normalize';
import type { KubeObject } from '@/lib/kube/object';
import { parseBatchRelease } from '@/lib/rollout/openkruise/related-objects';
import { explainRolloutHistory } from '@/lib/rollout/openkruise/explain-rollout-history';
import { parseRolloutHistory } from '@/lib/rollout/openkruise/rollout-history';
import { parseKruiseRollout } from '@/lib/rollout/openkruise/parse';
import { codes, explainAll } from '@/lib/rollout/openkruise/testing/histories';
import { action, factsOf, found, inputOf, deriveFrom } from '@/lib/rollout/openkruise/testing/objects';
import recorded from '@/lib/rollout/openkruise/testing/recorded.json' with { type: 'json' };
import { routedTraffic } from '@/lib/rollout/openkruise/traffic';
import type { RolloutInput } from '@/lib/rollout/system';
import { cloneSet } from '@/lib/workloads/kinds/clone-set';

/** What OpenKruise Rollouts 0.6 and Kruise 1.6 wrote on a real API server. */
const real = recorded as unknown as {
  t1: { rollout: KubeObject; batchRelease: KubeObject; service: KubeObject; ingress: KubeObject } & Histories;
  t2: { rollout: KubeObject } & Histories;
  t3: { rollout: KubeObject; cloneSet: KubeObject; pods: KubeObject[]; revisions: KubeObject[] } & Histories;
  t5: Histories;
};
interface Histories {
  histories: KubeObject[];
}

const SECONDS_LATER = '2026-11-21T00:24:00Z';
const at = (rest: Partial<RolloutInput> = {}) => ({ now: SECONDS_LATER, ...rest });
const recordsOf = ({ histories }: Histories) =>
  histories
    .toSorted((a, b) => (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1))
    .map((object) => parseRolloutHistory(object, semanticText));

describe('objects of real controllers', () => {
  it('a canary of a Deployment waits at its first step, with the traffic of its Ingress', () => {
    const relatedObjects = [parseBatchRelease(real.t1.batchRelease)];
    const rollout = deriveFrom(real.t1.rollout, at({ relatedObjects }));
    expect(rollout).toMatchObject({
      state: 'waiting',
      style: 'canary',
      step: { index: 1, total: 3, next: null },
      relatedObjects: [{ kind: 'BatchRelease', phase: 'Progressing, batch 1 Ready' }],
    });
    expect(rollout.steps[0]?.readyAt).not.toBeNull();
    expect(action(rollout, 'approve').allowed).toBe(true);
    const traffic = routedTraffic(inputOf(real.t1.rollout, at({ relatedObjects })), [
      { state: 'found', object: JSON.parse(JSON.stringify(real.t1.service)) as never },
      { state: 'found', object: JSON.parse(JSON.stringify(real.t1.ingress)) as never },
    ]);
    expect(traffic?.traffic).toEqual({ kind: 'weight', percent: 20 });
  });

  it('a partitioned Deployment waits without traffic of its own', () => {
    const rollout = deriveFrom(real.t2.rollout, at());
    expect(rollout).toMatchObject({
      state: 'waiting',
      style: 'partition',
      step: { index: 1, total: 3 },
      routes: [],
    });
    expect(routedTraffic(inputOf(real.t2.rollout, at()), [])).toBeNull();
  });

  it('a CloneSet waits with the one pod that its first step has added, from the first revision to the second', () => {
    const facts = factsOf(cloneSet, real.t3.cloneSet, real.t3.revisions, real.t3.pods);
    const rollout = deriveFrom(real.t3.rollout, at(found(facts)));
    expect(
      rollout.steps.map(({ pods }) =>
        pods.map(({ name, ready, ip, node, revision }) => [
          name,
          ready,
          ip !== null,
          node !== null,
          revision,
        ]),
      ),
    ).toEqual([[['shop-xr6l7', true, true, true, 2]], [], []]);
    expect(rollout).toMatchObject({
      state: 'waiting',
      unassignedPods: [],
      revisions: { stable: { number: 1 }, updated: { number: 2, pending: false } },
      replicas: { desired: 5, updated: 1, ready: 1 },
    });
  });

  it.each([
    [
      't1',
      [
        'neverCompleted ghost',
        'completed withoutPods',
        'neverCompleted pendingDead',
        'neverCompleted rollback',
      ],
    ],
    ['t3', ['neverCompleted ghost', 'completed', 'completed']],
  ] as const)('records of %s are told apart, with the reliability of each', (name, expected) => {
    const records = recordsOf(real[name]);
    const object = parseKruiseRollout(real[name].rollout);
    const settled = { ...object, phase: 'Healthy' };
    const pictures = records.map((record) =>
      explainRolloutHistory({
        record,
        siblings: records,
        rollout: { state: 'found', object: settled },
        facts: null,
      }),
    );
    expect(pictures.map(codes)).toEqual(expected);
  });

  it('records that never complete are reported as such, with a Rollout and without', () => {
    for (const records of [recordsOf(real.t2), recordsOf(real.t5)]) {
      const pictures = explainAll(records, { state: 'missing' });
      expect(pictures.map(({ state }) => state)).toEqual(['neverCompleted', 'neverCompleted']);
      expect(pictures.every(({ message }) => message.endsWith('.'))).toBe(true);
    }
  });
});
