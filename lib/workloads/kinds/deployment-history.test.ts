import { describe, expect, test } from 'vitest';
import { chooseDefaultTarget } from '@/lib/history/default-target';
import type { RevisionHistory } from '@/lib/history/revision';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { deployment } from '@/lib/workloads/kinds/deployment';
import {
  at,
  factsOf,
  historyInputOf,
  object,
  type Parts,
  pod,
  replicaSet,
  template,
} from '@/lib/workloads/testing/objects';
import { KRUISE_RESTARTED_AT, RESTARTED_AT } from '@/lib/workloads/template-facts';

const CAUSE = 'kubernetes.io/change-cause';

function workload(image: string, parts: Parts & { spec?: JsonObject } = {}): KubeObject {
  return object(
    'Deployment',
    { uid: 'uid-workload', owner: null, ...parts },
    { spec: { replicas: 3, revisionHistoryLimit: 10, template: template(image), ...parts.spec }, status: {} },
  );
}

function read(image: string, sources: KubeObject[], pods: KubeObject[] = [], parts = {}): RevisionHistory {
  return deployment.history(historyInputOf(deployment, workload(image, parts), sources, pods));
}

const numbers = (history: RevisionHistory) => history.revisions.map(({ number }) => number);
const byNumber = (history: RevisionHistory, number: number) =>
  history.revisions.find((revision) => revision.number === number);

describe('which ReplicaSets are history', () => {
  test('a recreated Deployment of the same name shares nothing with the old one', () => {
    const history = read('2', [
      replicaSet(1, '1', { owner: 'uid-of-the-old-one', name: 'checkout-old' }),
      replicaSet(1, '2'),
      replicaSet(7, '3', { owner: null, name: 'checkout-orphan' }),
    ]);
    expect(numbers(history)).toEqual([1]);
    expect(history.orphans.map(({ name }) => name)).toEqual(['checkout-orphan']);
  });

  test('unusual numbers are shown with a warning each: shared, missing, unreadable', () => {
    const history = read('9', [
      replicaSet(5, '5', { name: 'a' }),
      replicaSet(5, '6', { name: 'b', created: 1 }),
      replicaSet(null, '7', { name: 'c' }),
      replicaSet('abc', '8', { name: 'd' }),
    ]);
    expect(history.revisions.map(({ name, number }) => [name, number])).toEqual([
      ['b', 5],
      ['a', 5],
      ['c', 0],
      ['d', null],
    ]);
    expect(history.revisions.map(({ sharesNumber }) => sharesNumber)).toEqual([true, true, false, false]);
    expect(history.warnings).toHaveLength(3);
  });
});

describe('the target', () => {
  test('is the oldest of several ReplicaSets with an equal template; the others are duplicates', () => {
    const history = read('1', [
      replicaSet(1, '1', { name: 'young', created: 9 }),
      replicaSet(2, '1', { name: 'old', created: 1 }),
    ]);
    expect(history.target?.name).toBe('old');
    expect(byNumber(history, 2)?.duplicateOf).toBe('uid-young');
  });

  test('is found whatever defaults the server wrote', () => {
    const set = replicaSet(1, '1');
    const containers = [{ name: 'app', image: 'checkout:1', terminationMessagePath: '/dev/termination-log' }];
    set.spec = { ...set.spec, template: { metadata: { labels: { app: 'checkout' } }, spec: { containers } } };
    expect(read('1', [set]).target?.number).toBe(1);
  });

  test('is missing while no ReplicaSet records the template', () => {
    const history = read('3', [replicaSet(1, '1'), replicaSet(2, '2')]);
    expect(history.target).toBeNull();
    expect(history.revisions.every(({ activations }) => activations.every(({ open }) => !open))).toBe(true);
  });

  test('can be without pods, and then it is not live', () => {
    const history = read('1', [replicaSet(1, '1')]);
    expect(history.target).toMatchObject({ target: true, current: true, live: false, serving: false });
  });
});

