import { describe, expect, test } from 'vitest';
import {
  heldByNumber,
  movePods,
  type RollingSettings,
  type UpdateRules,
  whoMoves,
} from '@/lib/engine/update';
import type { PodSummary } from '@/lib/history/pod';
import type { RevisionHistory } from '@/lib/history/revision';
import type { Workload } from '@/lib/history/workload';

const workload = {} as Workload;
const podOf = (name: string) => ({ uid: name, name, phase: 'Running', deletedAt: null }) as PodSummary;
const pods = ['a', 'b', 'c'].map(podOf);
const history = {
  revisionOfPod: new Map([
    ['a', { id: 'new' }],
    ['b', { id: 'old' }],
    ['c', { id: 'old' }],
  ]),
} as unknown as RevisionHistory;

function rulesOf(rolling: RollingSettings, more: Partial<UpdateRules> = {}): UpdateRules {
  return {
    resource: { id: 'things', group: '', versions: ['v1'], plural: 'things', kind: 'Thing' },
    title: 'Thing',
    unit: 'pod',
    rollingOf: () => rolling,
    desiredOf: () => 3,
    describeStrategy: () => '',
    unavailableOf: () => 1,
    pace: () => '',
    heldPodsOf: (_workload, others, partition) => heldByNumber(others, partition),
    ...more,
  };
}

describe('the pods that a revision takes the place of', () => {
  test.each([
    ['are all of another revision', {}, 'new', 0, ['b', 'c'], 0, 1],
    ['are all where the revision does not exist yet', {}, undefined, 0, ['a', 'b', 'c'], 0, 0],
    ['are only counted where a partition holds any of them', {}, 'new', 1, null, 1, 2],
    ['are none where a partition holds all of them', {}, 'new', 3, [], 2, 3],
    ['are not held by a partition under OnDelete', { isOnDelete: true }, 'new', 3, ['b', 'c'], 0, 1],
  ])('%s', (_, rolling, id, partition, names, held, kept) => {
    const move = movePods(rulesOf(rolling), { workload, history, pods }, id, partition);
    expect(move).toMatchObject({ moving: { names }, held: { number: held }, kept });
  });
});

test.each([
  [{}, undefined, null, 'controller'],
  [{ isPaused: true }, undefined, null, 'resume'],
  [{ isOnDelete: true }, undefined, null, 'deletion'],
  [{ isPaused: true }, 'byPartition', 'web', 'rollout'],
  [{ isOnDelete: true }, 'byPartition', 'web', 'deletion'],
  [{ isOnDelete: true }, 'byDeletion', 'web', 'rollout'],
] as const)(
  'pods of %j that a Rollout moves %s, in progress: %s, are moved by %s',
  (rolling, moves, rollout, by) => {
    const rules = rulesOf(rolling, moves === undefined ? {} : { rolloutMoves: moves });
    expect(whoMoves(rules, workload, rollout, false).by).toBe(by);
  },
);
