import { describe, expect, test } from 'vitest';
import {
  type IsLive,
  prunedByDaemonSet,
  prunedByDeployment,
  prunedByStatefulSet,
} from '@/lib/history/revision-pruning';

const retained = (uid: string, isLive = false, deletedAt: string | null = null) => ({
  ...{ uid, name: isLive ? 'live' : 'old', deletedAt },
});
const isLive: IsLive = ({ name }) => name === 'live';

/** Limit 2, five objects: the current one, one live old one with the highest old number, three others. */
const old = [retained('1'), retained('2'), retained('3'), retained('4', true)];
const all = [...old, retained('5', true)];

describe('with a limit of 2 and five revisions, of which the two newest are live', () => {
  test('a StatefulSet retains four: its limit counts what is not live', () => {
    expect(prunedByStatefulSet(all, 2, isLive)).toEqual(['1']);
  });

  test('a DaemonSet retains three: live old ones use up its limit', () => {
    expect(prunedByDaemonSet(old, 2, isLive)).toEqual(['1', '2']);
  });

  test('a Deployment retains three', () => {
    expect(prunedByDeployment(old, 2)).toEqual(['1', '2']);
  });
});

test('a DaemonSet skips a live revision and deletes a newer one instead', () => {
  const oldestLive = [retained('1', true), retained('2'), retained('3'), retained('4')];
  expect(prunedByDaemonSet(oldestLive, 2, isLive)).toEqual(['2', '3']);
});

test('a DaemonSet whose live old revisions fill the limit retains no other', () => {
  expect(prunedByDaemonSet([retained('1'), retained('2', true), retained('3', true)], 2, isLive)).toEqual([
    '1',
  ]);
});

test('a ReplicaSet that is being deleted does not count', () => {
  expect(
    prunedByDeployment([retained('1', false, '2026-11-29T09:00:00Z'), retained('2'), retained('3')], 2),
  ).toEqual([]);
});

test('no limit retains everything, a limit of 0 nothing that can be deleted', () => {
  expect(prunedByDeployment(old, null)).toEqual([]);
  expect(prunedByDeployment(old, 2_147_483_647)).toEqual([]);
  expect(prunedByStatefulSet(all, -1, isLive)).toEqual([]);
  expect(prunedByDeployment(old, 0)).toEqual(['1', '2', '3', '4']);
  expect(prunedByStatefulSet(all, 0, isLive)).toEqual(['1', '2', '3']);
  expect(prunedByDaemonSet(old, 0, isLive)).toEqual(['1', '2', '3']);
});
