import { describe, expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import type { ControlInput, PlanResult } from '@/lib/workloads/kind';
import { statefulSet } from '@/lib/workloads/kinds/stateful-set';
import { retainedTarget } from '@/lib/workloads/rollback-target';
import { cleanTemplate } from '@/lib/workloads/template-facts';
import {
  at,
  controllerRevision,
  factsOf,
  historyInputOf,
  object,
  pod,
  type PodParts,
  template,
} from '@/lib/workloads/testing/objects';
import { applyPatch } from '@/lib/workloads/testing/patch';

const CAUSE = 'kubernetes.io/change-cause';

interface Scene {
  spec?: JsonObject;
  pods?: KubeObject[];
  to?: number;
  toTemplate?: JsonObject;
  stored?: JsonObject;
}

const db = (index: number, revision: number, parts: PodParts = {}) =>
  pod(`db-${index}`, { labels: { 'controller-revision-hash': `db-${revision}` }, ...parts });
const partition = (value: number): JsonObject => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: value } },
});
const onDelete: JsonObject = { updateStrategy: { type: 'OnDelete' } };

function scene({ spec, pods, toTemplate }: Scene) {
  const live = object(
    'StatefulSet',
    { uid: 'uid-workload', owner: null, name: 'db', annotations: { [CAUSE]: 'kept', team: 'x' } },
    {
      spec: { replicas: 3, template: template('16'), ...spec },
      status: { observedGeneration: 1, updateRevision: 'db-16' },
    },
  );
  const sources = [
    controllerRevision(15, '15', { name: 'db-15', ...(toTemplate && { template: toTemplate }) }),
    controllerRevision(16, '16', { name: 'db-16', created: 5 }),
  ];
  const input = historyInputOf(statefulSet, live, sources, pods);
  return {
    live,
    sources,
    input,
    history: statefulSet.history(input),
    present: live.spec?.template as JsonObject,
  };
}

function rollback(parts: Scene): { planned: PlanResult; live: KubeObject } {
  const { live, sources, input, history, present } = scene(parts);
  const to = history.revisions.find(({ number }) => number === (parts.to ?? 15));
  const source = sources.find(({ metadata }) => metadata.name === to?.name);
  if (to === undefined || source === undefined) throw new Error('no such revision');
  const body = cleanTemplate((source.data?.spec as JsonObject).template as JsonObject);
  const planned = statefulSet.writes.rollback({
    workload: input.workload,
    currentTemplate: present,
    history,
    to: { ...retainedTarget(to), ...(parts.stored && { stored: factsOf(parts.stored) }) },
    template: parts.stored ?? body,
    pods: input.pods,
    reason: 'why',
    likeKubectl: false,
  });
  return { planned, live };
}

function control(
  action: 'restart' | 'partition' | 'deletePod',
  parts: Scene,
  more: Partial<ControlInput> = {},
) {
  const { live, input, history, present } = scene(parts);
  const planned = statefulSet.writes[action]?.({
    ...input,
    currentTemplate: present,
    history,
    now: at(30),
    ...more,
  });
  return {
    planned,
    live,
    codes: planned?.findings.filter(({ severity }) => severity === 'refusal').map(({ code }) => code),
  };
}

function apply({ planned, live }: { planned: PlanResult | undefined; live: KubeObject }): JsonObject {
  if (planned?.plan?.write.kind !== 'patch') throw new Error('refused');
  return applyPatch(live as unknown as JsonObject, planned.plan.write.patch);
}

const find = (planned: PlanResult, code: string) => planned.findings.find((finding) => finding.code === code);

