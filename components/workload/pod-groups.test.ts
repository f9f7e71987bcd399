import { expect, test } from 'vitest';
import { groupPods } from '@/components/workload/pod-groups';
import type { PodItem } from '@/lib/api/pods';

function pod(name: string, given: Partial<PodItem> = {}): PodItem {
  return {
    ...{ uid: name, name, revision: null, revisionId: null, target: false, node: null, ip: null },
    ...{ phase: 'Running', ready: true, readyAt: null, createdAt: '2026-09-17T12:00:00Z', startedAt: null },
    ...{ deletedAt: null, restarts: 0, images: [], block: null, links: [], ...given },
  };
}

test('groups canary pods separately, apart from those whose revision is pruned', () => {
  const auxiliary = { kind: 'Deployment', name: 'cart-x1' };
  const groups = groupPods([
    pod('old', { revision: 1, revisionId: 'one' }),
    pod('lost'),
    pod('canary', { auxiliary, ready: false }),
  ]);
  expect(groups.map(({ auxiliary: by, pods }) => [by?.name ?? null, pods.map(({ name }) => name)])).toEqual([
    ['cart-x1', ['canary']],
    [null, ['old']],
    [null, ['lost']],
  ]);
});