describe('pods', () => {
  const sets = [replicaSet(1, '1'), replicaSet(2, '2')];
  const onSet = (name: string, set: string, more = {}) =>
    pod(name, { owner: `uid-checkout-${set}`, ...more });

  test('belong to the ReplicaSet whose uid controls them', () => {
    const history = read('2', sets, [
      onSet('a', '1'),
      onSet('b', '2', { ready: false }),
      onSet('c', '2', { labels: { 'pod-template-hash': 'checkout-1' } }),
      pod('foreign', { owner: 'uid-of-another' }),
    ]);
    expect(byNumber(history, 1)?.pods).toEqual({ total: 1, ready: 1 });
    expect(byNumber(history, 2)?.pods).toEqual({ total: 2, ready: 1 });
    expect(history.revisionOfPod.get('uid-b')?.number).toBe(2);
    expect(history.revisionOfPod.has('uid-foreign')).toBe(false);
  });

  test('that are ending keep their revision live, but it serves no more', () => {
    const history = read('2', sets, [onSet('a', '1', { deleted: at(5) }), onSet('b', '2')]);
    expect(byNumber(history, 1)).toMatchObject({ live: true, serving: false, pods: { total: 0, ready: 0 } });
  });

  test('are counted by the ReplicaSet itself where they may not be listed', () => {
    const history = read('1', [replicaSet(1, '1', { replicas: 4, ready: 3 })]);
    expect(history.target).toMatchObject({ live: true, serving: true, pods: { total: 4, ready: 3 } });
  });
});

describe('the timeline', () => {
  const written = (minute: number) => ({
    managedFields: [
      {
        manager: 'kube-controller-manager',
        operation: 'Update',
        time: at(minute),
        fieldsV1: { 'f:metadata': { 'f:annotations': { 'f:deployment.kubernetes.io/revision': {} } } },
      },
    ],
  });

  test('follows the former numbers: A has had 1 and 3, B has had 2', () => {
    const history = read('1', [
      replicaSet(5, '1', { name: 'a', created: 0, history: '1,3', ...written(50) }),
      replicaSet(4, '2', { name: 'b', created: 20, history: '2', ...written(45) }),
    ]);
    const [a, b] = history.revisions;
    expect(a?.activations.map(({ number }) => number)).toEqual([1, 3, 5]);
    expect(b?.activations.map(({ number }) => number)).toEqual([2, 4]);
    expect(a?.activations[0]).toEqual({
      number: 1,
      from: at(0),
      fromNotBefore: null,
      fromNotAfter: null,
      to: at(20),
      open: false,
    });
    expect(a?.activations[2]).toEqual({
      number: 5,
      from: null,
      fromNotBefore: at(20),
      fromNotAfter: at(50),
      to: null,
      open: true,
    });
    expect(b?.activations[1]).toMatchObject({
      from: null,
      fromNotBefore: at(20),
      fromNotAfter: at(45),
      to: null,
    });
    expect(history.gaps).toEqual([]);
  });

  test('never uses the creation of a ReplicaSet as the start of a later number', () => {
    const history = read('1', [
      replicaSet(3, '1', { name: 'a', created: 0 }),
      replicaSet(2, '2', { created: 20 }),
    ]);
    expect(history.revisions[0]).toMatchObject({ number: 3, reactivated: true });
    expect(history.revisions[0]?.activations).toMatchObject([
      { from: null, fromNotBefore: at(20), fromNotAfter: null },
    ]);
  });

  test('ends an activation only where the very next number is known', () => {
    const history = read('5', [
      replicaSet(1, '1'),
      replicaSet(3, '3', { created: 30 }),
      replicaSet(4, '5', { created: 40 }),
    ]);
    expect(history.revisions.map(({ activations }) => activations[0]?.to)).toEqual([null, at(40), null]);
    expect(history.gaps).toEqual([2]);
  });

  test('does not treat the oldest number of a possibly truncated list as the first', () => {
    const long = Array.from({ length: 520 }, (_, index) => 1000 + index * 2).join(',');
    const history = read('1', [replicaSet(3000, '1', { history: long })]);
    expect(history.target?.activations[0]).toMatchObject({ number: 1000, from: null });
  });

  test('describes which number became which, and when only where that is proven', () => {
    const moved = (parts: object) => read('1', [replicaSet(7, '1', parts)]).target?.explain();
    expect(moved({ history: '3' })).toBe(
      'Formerly revision 3; renumbered to 7 by a rollback at an unknown time.',
    );
    expect(moved({ history: '1,3' })).toBe(
      'Formerly revision 1; renumbered to 3 and then 7 by rollbacks, the last at an unknown time.',
    );
    expect(moved({ history: '3', ...written(50) })).toBe(
      'Formerly revision 3; renumbered to 7 by a rollback at 2026-08-01 12:50:00 UTC or earlier.',
    );
    expect(moved({})).toBeNull();
  });
});

