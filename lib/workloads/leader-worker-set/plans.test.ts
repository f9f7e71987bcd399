import { describe, expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import { leaderWorkerSet } from '@/lib/workloads/kinds/leader-worker-set';
import { retainedTarget } from '@/lib/workloads/rollback-target';
import { recordedGroupTemplate } from '@/lib/workloads/leader-worker-set/template';
import { templateOfObject } from '@/lib/workloads/template-location';
import {
  planGroupControl,
  groupRevision,
  type GroupScenario,
  groupTemplate,
  planGroupRollback,
  readGroupScenario,
} from '@/lib/workloads/testing/leader-worker-set';
import { applyPatch } from '@/lib/workloads/testing/patch';
import { at, factsOf } from '@/lib/workloads/testing/objects';

const leader = { leaderTemplate: { spec: { containers: [{ name: 'head', image: 'head:2' }] } } };
const rolling = (members: JsonObject) => ({
  rolloutStrategy: { type: 'RollingUpdate', rollingUpdateConfiguration: { partition: 0, ...members } },
});
/** Revision 1 differs from the current template by these members. */
const returning = (members: object, more: GroupScenario = {}) =>
  planGroupRollback(
    {
      revisions: [
        groupRevision(1, '1', { template: groupTemplate('1', { ...members }) }),
        groupRevision(2, '2'),
      ],
      ...more,
    },
    1,
  );

describe('a rollback', () => {
  test('replaces both members completely: what the earlier template lacks is removed', () => {
    const done = planGroupRollback({ live: groupTemplate('2', leader) }, 1);
    const { spec } = done.written() as { spec: JsonObject };
    expect(spec.leaderWorkerTemplate).toEqual(groupTemplate('1'));
    expect(spec.networkConfig).toEqual({ subdomainPolicy: 'Shared' });
    expect(spec).toMatchObject({ replicas: 2, startupPolicy: 'LeaderCreated', ...rolling({}) });
    expect(JSON.stringify(done.planned)).not.toContain('$patch');
  });

  test('is rejected by the API server when uid or template are not those that the viewer saw', () => {
    const { planned } = planGroupRollback({}, 1);
    const patch = planned.plan?.write.kind === 'patch' ? planned.plan.write.patch : [];
    const { workload } = readGroupScenario();
    const now = workload as unknown as JsonObject;
    expect(() => applyPatch(now, patch)).not.toThrow();
    const edited = { ...now, spec: { ...workload.spec, leaderWorkerTemplate: groupTemplate('3') } };
    expect(() => applyPatch(edited, patch)).toThrow('/spec/leaderWorkerTemplate differs');
    const network = {
      ...now,
      spec: { ...workload.spec, networkConfig: { subdomainPolicy: 'UniquePerReplica' } },
    };
    expect(() => applyPatch(network, patch)).toThrow('/spec/networkConfig differs');
    const anew = { ...now, metadata: { ...(now.metadata as JsonObject), uid: 'other' } };
    expect(() => applyPatch(anew, patch)).toThrow('/metadata/uid differs');
    const scaled = { ...now, spec: { ...workload.spec, replicas: 9 } };
    expect(() => applyPatch(scaled, patch)).not.toThrow();
  });

  test('adds the network where the current object never had one', () => {
    const done = planGroupRollback({ networkConfig: null }, 1);
    expect((done.written().spec as JsonObject).networkConfig).toEqual({ subdomainPolicy: 'Shared' });
  });

  test('writes the requested template where admission stores another one', () => {
    const { input, history, workload } = readGroupScenario({});
    const to = history.revisions.find(({ number }) => number === 1);
    if (to === undefined) throw new Error('no revision 1');
    const templateOf = (image: string) => recordedGroupTemplate(groupRevision(1, image).data) ?? {};
    const stored = templateOf('1-mirrored');
    const { plan } = leaderWorkerSet.writes.rollback({
      ...input,
      history,
      currentTemplate: templateOfObject(leaderWorkerSet, workload) ?? {},
      to: { ...retainedTarget(to), stored: factsOf(stored) },
      template: stored,
      requested: templateOf('1'),
      reason: '',
      likeKubectl: false,
    });
    expect(plan?.steps).toContain('The controller records the template as new revision 3.');
    const patch = plan?.write.kind === 'patch' ? plan.write.patch : [];
    expect(patch).toContainEqual({
      op: 'add',
      path: '/spec/leaderWorkerTemplate',
      value: groupTemplate('1'),
    });
  });

  test('works from the archive as well, and its key is recognized again', () => {
    const { input, history, workload } = readGroupScenario({ revisions: [groupRevision(2, '2')] });
    const template = recordedGroupTemplate(groupRevision(1, '1').data) ?? {};
    const { plan, findings } = leaderWorkerSet.writes.rollback({
      ...input,
      history,
      currentTemplate: templateOfObject(leaderWorkerSet, workload) ?? {},
      to: {
        id: 'uid-workload.k1',
        number: 1,
        name: 'llama-k1-1',
        facts: factsOf(template),
        origin: { kind: 'archive', recordedAt: at(1), prunedAt: at(9) },
      },
      template,
      reason: '',
      likeKubectl: false,
    });
    expect(findings.map(({ code }) => code)).toEqual(['from_archive', 'no_owner', 'canary_possible']);
    expect(plan?.steps).toContain(
      'The controller records the template as new revision 3, equal to revision 1.',
    );
    const written = applyPatch(
      workload as unknown as JsonObject,
      plan?.write.kind === 'patch' ? plan.write.patch : [],
    );
    const after = readGroupScenario({
      live: (written.spec as JsonObject).leaderWorkerTemplate as JsonObject,
      revisions: [groupRevision(2, '2'), groupRevision(3, '1')],
      leaders: { key: 'k1' },
    });
    expect(after.history.target).toMatchObject({ id: 'uid-workload.k1', number: 3 });
  });

  test('names the groups in the order of their replacement', () => {
    const groups = ['k1', 'k2', 'k2', 'k2'];
    expect(planGroupRollback({ groups, spec: { replicas: 4 } }, 1).steps).toEqual([
      'Leader and worker templates, group size and network settings are set to those of revision 1.',
      '3 groups (3, 2 and 1) are replaced, leader and workers together, highest index first, at most 1 at a time.',
      '1 group already runs revision 1 and keeps running.',
      'The controller records the template as new revision 3, equal to revision 1.',
      'When all groups are ready, the controller deletes the other revisions. Shiplog keeps them in its archive.',
    ]);
  });

  test('moves the partition in the same write when requested, tested like everything else', () => {
    const scene = {
      groups: ['k2', 'k2', 'k2'],
      spec: { replicas: 3, ...rolling({ partition: 1, maxUnavailable: 1 }) },
    };
    const done = planGroupRollback(scene, 1, 2);
    expect(done.written().spec).toMatchObject({
      leaderWorkerTemplate: groupTemplate('1'),
      ...rolling({ partition: 2, maxUnavailable: 1 }),
    });
    expect(JSON.stringify(done.planned.plan?.write)).toContain(
      '{"op":"test","path":"/spec/rolloutStrategy/rollingUpdateConfiguration/partition","value":1}',
    );
    expect(done.steps.slice(1, 3)).toEqual([
      'The same request changes the partition from 1 to 2.',
      '1 group (2) is replaced, leader and workers together, highest index first, at most 1 at a time.',
    ]);
    expect(done.message('partition_holds')).toContain('holds groups 0 and 1');
    expect(done.planned.plan?.stays[0]).toContain('the rest of the rollout strategy');
    expect(planGroupRollback(scene, 1, 0).codes('warning')).not.toContain('partition_holds');
    expect(planGroupRollback(scene, 1, 4).codes('refusal')).toEqual(['bad_partition']);
    const still = JSON.stringify(planGroupRollback(scene, 1, 1).planned.plan?.write);
    expect(still).not.toContain('rolloutStrategy');
  });

  test('names the groups that the partition holds', () => {
    const done = planGroupRollback({ spec: { replicas: 2, ...rolling({ partition: 1 }) } }, 1);
    expect(done.message('partition_holds')).toBe(
      'Partition 1 holds group 0: it is not rolled back to revision 1.',
    );
    expect(done.steps[1]).toContain('1 group (1) is replaced');
    expect(done.planned.plan?.capacity?.phrases.slice(0, 2)).toEqual([
      '1 group replaced',
      '1 held by partition 1',
    ]);
  });

  test.each(
    // prettier-ignore
    [
    ['sub-groups that were added since', { live: groupTemplate('2', { subGroupPolicy: { subGroupSize: 1 } }) }, {}],
    ['sub-groups that were taken since', {}, { subGroupPolicy: { subGroupSize: 1 } }],
    ['sub-groups of another size', { live: groupTemplate('2', { subGroupPolicy: { subGroupSize: 2 } }) }, { subGroupPolicy: { subGroupSize: 1 } }],
    ['other volume claim templates', {}, { volumeClaimTemplates: [{ metadata: { name: 'cache' } }] }],
    ['an owner that writes the template again', { owner: { apiVersion: 'v1', kind: 'RoleBasedGroup', name: 'rbg', uid: 'u', controller: true } }, {}],
    ['the present template', { live: '1', leaders: { key: 'k1' } }, {}],
    ['a workload that is being deleted', { deleted: at(9) }, {}],
  ] as const,
  )('to %s is rejected before anything is written', (_name, scene, members) => {
    const done = returning(members, scene);
    expect(done.planned.plan).toBeNull();
    expect(done.codes('refusal')).toHaveLength(1);
  });

  test('allows another type of sub-groups, as the webhook does', () => {
    const live = groupTemplate('2', {
      subGroupPolicy: { subGroupSize: 1, subGroupPolicyType: 'LeaderExcluded' },
    });
    expect(returning({ subGroupPolicy: { subGroupSize: 1 } }, { live }).codes('refusal')).toEqual([]);
  });

  test('to another size describes its consequences', () => {
    expect(returning({ size: 8 }).message('size_changes')).toBe(
      'The group size changes from 2 to 8 pods: all groups are recreated and need 16 pods in total instead of 4.',
    );
  });

  test('to another network warns of other names', () => {
    const done = planGroupRollback({ networkConfig: { subdomainPolicy: 'UniquePerReplica' } }, 1);
    expect(done.codes('warning')).toEqual(['network_changes']);
  });

  test('to explicitly written defaults is rejected as equal', () => {
    const live = groupTemplate('1', { volumeClaimTemplates: [] });
    expect(planGroupRollback({ live, networkConfig: null }, 1).codes('refusal')).toEqual(['equal_target']);
  });
});

describe('a surge group', () => {
  const scene = (partition: number): GroupScenario => ({
    groups: ['k1', 'k2', 'k2', 'k2'],
    spec: { replicas: 3, ...rolling({ partition, maxSurge: 1 }) },
  });

  test('is not replaced by a rollback: it is deleted at the end', () => {
    const { steps } = planGroupRollback(scene(0), 1);
    expect(steps.find((step) => step.includes('replaced'))).toContain('2 groups (2 and 1) are replaced');
    expect(steps).toContain('The surge group 3 is removed at the end.');
  });

  test('is not released by a move of the partition', () => {
    expect(planGroupControl(scene(1), 'partition', { partition: 0 }).steps).toMatchObject([
      expect.stringContaining('1 group (0) is updated to revision 2'),
      'The surge group 3 is removed at the end.',
      expect.anything(),
    ]);
  });

  test('stays while the partition holds more groups than may surge', () => {
    expect(planGroupControl(scene(0), 'partition', { partition: 2 }).steps).toContain(
      'The surge group 3 stays until the partition changes.',
    );
    expect(planGroupControl(scene(0), 'partition', { partition: 1 }).steps).toContain(
      'The surge group 3 is removed at the end.',
    );
  });
});

describe('the partition', () => {
  const move = (partition: number, scene: GroupScenario = {}) =>
    planGroupControl(scene, 'partition', { partition });

  test('moves to hold all groups, and is written alone', () => {
    const done = move(2);
    expect(done.written().spec).toMatchObject({
      rolloutStrategy: {
        type: 'RollingUpdate',
        rollingUpdateConfiguration: { partition: 2, maxUnavailable: 1, maxSurge: 0 },
      },
    });
    expect(done.steps).toEqual([
      'No group changes now.',
      'Groups that already run revision 2 keep it: raising the partition reverts nothing.',
    ]);
  });

  test('that is lowered names the groups that it releases, and what is deleted in the end', () => {
    const done = move(0, { groups: ['k1', 'k2'], spec: { replicas: 2, ...rolling({ partition: 1 }) } });
    expect(done.steps).toEqual([
      '1 group (0) is updated to revision 2, highest index first, at most 1 at a time.',
      'When all groups are ready, the controller deletes the other revisions. Shiplog keeps them in its archive.',
    ]);
    expect(done.planned.plan?.kubectl).toContain('leaderworkersets.leaderworkerset.x-k8s.io/llama');
  });

  test.each([
    [{ rolloutStrategy: undefined as never }],
    [{ rolloutStrategy: { type: 'RollingUpdate' } }],
    [{ rolloutStrategy: { type: 'RollingUpdate', rollingUpdateConfiguration: { maxUnavailable: 1 } } }],
  ])('is written where a strategy of %j lacks it', (spec) => {
    expect(move(1, { spec }).written().spec).toMatchObject(rolling({ partition: 1 }));
  });

  test('of a version without one is moved with a warning', () => {
    const rollingUpdateConfiguration = { maxUnavailable: 1 };
    const spec = { rolloutStrategy: { type: 'RollingUpdate', rollingUpdateConfiguration } };
    expect(move(1, { spec }).codes('warning')).toEqual(['partition_unknown']);
  });

  test.each([
    [3, 'bad_partition'],
    [-1, 'bad_partition'],
    [0.5, 'bad_partition'],
    [0, 'equal_partition'],
  ])('does not move to %d: %s', (partition, code) => {
    expect(move(partition).codes('refusal')).toEqual([code]);
  });
});

describe('restarting a group', () => {
  const restart = (uid: string, scene: GroupScenario = {}) =>
    planGroupControl(scene, 'deletePod', { pod: { name: uid.replace('uid-pod-', ''), uid } });

  test('deletes its leader and nothing else', () => {
    const { plan } = restart('uid-pod-llama-1').planned;
    expect(plan).toMatchObject({
      title: 'Restart group 1 of llama',
      write: {
        kind: 'delete',
        path: '/api/v1/namespaces/shop/pods/llama-1',
        preconditions: { uid: 'uid-pod-llama-1' },
      },
    });
    expect(plan?.steps[0]).toBe('Leader llama-1 and its 1 worker terminate.');
  });

  test('that the partition holds names the revision that it starts on again', () => {
    const scene = { groups: ['k1', 'k2'], spec: { replicas: 2, ...rolling({ partition: 1 }) } };
    expect(restart('uid-pod-llama-0', scene).steps[1]).toContain(
      'The group is recreated on revision 1, because the partition holds it.',
    );
  });

  test.each([
    ['a worker', 'uid-pod-llama-0-1', {}, 'not_a_leader'],
    ['a pod that is gone', 'uid-of-another', {}, 'pod_gone'],
    [
      'one that ends already',
      'uid-pod-llama-0',
      { groups: [{ key: 'k2', leader: { deleted: at(50) } }] },
      'pod_deleting',
    ],
  ])('through %s is rejected', (_name, uid, scene, code) => {
    expect(restart(uid, scene).codes('refusal')).toEqual([code]);
  });

  test('of an unknown revision warns that it may get no workers', () => {
    expect(restart('uid-pod-llama-1', { groups: ['k2', 'k9'] }).codes('warning')).toEqual([
      'unknown_revision',
    ]);
  });
});