describe('a rollback', () => {
  test('writes the template without its directive, and no annotation', () => {
    const done = rollback({});
    expect(apply(done)).toEqual({
      ...done.live,
      spec: { replicas: 3, template: template('15') },
    });
    expect(done.planned.plan).toMatchObject({
      write: { path: '/apis/apps/v1/namespaces/shop/statefulsets/db' },
      kubectl: 'kubectl -n shop rollout undo statefulset/db --to-revision=15',
    });
  });

  test('says which pods are replaced, and in which order', () => {
    expect(rollback({ pods: [db(0, 15), db(1, 16), db(2, 16)] }).planned.plan?.steps).toEqual([
      '2 pods (db-2 and db-1) are replaced by pods of revision 15, highest ordinal first, each after the previous one is ready.',
      '1 other pod keeps running.',
      'Kubernetes renumbers revision 15 to 17; number 15 disappears from kubectl rollout history.',
    ]);
  });

  test('counts the pods of the requested revision as replaced where admission makes another of it', () => {
    const pods = [db(0, 15), db(1, 16), db(2, 16)];
    expect(rollback({ pods, stored: template('15-mirrored') }).planned.plan?.steps).toEqual([
      '3 pods (db-2, db-1 and db-0) are replaced by pods of revision 17, highest ordinal first, each after the previous one is ready.',
      'Kubernetes records this template as new revision 17.',
    ]);
  });

  test.each([
    ['one after the other', {}, ['3 pods replaced', 'at least 2 serving']],
    ['under a partition', partition(2), ['1 pod replaced', '2 held by partition 2', 'at least 2 serving']],
    ['under OnDelete', onDelete, ['No pod replaced', '3 to delete (OnDelete)']],
  ])('says how many pods serve meanwhile: %s', (_, spec, phrases) => {
    const { planned } = rollback({ spec, pods: [db(0, 16), db(1, 16), db(2, 16)] });
    expect(planned.plan?.capacity?.phrases).toEqual(phrases);
  });

  test('names the pods that a partition holds back, and offers the move', () => {
    const { planned } = rollback({ spec: partition(2), pods: [db(0, 16), db(1, 15), db(2, 16)] });
    expect(find(planned, 'partition_holds')).toMatchObject({
      severity: 'warning',
      message: 'Partition 2 holds db-0: it is not rolled back to revision 15.',
    });
    expect(find(planned, 'partition_holds')?.action).toContain(
      'Set the partition to 0 afterwards to roll it back too.',
    );
    expect(planned.plan?.steps.slice(0, 2)).toEqual([
      '1 pod (db-2) is replaced by a pod of revision 15, highest ordinal first, each after the previous one is ready.',
      '2 other pods keep running.',
    ]);
    expect(
      find(
        rollback({ spec: partition(2), pods: [db(0, 15), db(1, 15), db(2, 16)] }).planned,
        'partition_holds',
      ),
    ).toBeUndefined();
  });

  test('restarts nothing under OnDelete, and says how many pods must be deleted', () => {
    const { planned } = rollback({ spec: onDelete, pods: [db(0, 15), db(1, 16), db(2, 16)] });
    expect(find(planned, 'on_delete')?.message).toContain(
      'The update strategy is OnDelete: no pod restarts automatically. Delete 2 pods to run revision 15.',
    );
    expect(planned.plan?.steps[0]).toBe(
      'No pod restarts. Pods that you delete are recreated with revision 15.',
    );
  });

  test('names the pod that an ordered set does not replace by itself', () => {
    const stuck = [db(0, 15), db(1, 15), db(2, 16, { waiting: 'ImagePullBackOff' })];
    const { planned } = rollback({ pods: stuck });
    expect(find(planned, 'ordered_stuck')).toMatchObject({
      severity: 'warning',
      action: 'Delete db-2 after the rollback.',
    });
    expect(planned.plan?.steps[0]).toBe('No pod is replaced until db-2 is ready or deleted.');
    expect(
      find(rollback({ spec: { podManagementPolicy: 'Parallel' }, pods: stuck }).planned, 'ordered_stuck'),
    ).toBeUndefined();
    expect(
      find(rollback({ pods: [db(0, 15), db(1, 15, { ready: false }), db(2, 16)] }).planned, 'ordered_stuck'),
    ).toBeUndefined();
  });

  test('is rejected when only the encoding differs, and warned of when that is an older one', () => {
    const metadata = { labels: { app: 'checkout' }, creationTimestamp: null };
    const equal = rollback({ toTemplate: { ...template('16'), metadata } }).planned;
    expect(equal.plan).toBeNull();
    expect(find(equal, 'equal_target')).toBeDefined();
    expect(
      find(rollback({ toTemplate: { ...template('15'), metadata } }).planned, 'older_encoding')?.severity,
    ).toBe('info');
  });
});

