import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ControlPlane, startControlPlane } from '@/e2e/controlplane/control-plane';
import { createActor } from '@/e2e/controllers/actor';
import { type OurControllers, runControllers } from '@/e2e/controllers/our-controllers';
import { SCENARIOS } from '@/e2e/controllers/scenarios';
import { takeSnapshot } from '@/e2e/controllers/snapshot';

let reference: ControlPlane;
let bare: ControlPlane;
let ours: OurControllers;

beforeAll(async () => {
  reference = await startControlPlane({ nodes: 3 });
  bare = await startControlPlane({ controllers: false });
  ours = runControllers(bare);
  await ours.start().idle();
});

afterAll(async () => {
  await ours?.close();
  await Promise.all([reference?.stop(), bare?.stop()]);
});

describe('our controllers leave behind what the real ones leave behind', () => {
  test.for(SCENARIOS)('$name', async (scenario) => {
    const namespace = `scenario-${SCENARIOS.indexOf(scenario)}`;
    const snapshots = await Promise.all(
      [reference, bare].map(async (cluster) => {
        const actor = await createActor(cluster, namespace);
        await scenario.play(actor);
        return takeSnapshot(cluster.client(), namespace);
      }),
    );
    const [expected, actual] = snapshots;
    expect(actual).toEqual(expected);
  });
});
