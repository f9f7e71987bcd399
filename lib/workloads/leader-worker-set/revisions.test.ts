import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { leaderWorkerSet } from '@/lib/workloads/kinds/leader-worker-set';
import { recordedGroupTemplate } from '@/lib/workloads/leader-worker-set/template';
import { at, WORKLOAD_UID } from '@/lib/workloads/testing/objects';
import {
  groupRevision,
  type GroupScenario,
  groupTemplate,
  readGroupScenario,
} from '@/lib/workloads/testing/leader-worker-set';

const idOf = (key: string) => `${WORKLOAD_UID}.${key}`;
const historyOf = (scene: GroupScenario) => readGroupScenario(scene).history;

describe('what a revision records', () => {
  test('is without the directives of its patch and without nulls, also inside lists', () => {
    const members = groupTemplate('1', {
      leaderTemplate: null,
      workerTemplate: {
        metadata: { creationTimestamp: null },
        spec: { containers: [{ name: 'vllm', resources: {}, args: null }] },
      },
    });
    expect(recordedGroupTemplate(groupRevision(1, '1', { template: members }).data)).toEqual({
      leaderWorkerTemplate: {
        size: 2,
        restartPolicy: 'RecreateGroupOnPodRestart',
        workerTemplate: { metadata: {}, spec: { containers: [{ name: 'vllm', resources: {} }] } },
      },
      networkConfig: { subdomainPolicy: 'Shared' },
    });
  });

  test.each([{}, { spec: {} }, { spec: { template: {} } }, { spec: { leaderWorkerTemplate: 'x' } }])(
    'is nothing in %j',
    (data) => expect(recordedGroupTemplate(data)).toBeUndefined(),
  );
});

describe('the revisions', () => {
  test('are those that the workload controls, under ids of uid and key', () => {
    const revisions = [
      groupRevision(1, '1', { owner: 'uid-of-an-earlier-incarnation' }),
      groupRevision(4, '1'),
      groupRevision(5, '2'),
      groupRevision(6, '3', { owner: null }),
    ];
    const history = historyOf({ revisions });
    expect(history.revisions).toMatchObject([
      { number: 5, id: idOf('k2'), target: true, live: true, pods: { total: 4, ready: 4 } },
      { number: 4, id: idOf('k1'), target: false, live: false, prunedNext: true },
    ]);
    expect(history.orphans.map(({ name }) => name)).toEqual(['llama-k3-6']);
  });

  test('of one key are one: its number is the highest, its first activation began with the first', () => {
    const revisions = [groupRevision(1, '1'), groupRevision(2, '2'), groupRevision(3, '1')];
    const history = historyOf({ revisions, live: '1', leaders: { key: 'k1' }, groups: ['k1', 'k2'] });
    expect(history.revisions).toMatchObject([
      { number: 3, id: idOf('k1'), name: 'llama-k1-3', alsoNumbers: [1], createdAt: at(1), target: true },
      { number: 2, id: idOf('k2'), alsoNumbers: [], duplicateOf: null, live: true },
    ]);
    expect(history.revisions[0]?.explain()).toContain(
      'Same template as revision 1, recorded again as 3 by a',
    );
    expect(history.revisions[0]?.explain({ from: null, by: 'argocd-controller' })).toContain(
      'recorded again as 3 by argocd-controller on',
    );
    expect(history.warnings).toEqual([]);
  });

  test('were each the target from the creation of its object to that of the next', () => {
    const revisions = [groupRevision(1, '1'), groupRevision(2, '2'), groupRevision(3, '1')];
    const [first, second] = historyOf({ revisions, live: '1', leaders: { key: 'k1' } }).revisions;
    expect(first?.activations).toMatchObject([
      { number: 1, from: at(1), to: at(2), open: false },
      { number: 3, from: at(3), to: null, open: true },
    ]);
    expect(second?.activations).toMatchObject([{ number: 2, from: at(2), to: at(3), open: false }]);
  });

  test('keep their id when the objects of an earlier rollback are deleted', () => {
    const before = historyOf({ revisions: [groupRevision(1, '2'), groupRevision(3, '2')] });
    const after = historyOf({ revisions: [groupRevision(3, '2')] });
    expect(after.target?.id).toBe(before.target?.id);
    expect(after.gaps).toEqual([1, 2]);
  });

  test('take their key from the label, also the one of a version before 0.5, whose start was not recorded', () => {
    const key = 'a94a8fe5ccb19ba61c4c0873d391e987982fbbd3';
    const revisions = [groupRevision(1, '2', { key, created: 30 })];
    const { target, revisionOfPod } = historyOf({ revisions, leaders: { key }, groups: [key] });
    expect(target).toMatchObject({ id: idOf(key), pods: { total: 2 } });
    expect(target?.activations).toMatchObject([
      { from: null, fromNotBefore: at(0), fromNotAfter: at(30), open: true },
    ]);
    expect(target?.explain()).toContain('before 0.5');
    expect(revisionOfPod.size).toBe(2);
  });

  test('that another version wrote again are no change, and are reported as such', () => {
    const older = groupTemplate('2', {
      workerTemplate: {
        metadata: { creationTimestamp: null },
        spec: { containers: [{ name: 'vllm', image: 'vllm:2' }] },
      },
    });
    const revisions = [groupRevision(1, '2', { key: 'old', template: older }), groupRevision(2, '2')];
    const [twin, original] = historyOf({ revisions }).revisions;
    expect(twin).toMatchObject({ number: 2, duplicateOf: original?.id });
    expect(twin?.explain()).toContain('No effective difference from revision 1');
  });

  test('that only a StatefulSet of workers still has are live', () => {
    const groups = [{ key: 'k2', leader: { deleted: at(50) }, setOwner: 'uid-gone', setKey: 'k1' }];
    expect(historyOf({ groups }).revisions.map(({ number, live }) => [number, live])).toEqual([
      [2, true],
      [1, true],
    ]);
  });

  test('that are pruned leave pods without a revision, and a warning', () => {
    const { revisionOfPod, warnings } = historyOf({ groups: ['k2', 'k9'] });
    expect([...revisionOfPod.keys()]).toEqual(['uid-pod-llama-0', 'uid-pod-llama-0-1']);
    expect(warnings).toEqual(['llama-1 and llama-1-1 run a revision that Kubernetes has pruned.']);
  });
});