describe('a move of the partition', () => {
  test.each([
    [partition(2), 0],
    [{ updateStrategy: { type: 'RollingUpdate' } }, 1],
    [{}, 3],
  ])('from %j to %i changes nothing else', (spec, to) => {
    const done = control('partition', { spec }, { partition: to });
    expect(apply({ ...done, planned: done.planned })).toEqual({
      ...done.live,
      spec: {
        ...done.live.spec,
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: to } },
      },
    });
  });

  test('fails when the partition moved in the meantime', () => {
    const done = control('partition', { spec: partition(2) }, { partition: 0 });
    const moved = { ...done.live, spec: { ...done.live.spec, ...partition(1) } };
    expect(() => apply({ planned: done.planned, live: moved })).toThrow('partition');
  });

  test('names the pods that it releases', () => {
    const pods = [db(0, 15), db(1, 15), db(2, 16)];
    expect(control('partition', { spec: partition(2), pods }, { partition: 0 }).planned?.plan?.steps).toEqual(
      [
        '2 pods (db-1 and db-0) are updated to revision 16, highest ordinal first, each after the previous one is ready.',
      ],
    );
    expect(control('partition', { spec: partition(2), pods }, { partition: 0 }).planned?.plan?.kubectl).toBe(
      `kubectl -n shop patch statefulset/db --type=merge -p '{"spec":{"updateStrategy":{"rollingUpdate":{"partition":0}}}}'`,
    );
  });

  test.each([
    [-1, {}, 'bad_partition'],
    [4, {}, 'bad_partition'],
    [1.5, {}, 'bad_partition'],
    [undefined, {}, 'bad_partition'],
    [0, {}, 'equal_partition'],
    [1, onDelete, 'no_partition'],
  ])('to %s with %j is rejected', (to, spec, code) => {
    expect(control('partition', { spec }, { partition: to }).codes).toContain(code);
  });
});

describe('the deletion of a pod', () => {
  const target = { name: 'db-2', uid: 'uid-db-2' };

  test('is offered for the pod that an ordered update waits for, by uid', () => {
    const { planned } = control(
      'deletePod',
      { pods: [db(0, 16), db(2, 15, { ready: false })] },
      { pod: target },
    );
    expect(planned?.plan).toMatchObject({
      write: {
        kind: 'delete',
        path: '/api/v1/namespaces/shop/pods/db-2',
        preconditions: { uid: 'uid-db-2' },
      },
      needs: { verb: 'delete', group: '', resource: 'pods', namespace: 'shop', name: 'db-2' },
      kubectl: 'kubectl -n shop delete pod db-2',
    });
    expect(planned?.plan?.steps[1]).toBe('db recreates it with revision 16.');
  });

  test('is offered for every pod of an older revision under OnDelete', () => {
    expect(
      control('deletePod', { spec: onDelete, pods: [db(2, 15)] }, { pod: target }).planned?.plan,
    ).not.toBeNull();
  });

  test.each([
    ['is another pod of the same name now', [db(2, 15, { uid: 'newer' })], {}, 'pod_gone'],
    ['belongs to another workload', [db(2, 15, { owner: 'other' })], {}, 'pod_gone'],
    ['is being deleted', [db(2, 15, { deleted: at(9), ready: false })], {}, 'pod_deleting'],
    ['runs the target already', [db(2, 16, { ready: false })], {}, 'already_updated'],
    ['is ready and will be replaced', [db(2, 15)], {}, 'not_blocking'],
    ['is held by the partition', [db(2, 15, { ready: false })], partition(3), 'not_blocking'],
  ] satisfies [string, KubeObject[], JsonObject, string][])(
    'is rejected when the pod %s',
    (_, pods, spec, code) => {
      const { planned, codes } = control('deletePod', { pods, spec }, { pod: target });
      expect(planned?.plan).toBeNull();
      expect(codes).toContain(code);
    },
  );
});

test('a restart warns of what will not restart', () => {
  const pods = [db(0, 16), db(1, 16), db(2, 16)];
  const held = control('restart', { spec: partition(1), pods });
  expect(held.planned && find(held.planned, 'partition_holds')?.message).toBe(
    'Partition 1 holds db-0: it does not restart.',
  );
  expect(held.planned?.plan?.steps[0]).toMatch(/^2 pods are replaced/);
  const lazy = control('restart', { spec: onDelete, pods });
  expect(lazy.planned && find(lazy.planned, 'on_delete')).toBeDefined();
  expect(apply(lazy)).toMatchObject({
    spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': at(30) } } } },
  });
});