describe('the change-cause', () => {
  const caused = (number: number, cause: string) =>
    replicaSet(number, String(number), { annotations: { [CAUSE]: cause } });

  test('that only repeats its predecessor’s names the revision that it was written for', () => {
    const history = read('4', [caused(1, 'x'), caused(2, 'y'), caused(3, 'y'), caused(4, 'y')]);
    expect(history.revisions.map(({ causeInheritedFrom }) => causeInheritedFrom)).toEqual([2, 2, null, null]);
  });

  test('of a reused ReplicaSet is its own, unless it was copied from its predecessor', () => {
    const again = (cause: string) =>
      replicaSet(4, '1', { name: 'a', history: '1', annotations: { [CAUSE]: cause } });
    const inherited = (sources: KubeObject[]) =>
      read('1', sources).revisions.map(({ causeInheritedFrom }) => causeInheritedFrom);
    expect(inherited([again('x'), caused(2, 'x'), caused(3, 'x')])).toEqual([null, 4, 4]);
    expect(inherited([again('y'), caused(2, 'x'), caused(3, 'y')])).toEqual([3, null, null]);
  });

  test('falls back to the annotation of the template', () => {
    const set = replicaSet(1, '1');
    set.spec = { template: { metadata: { annotations: { [CAUSE]: 'from the template' } } } };
    expect(read('1', [set]).revisions[0]?.changeCause).toBe('from the template');
    expect(read('1', [caused(1, '')]).revisions[0]?.changeCause).toBeNull();
  });
});

test('a restart is told apart from a change', () => {
  const restarted = (number: number, image: string, time: string) => {
    const set = replicaSet(number, image, { name: `set-${number}` });
    const body = template(image);
    set.spec = {
      template: {
        ...body,
        metadata: { labels: { app: 'checkout' }, annotations: { 'kubectl.kubernetes.io/restartedAt': time } },
      },
    };
    return set;
  };
  const history = read('1', [
    replicaSet(1, '1'),
    restarted(2, '1', at(1)),
    restarted(3, '1', at(2)),
    restarted(4, '2', at(3)),
  ]);
  expect(history.revisions.map(({ restart }) => restart)).toEqual([false, true, true, false]);
});

describe('what the limit prunes once one more revision is complete', () => {
  const pruned = (limit: number | undefined, pods: KubeObject[] = []) =>
    read(
      '4',
      [1, 2, 3, 4].map((number) => replicaSet(number, String(number))),
      pods,
      {
        spec: { revisionHistoryLimit: limit },
      },
    )
      .revisions.filter(({ prunedNext }) => prunedNext)
      .map(({ number }) => number);

  test('is the oldest beyond the limit, the current target counted', () => {
    expect(pruned(2)).toEqual([2, 1]);
    expect(pruned(4)).toEqual([]);
    expect(pruned(0)).toEqual([4, 3, 2, 1]);
    expect(pruned(undefined)).toEqual([]);
  });

  test('is the same while an old one still has pods: a complete rollout leaves none', () => {
    expect(pruned(3, [pod('a', { owner: 'uid-checkout-1' })])).toEqual([1]);
  });
});

