import { expect, test } from 'vitest';
import { type JsonObject } from '@/lib/kube/json';
import { cloneSet } from '@/lib/workloads/kinds/clone-set';
import { podOf, type Scene, see } from '@/lib/workloads/testing/kruise';
import { at } from '@/lib/workloads/testing/objects';
import { Keys } from '@/server/keys';
import { observationOf } from '@/server/recorder/observation';
import { type TemplateHashes } from '@/server/recorder/template-hashes';

function observe(parts: Partial<Scene>, seesPods = true) {
  const { input, history, status } = see({
    kind: cloneSet,
    status: { currentRevision: 'shop-h1', updateRevision: 'shop-h2', updatedReplicas: 1 },
    ...parts,
  });
  return observationOf({
    clusterId: 'cluster',
    cache: { eventsOf: () => [], workload: () => undefined },
    hashes: { of: (bodyId: string) => bodyId } as TemplateHashes,
    keys: new Keys(Buffer.alloc(32, 7)),
    view: { kind: cloneSet, workload: input.workload, history, pods: input.pods, status },
    seesPods,
    actions: [],
    watch: { since: at(0), lost: null },
    related: [],
    release: null,
    at: at(30),
  });
}

const strategy = (members: JsonObject): JsonObject => ({ updateStrategy: members });

test('a pod that took the target in place arrived no sooner than that was recorded, another one when it was made', () => {
  const pods = [podOf('shop-a', '2', { created: 1 }), podOf('shop-b', '2', { created: 9 })];
  expect(observe({ pods }).targetPods).toMatchObject([
    { name: 'shop-a', createdAt: at(2) },
    { name: 'shop-b', createdAt: at(9) },
  ]);
});

test('a partition is recorded as the number of pods that stay, and a pause wherever the kind has it', () => {
  expect(observe({ spec: strategy({ partition: '30%', paused: true }) })).toMatchObject({
    partition: 2,
    paused: true,
    state: 'paused',
  });
  const nested = strategy({ type: 'RollingUpdate', rollingUpdate: { partition: 3 } });
  expect(observe({ version: 'v1beta1', spec: nested })).toMatchObject({ partition: 3, paused: false });
});

test('a rollout is not complete before every pod that the workload counts has been seen, where pods may be read', () => {
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
