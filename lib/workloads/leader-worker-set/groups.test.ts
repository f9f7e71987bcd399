import { deriveStatus } from '@/lib/messages/workload-status';
import { describe, expect, test } from 'vitest';
import { leaderWorkerSetFacts } from '@/lib/workloads/leader-worker-set/facts';
import {
  type GroupScenario,
  groupRevision,
  groupTemplate,
  readGroupScenario,
} from '@/lib/workloads/testing/leader-worker-set';
import { at } from '@/lib/workloads/testing/objects';

const rolling = (members: Record<string, number | string>) => ({
  rolloutStrategy: {
    type: 'RollingUpdate',
    rollingUpdateConfiguration: { partition: 0, maxUnavailable: 1, maxSurge: 0, ...members },
  },
});
const groupSummaries = (scene: GroupScenario) =>
  readGroupScenario(scene).groups.items.map(({ index, state, revision, updated, ready }) => ({
    index,
    state,
    on: revision?.number ?? null,
    updated,
    ready,
  }));
const statusOf = (scene: GroupScenario) => {
  const { state, message, sentence, pods } = readGroupScenario(scene).status;
  return { state, message, sentence, pods };
};

describe('a group', () => {
  test('is updated when its leader and its StatefulSet of workers are, ready when all its pods are', () => {
    expect(groupSummaries({ groups: ['k2', 'k1'] })).toEqual([
      { index: 0, state: 'ready', on: 2, updated: true, ready: true },
      { index: 1, state: 'ready', on: 1, updated: false, ready: true },
    ]);
  });

  test('whose workers are not available is starting', () => {
    expect(groupSummaries({ groups: [{ key: 'k2', worker: { ready: false } }] })).toMatchObject([
      { state: 'starting', updated: true, ready: false },
    ]);
  });

  test('is not ready, nor is the workload complete, before its pods are, which arrive by another watch', () => {
    const groups = ['k2', { key: 'k2', worker: { ready: false }, available: 2 }];
    expect(groupSummaries({ groups })).toMatchObject([{ ready: true }, { state: 'starting', ready: false }]);
    expect(statusOf({ groups }).message).toContain('1 of 2 groups ready');
  });

  test.each([
    ['without a leader', { key: 'k2', leader: null }],
    ['whose leader ends', { key: 'k2', leader: { deleted: at(50) } }],
    ['whose workers nobody makes', { key: 'k2', set: false }],
    ['whose workers belong to the leader before', { key: 'k2', setOwner: 'uid-gone', setKey: 'k1' }],
  ])('%s is being rebuilt, and not ready', (_name, group) => {
    const [found] = groupSummaries({ groups: [group] });
    expect(found).toMatchObject({ state: 'rebuilding', ready: false });
  });

  test('whose workers wait for the leader to be ready is starting', () => {
    const groups = [{ key: 'k2', set: false, leader: { ready: false } }];
    expect(groupSummaries({ groups, spec: { startupPolicy: 'LeaderReady' } })).toMatchObject([
      { state: 'starting' },
    ]);
  });

  test.each([
    ['its StatefulSet', { key: 'k2', setKey: 'k1' }],
    ['its workers', { key: 'k2', workerKey: 'k1' }],
  ])('whose leader and %s have different keys disagrees, in the workload state too', (_name, group) => {
    expect(readGroupScenario({ groups: ['k2', group] }).groups.items[1]).toMatchObject({
      key: 'k2',
      otherKeys: [{ key: 'k1', revision: { number: 1 } }],
    });
    expect(groupSummaries({ groups: ['k2', group] })[1]).toMatchObject({ state: 'disagrees' });
    expect(statusOf({ groups: ['k2', group] })).toMatchObject({
      state: 'degraded',
      message: 'leader and workers of group 1 run different revisions',
    });
  });

  test('of an unknown revision reports it', () => {
    const scene: GroupScenario = { groups: ['k2', { key: 'k9', set: false }] };
    expect(readGroupScenario(scene).groups.items[1]).toMatchObject({
      unknownRevision: true,
      revision: null,
      key: 'k9',
      otherKeys: [],
    });
    expect(statusOf(scene)).toMatchObject({
      state: 'rolling',
      message: '1 of 2 groups updated; group 1 is on an unknown revision whose object was deleted',
    });
  });

  test('on an older revision keeps its own size, which its pods are counted by', () => {
    const groups = [
      { key: 'k2', size: 4 },
      { key: 'k1', size: 2 },
    ];
    const seen = readGroupScenario({ live: groupTemplate('2', { size: 4 }), groups });
    expect(seen.groups.items.map(({ size, workers }) => [size, workers.length])).toEqual([
      [4, 3],
      [2, 1],
    ]);
    expect(seen.groups.pods).toBe(6);
    expect(seen.status.pods).toEqual({ desired: 6, ready: 6, updated: 4, available: 6 });
  });

  test('of one pod has no workers to wait for', () => {
    const scene = {
      live: groupTemplate('2', { size: 1 }),
      groups: [{ key: 'k2', size: 1 }],
      spec: { replicas: 1 },
    };
    expect(groupSummaries(scene)).toMatchObject([{ state: 'ready', updated: true }]);
    expect(statusOf(scene).state).toBe('complete');
  });
});