describe('what kubectl treats as previous', () => {
  const previous = (history: RevisionHistory) => deployment.previous(history)?.name;

  test('is the second largest number, whatever runs', () => {
    expect(previous(read('1', [replicaSet(3, '1'), replicaSet(2, '2'), replicaSet(1, '3')]))).toBe(
      'checkout-2',
    );
    expect(previous(read('new', [replicaSet(3, '3'), replicaSet(2, '2')]))).toBe('checkout-2');
  });

  test('may be a ReplicaSet without a number', () => {
    expect(previous(read('5', [replicaSet(5, '5'), replicaSet(null, '1')]))).toBe('checkout-none');
  });

  test('may share the largest number', () => {
    const sets = [
      replicaSet(5, '1', { name: 'target' }),
      replicaSet(5, '2', { name: 'other' }),
      replicaSet(4, '3'),
    ];
    expect(previous(read('1', sets))).toBe('target');
    expect(previous(read('3', sets))).toBe('target');
  });

  test('is nothing with one revision, or when the other has an unreadable number', () => {
    expect(previous(read('1', [replicaSet(1, '1'), replicaSet('abc', '2')]))).toBeUndefined();
  });
});

describe('the default target of a rollback', () => {
  const offer = (history: RevisionHistory, current = template('')) =>
    chooseDefaultTarget(history, deployment.previous(history), factsOf(current));

  test('is the newest other revision that still has ready pods', () => {
    const sets = [1, 2, 3, 4].map((number) => replicaSet(number, String(number)));
    const history = read('4', sets, [
      pod('a', { owner: 'uid-checkout-2' }),
      pod('b', { owner: 'uid-checkout-3', ready: false }),
      pod('c', { owner: 'uid-checkout-4' }),
    ]);
    expect(offer(history)).toMatchObject({ revision: { number: 2 }, why: 'still serves with 1 ready pod' });
  });

  test('is kubectl’s previous where none has, and is described as unproven', () => {
    expect(offer(read('2', [replicaSet(1, '1'), replicaSet(2, '2')]))).toMatchObject({
      revision: { number: 1 },
      why: 'outcome unknown',
    });
  });

  test('is a revision without pods only where there is no other', () => {
    const history = read('3', [replicaSet(1, '1'), replicaSet(2, '2'), replicaSet(3, '3')]);
    const offerBut = (...without: string[]) =>
      chooseDefaultTarget(history, deployment.previous(history), factsOf(template('')), new Set(without));
    const [, second = '', first = ''] = history.revisions.map(({ id }) => id);
    expect(offerBut(second)).toMatchObject({ revision: { number: 1 }, why: 'outcome unknown' });
    expect(offerBut(second, first)).toMatchObject({ revision: { number: 2 }, why: 'no pods ran' });
  });

  test('is never a copy of the current template', () => {
    const history = read('2', [replicaSet(1, '1'), replicaSet(2, '2', { name: 'copy' }), replicaSet(3, '2')]);
    expect(offer(history)?.revision.number).toBe(1);
    expect(offer(read('2', [replicaSet(2, '2')]))).toBeNull();
  });

  describe.each([RESTARTED_AT, KRUISE_RESTARTED_AT])(
    'is never the current release before a restart (%s)',
    (key) => {
      const restarted = (minute: number) =>
        template('2', { metadata: { labels: { app: 'checkout' }, annotations: { [key]: at(minute) } } });
      const restartOf = (number: number) => {
        const set = replicaSet(number, '2', { name: `checkout-${number}` });
        set.spec = { template: restarted(number) };
        return set;
      };
      const now = (minute: number) => ({ spec: { template: restarted(minute) } });

      test.each([1, 7])('after %d restarts', (restarts) => {
        const sets = [replicaSet(1, '1'), replicaSet(2, '2')];
        for (let number = 3; number < 3 + restarts; number += 1) sets.push(restartOf(number));
        expect(offer(read('2', sets, [], now(2 + restarts)))?.revision.number).toBe(1);
      });

      test('while its pods still serve', () => {
        const sets = [replicaSet(1, '1'), replicaSet(2, '2'), restartOf(3)];
        const history = read('2', sets, [pod('a', { owner: 'uid-checkout-2' })], now(3));
        expect(offer(history)?.revision.number).toBe(1);
        expect(offer(read('2', sets.slice(1), [], now(3)))).toBeNull();
      });

      test('while the restart has no revision yet', () => {
        const history = read('2', [replicaSet(1, '1'), replicaSet(2, '2')], [], now(3));
        expect(history.target).toBeNull();
        expect(offer(history, restarted(3))?.revision.number).toBe(1);
      });
    },
  );
});
