import { expect, test } from 'vitest';
import type { PodBlock } from '@/lib/api/pods';
import type { PodSummary } from '@/lib/history/pod';
import type { StatusInput } from '@/lib/workloads/kind';
import { checkLatePods, findLatePods } from '@/lib/workloads/late-pods';
import type { statefulSet } from '@/lib/workloads/kinds/stateful-set';

const deletedAt = '2026-11-29T08:25:35Z';

function terminating(name: string, reason: string): PodSummary {
  const block = { kind: 'terminating', reason, since: deletedAt } as PodBlock;
  return { name, deletedAt, block } as PodSummary;
}

function late(waitsForDeletion: boolean, now?: string): readonly PodSummary[] {
  const pods = [terminating('db-0', 'NodeLost'), { name: 'db-1', deletedAt: null, block: null }];
  const kind = { facts: () => ({ waitsForDeletion }) as ReturnType<typeof statefulSet.facts> };
  return findLatePods(kind, { pods, now } as unknown as StatusInput);
}

test('a pod is late a minute after its deletion time, where the controller waits for its end', () => {
  expect(late(true, '2026-11-29T08:26:34Z')).toEqual([]);
  expect(late(true, '2026-11-29T08:26:35Z').map(({ name }) => name)).toEqual(['db-0']);
  expect(late(false, '2026-11-29T09:00:00Z')).toEqual([]);
  expect(late(true)).toEqual([]);
});

test('a rollback warns of late pods by what keeps them from ending', () => {
  const latePods = [
    terminating('db-0', 'NodeLost'),
    terminating('db-2', 'NodeLost'),
    terminating('db-1', 'Finalizers'),
    terminating('db-3', 'Terminating'),
  ];
  expect(checkLatePods({ latePods }).map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
    'warning: The rollback cannot complete until db-0 and db-2 have ended. They have been terminating since 2026-11-29 08:25:35 UTC, on a node that does not respond.',
    'warning: The rollback cannot complete until db-1 has ended. It has been terminating since 2026-11-29 08:25:35 UTC, held by a finalizer.',
    'warning: The rollback cannot complete until db-3 has ended. It has been terminating since 2026-11-29 08:25:35 UTC, long past its grace period.',
  ]);
  expect(checkLatePods({})).toEqual([]);
});