describe('progress', () => {
  test('counts the groups that the partition releases, without those above the desired number', () => {
    const { groups } = readGroupScenario({
      spec: { replicas: 3, ...rolling({ partition: 1, maxSurge: 1 }) },
      groups: ['k1', 'k1', 'k2', 'k2'],
    });
    expect(groups).toMatchObject({ desired: 3, wanted: 2, updated: 1, ready: 2, partition: 1 });
    expect(groups.items.map(({ held, surge }) => [held, surge])).toEqual([
      [true, false],
      [false, false],
      [false, false],
      [false, true],
    ]);
    expect(groups.order).toBe('Groups are replaced as a whole, highest index first, 2–4 groups at any time.');
  });

  test('names the StatefulSets, and why only the controller may write them', () => {
    const { parts, partsNote } = readGroupScenario({ groups: ['k2', 'k2'] }).groups;
    expect(parts).toMatchObject([
      { kind: 'StatefulSet', name: 'llama', group: null },
      { kind: 'StatefulSet', name: 'llama-0', group: 0 },
      { kind: 'StatefulSet', name: 'llama-1', group: 1 },
    ]);
    expect(partsNote).toContain('Change llama instead');
  });

  test('of 1,000 groups of 8 pods names each once', () => {
    const groups = Array.from({ length: 1_000 }, () => ({ key: 'k2', size: 8 }));
    const live = groupTemplate('2', { size: 8 });
    const seen = readGroupScenario({ live, spec: { replicas: 1_000 }, groups });
    expect(seen.groups.items.map(({ index }) => index)).toEqual(groups.map((_, index) => index));
    expect(seen.status).toMatchObject({ state: 'complete', message: '1000 of 1000 groups ready' });
    expect(seen.status.pods.desired).toBe(8_000);
  });
});

