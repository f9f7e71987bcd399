import { expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import { cloneSet } from '@/lib/workloads/kinds/clone-set';
import { leaderWorkerSet } from '@/lib/workloads/kinds/leader-worker-set';
import { podOf, type KruiseScenario, readScenario } from '@/lib/workloads/testing/kruise';
import { readGroupScenario } from '@/lib/workloads/testing/leader-worker-set';
import { at } from '@/lib/workloads/testing/objects';
import type { WorkloadView } from '@/server/views/workload-view';
import { allRights } from '@/server/views/view-rights';
import { Keys } from '@/server/shared/keys';
import { buildObservation } from '@/server/recorder/observation';
import type { TemplateHashes } from '@/server/recorder/template-hashes';

function observe(parts: Partial<KruiseScenario>, seesPods = true) {
  const { input, history, status } = readScenario({
    kind: cloneSet,
    status: { currentRevision: 'shop-h1', updateRevision: 'shop-h2', updatedReplicas: 1 },
    ...parts,
  });
  return observeView({ kind: cloneSet, ...input, history, status, rights: allRights }, seesPods);
}

function observeView(view: WorkloadView, seesPods = true) {
  return buildObservation({
    clusterId: 'cluster',
    cache: { eventsOf: () => [], workload: () => undefined },
    hashes: { of: (bodyId: string) => bodyId } as TemplateHashes,
    keys: new Keys(Buffer.alloc(32, 7)),
    view,
    canReadPods: seesPods,
    actions: [],
    watch: { since: at(0), lostAt: null },
    configChanges: [],
    progressiveRollout: null,
    at: at(30),
  });
}

const strategy = (members: JsonObject): JsonObject => ({ updateStrategy: members });

test('a pod updated in place started when that was recorded at the earliest, another one at its creation', () => {
  const pods = [podOf('shop-a', '2', { created: 1 }), podOf('shop-b', '2', { created: 9 })];
  expect(observe({ pods }).targetPods).toMatchObject([
    { name: 'shop-a', createdAt: at(2) },
    { name: 'shop-b', createdAt: at(9) },
  ]);
});

test('records a partition as the number of held pods, and a pause wherever the kind has it', () => {
  expect(observe({ spec: strategy({ partition: '30%', paused: true }) })).toMatchObject({
    partition: 2,
    paused: true,
    state: 'paused',
  });
  const nested = strategy({ type: 'RollingUpdate', rollingUpdate: { partition: 3 } });
  expect(observe({ version: 'v1beta1', spec: nested })).toMatchObject({ partition: 3, paused: false });
});

test("a rollout is not complete before every pod of the workload's count is observed, where pods are readable", () => {
  const counted = { replicas: 3, readyReplicas: 3, availableReplicas: 3, updatedReplicas: 3 };
  const status = {
    ...counted,
    observedGeneration: 1,
    updatedReadyReplicas: 3,
    currentRevision: 'shop-h2',
    updateRevision: 'shop-h2',
  };
  const pods = ['shop-a', 'shop-b', 'shop-c'].map((name) => podOf(name, '2'));
  const completionOf = (seen: number, seesPods?: boolean) =>
    observe({ spec: { replicas: 3 }, status, pods: pods.slice(0, seen) }, seesPods).completion;
  expect(completionOf(2)).toBeNull();
  expect(completionOf(3)).toEqual({ provenAt: null });
  expect(completionOf(0, false)).toEqual({ provenAt: null });
});

test('that no pod is observed proves nothing where pods can not be read', () => {
  expect([observe({}).countsPods, observe({}, false).countsPods]).toEqual([true, false]);
});

test('the pods of surge groups belong to no step, also while the controller deletes them', () => {
  const groupsSeen = (replicas: number) => {
    const { input, history, status } = readGroupScenario({
      groups: ['k2', 'k2', 'k2', 'k2'],
      leaders: { replicas },
    });
    const view = { kind: leaderWorkerSet, ...input, history, status, rights: allRights };
    return observeView(view).targetPods.map(({ group }) => group?.key);
  };
  expect(groupsSeen(4)).toEqual(['0', '0', '1', '1']);
  expect(groupsSeen(2)).toEqual(['0', '0', '1', '1']);
});