describe('the target', () => {
  const seen = { observedGeneration: 3 };

  test('is named by the leaders once the controller has observed the spec, whatever bytes it wrote', () => {
    const live = groupTemplate('2', { futureField: 'x' });
    expect(historyOf({ live, generation: 3, status: seen }).target?.number).toBe(2);
  });

  test('is pending until then, unless an earlier revision has its template', () => {
    expect(historyOf({ live: '9', generation: 4, status: seen }).target).toBeNull();
    expect(historyOf({ live: '1', generation: 4, status: seen }).target?.number).toBe(1);
  });

  test('of a version without an observed generation follows the template', () => {
    const status = { observedGeneration: undefined as never };
    expect(historyOf({ status }).target?.number).toBe(2);
    expect(historyOf({ status, live: '9' }).target).toBeNull();
    expect(historyOf({ status, networkConfig: null }).target?.number).toBe(2);
  });

  test('is known before there are any groups', () => {
    expect(historyOf({ leaders: null, revisions: [groupRevision(1, '2')] }).target?.number).toBe(1);
  });
});

test('the body of the template leaves only the size of a group in the spec', () => {
  const { workload } = readGroupScenario().input;
  expect(workload.spec.leaderWorkerTemplate).toEqual({ size: 2 });
  expect(workload.spec).not.toHaveProperty('networkConfig');
  expect(leaderWorkerSet.settings(workload).desiredPods).toBe(4);
  expect(workload.images).toEqual([{ container: 'vllm', image: 'vllm:2', init: false }]);
});

test('whatever keys the objects have, each number appears once, and activations follow one another', () => {
  const keys = fc.array(fc.constantFrom('1', '2', '3'), { minLength: 1, maxLength: 8 });
  const kept = fc.array(fc.boolean(), { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(keys, kept, fc.constantFrom('1', '2', '3', '9'), (order, isKept, live) => {
      const all = order.map((image, index) => groupRevision(index + 1, image));
      const left = all.filter((_, index) => isKept[index] === true || index === all.length - 1);
      const leaders = { key: `k${order.at(-1)}` };
      const history = historyOf({ revisions: left, live, leaders, groups: [leaders.key, 'k2'] });
      const { revisions, target } = history;

      const told = revisions.flatMap(({ number, alsoNumbers }) => [number ?? 0, ...alsoNumbers]);
      expect(told.sort()).toEqual(left.map(({ revision }) => revision ?? 0).sort());
      expect(new Set(revisions.map(({ id }) => id)).size).toBe(revisions.length);
      expect(revisions.every(({ number, alsoNumbers }) => alsoNumbers.every((n) => n < (number ?? 0)))).toBe(
        true,
      );
      expect(target?.id).toBe(idOf(leaders.key));
      expect(revisions.filter((revision) => revision.target)).toEqual([target]);

      const activations = revisions
        .flatMap((revision) => revision.activations)
        .toSorted((a, b) => a.number - b.number);
      expect(activations.map(({ number }) => number)).toEqual(told.toSorted((a, b) => a - b));
      for (const [index, { to, open }] of activations.entries()) {
        expect(open).toBe(index === activations.length - 1);
        const next = activations[index + 1];
        if (to !== null) expect(to).toBe(next?.from);
      }
    }),
  );
});
