import { afterEach, beforeEach, expect, test } from 'vitest';
import { type JsonObject } from '@/lib/kube/json';
import { deployment, Stage } from '@/server/controllers/oam-rollout/testing/stage';

let stage: Stage;

beforeEach(async () => {
  stage = await Stage.start();
});

afterEach(async () => {
  await stage.close();
});

const reference = (name: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', name });

function pairSpec(plan: JsonObject = {}): JsonObject {
  return {
    targetRef: reference('new'),
    sourceRef: [reference('old')],
    rolloutPlan: {
      rolloutBatches: [{ replicas: 1 }, { replicas: '25%' }, { replicas: '25%' }, { replicas: '100%' }],
      ...plan,
    },
  };
}

test('four batches of a pair of Deployments are approved one by one', async () => {
  await stage.deploy(deployment('old', 8), deployment('new', 0, { paused: true }));
  await stage.roll(pairSpec({ batchPartition: 0 }));
  const sizes: [number | undefined, number | undefined][] = [];
  for (const batch of [0, 1, 2]) {
    await stage.until((status) => status?.position?.batch === 'batchReady' && status.currentBatch === batch);
    sizes.push([await stage.size('old'), await stage.size('new')]);
    // It waits for as long as nobody approves.
    expect(await stage.move()).toBe('change');
    await stage.edit({ rolloutPlan: { batchPartition: batch + 1 } });
  }
  await stage.until((status) => status?.position?.rolling === 'rolloutSucceed');
  sizes.push([await stage.size('old'), await stage.size('new')]);
  expect(sizes).toEqual([
    [7, 1],
    [5, 3],
    [3, 5],
    [0, 8],
  ]);
});