describe('the status', () => {
  test('is complete when every group is updated and ready', () => {
    expect(statusOf({})).toEqual({
      state: 'complete',
      message: '2 of 2 groups ready',
      sentence: 'Both groups of 2 pods run revision 2 and are ready.',
      pods: { desired: 4, ready: 4, updated: 4, available: 4 },
    });
  });

  test('is held, with the names of the groups, while the partition holds them', () => {
    const scene = { spec: { replicas: 3, ...rolling({ partition: 2 }) }, groups: ['k1', 'k1', 'k2'] };
    expect(statusOf(scene)).toMatchObject({
      state: 'held',
      message: 'partition 2: groups 0 and 1 stay on revision 1',
      sentence:
        '1 of 3 groups runs revision 2 and all are ready; partition 2 holds the rest: groups 0 and 1 stay on revision 1.',
    });
  });

  test('is rolling while surplus groups still exist', () => {
    const scene = { groups: ['k2', 'k2', 'k2'], spec: rolling({ maxSurge: 1 }) };
    expect(statusOf(scene)).toMatchObject({ state: 'rolling', message: '2 of 2 groups ready' });
    expect(statusOf(scene).sentence).toContain('with 1 group temporarily added');
  });

  test('calls a group in addition to the desired ones a surge group, which is new and not rebuilt', () => {
    const scene = { groups: ['k1', 'k1', { key: 'k2', leader: null }], spec: rolling({ maxSurge: 1 }) };
    expect(statusOf(scene).message).toBe('0 of 2 groups updated; surge group 2 is starting');
  });

  test('is rolling, with the reason that it waits for', () => {
    const groups = ['k1', { key: 'k2', leader: null }];
    expect(statusOf({ groups })).toMatchObject({
      state: 'rolling',
      message: '0 of 2 groups updated; group 1 is being rebuilt',
      sentence:
        '0 of 2 groups updated to revision 2, 1 of 2 are ready. Revision 1 still serves with 2 of 4 pods.',
    });
  });

  test('is stuck when the pods of a new group cannot start, and reports which and why', () => {
    const groups = ['k1', { key: 'k2', leader: { waiting: 'ImagePullBackOff' } }];
    expect(statusOf({ groups })).toMatchObject({
      state: 'stuck',
      message: 'group 1: the image of app cannot be pulled',
    });
  });

  test('reports a group that is recreated repeatedly as a loop, until it is ready', () => {
    const recreated = (count: number, second: number) => ({
      reason: 'RecreateGroup',
      message: 'Worker pod llama-1-1 failed, deleted leader pod llama-1 to recreate group 1',
      count,
      first: at(second),
      last: at(second),
    });
    const judged = (groups: GroupScenario['groups'], ...events: ReturnType<typeof recreated>[]) => {
      const { input, history } = readGroupScenario({ groups });
      const { state, message } = deriveStatus(
        leaderWorkerSetFacts({ ...input, history, events, now: at(60) }),
      );
      return `${state}: ${message}`;
    };
    const rebuilt = { key: 'k2', set: false };
    const [once, twice] = [recreated(1, 10), recreated(2, 20)];
    expect(judged(['k1', rebuilt], once, twice)).toBe('stuck: group 1 recreated 3 times; llama-1-1 fails');
    expect(judged(['k2', rebuilt], once, twice)).toBe('degraded: group 1 recreated 3 times; llama-1-1 fails');
    expect(judged(['k1', rebuilt], twice)).toBe('rolling: 0 of 2 groups updated; group 1 is being rebuilt');
    expect(judged(['k1', rebuilt], recreated(9, 1))).toBe(
      'rolling: 0 of 2 groups updated; group 1 is being rebuilt',
    );
    expect(judged(['k2', 'k2'], once, twice)).toBe('complete: 2 of 2 groups ready');
  });

  test('is degraded when the update is over and a group is missing', () => {
    const groups = ['k2', { key: 'k2', worker: { waiting: 'CrashLoopBackOff', restarts: 9, exitCode: 1 } }];
    expect(statusOf({ groups })).toMatchObject({
      state: 'degraded',
      message: '1 of 2 groups ready; group 1: app exits with code 1, restarted 9 times',
    });
  });

  test.each([
    [{ generation: 2 }, 'unknown', 'the controller has not observed the last change'],
    [{ deleted: at(30) }, 'unknown', 'being deleted'],
    [{ spec: { replicas: 0 }, groups: [] }, 'complete', 'scaled to 0'],
  ] as const)('of %j is %s: %s', (scene, state, message) => {
    expect(statusOf(scene as GroupScenario)).toMatchObject({ state, message });
  });

  test('of a version without an observed generation follows the key of the leaders', () => {
    const status = { observedGeneration: undefined as never };
    expect(statusOf({ status }).state).toBe('complete');
    expect(statusOf({ status, live: '9' }).state).toBe('unknown');
    const revisions = [groupRevision(1, '1'), groupRevision(2, '2')];
    expect(statusOf({ status, revisions, leaders: { key: 'k1' } }).state).toBe('unknown');
  });

  test('of a version before 0.5, which records no revisions, follows the keys alone', () => {
    const key = 'a94a8fe5ccb19ba61c4c0873d391e987982fbbd3';
    const scene = { status: { observedGeneration: undefined as never }, revisions: [], leaders: { key } };
    expect(statusOf({ ...scene, groups: [key, key] })).toMatchObject({
      state: 'complete',
      sentence: 'Both groups of 2 pods run the current template and are ready.',
      pods: { desired: 4, updated: 4 },
    });
    expect(statusOf({ ...scene, groups: ['other', key] })).toMatchObject({ state: 'rolling' });
  });

  test('claims nothing when the pods are unknown', () => {
    const { input, history } = readGroupScenario({});
    const blind = { ...input, pods: [], history };
    expect(readGroupScenario({}).status.state).toBe('complete');
    expect(deriveStatus(leaderWorkerSetFacts(blind))).toMatchObject({
      state: 'unknown',
      message: 'its pods cannot be listed',
    });
  });
});
