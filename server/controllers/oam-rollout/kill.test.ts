import { expect, test } from 'vitest';
import { batchStates, type BatchState, rollingStates, type RollingState } from '@/lib/oam/states';
import { CLAIM_ANNOTATION } from '@/lib/workloads/owner-checks';
import type { JsonObject } from '@/lib/kube/json';
import { listen, sample } from '@/server/controllers/oam-rollout/testing/listen';
import { deployment, TestBench } from '@/server/controllers/oam-rollout/testing/test-bench';

const target = (name: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', name });

interface Scenario {
  readonly plan?: JsonObject;
  /** Done in the second batch, where a plain run does not reach a state. */
  readonly detour?: (stage: TestBench) => Promise<void>;
  /** Undefined: the Rollout is deleted. */
  readonly ends: RollingState | undefined;
  /** Pods of the source, of the target and of another one. */
  readonly sizes: readonly [number, number, number];
}

const STRAIGHT: Scenario = { ends: 'rolloutSucceed', sizes: [0, 8, 0] };
const FAILING: Scenario = {
  detour: (stage) => stage.edit({ rolloutPlan: { rolloutBatches: [{ replicas: 9 }, { replicas: '100%' }] } }),
  ends: 'rolloutFailed',
  sizes: [5, 3, 0],
};

const scenarios: Readonly<Partial<Record<RollingState | BatchState, Scenario>>> = {
  rolloutFailing: FAILING,
  rolloutFailed: FAILING,
  rolloutAbandoning: {
    detour: (stage) => stage.edit({ targetRef: target('newer') }),
    ends: 'rolloutSucceed',
    sizes: [0, 0, 8],
  },
  RolloutDeletingState: {
    plan: { revertOnDelete: true },
    detour: (stage) => stage.delete(),
    ends: undefined,
    sizes: [8, 0, 0],
  },
  batchVerifyFailed: {
    plan: { canaryMetric: [{ name: 'errors', metricsRange: { max: 0 }, templateRef: { name: 'errors' } }] },
    ends: 'rolloutFailed',
    sizes: [7, 1, 0],
  },
};

const states = [...rollingStates.filter((state) => state !== 'rollingInBatches'), ...batchStates];

test.for(states)('killed at any write in %s, the next controller continues from there', async (state) => {
  const { plan, detour, ends, sizes } = scenarios[state] ?? STRAIGHT;
  const stage = await TestBench.start();
  try {
    await measureBadly(stage);
    const idle = { paused: true };
    await stage.deploy(deployment('old', 8), deployment('new', 0, idle), deployment('newer', 0, idle));
    await stage.roll({
      targetRef: target('new'),
      sourceRef: [target('old')],
      rolloutPlan: {
        rolloutBatches: [{ replicas: 1 }, { replicas: '25%' }, { replicas: '100%' }],
        ...plan,
      },
    });
    if (detour !== undefined) {
      await stage.until(
        (status) => status?.currentBatch === 1 && status.position?.batch === 'batchVerifying',
      );
      await detour(stage);
    }
    await stage.until(
      (status) =>
        (status?.position?.rolling === 'rollingInBatches'
          ? status.position.batch
          : status?.position?.rolling) === state,
    );

    let kills = 0;
    while ((await stage.move(kills)) === 'died') {
      kills += 1;
      await stage.settle();
    }
    // Without a write there is no moment to kill at.
    const isAtRest = state === 'rolloutSucceed' || state === 'rolloutFailed';
    expect(kills > 0).toBe(!isAtRest);
    await stage.until((status) => status?.position?.rolling === ends);
    expect(await Promise.all(['old', 'new', 'newer'].map((name) => stage.size(name)))).toEqual(sizes);
    const deployments = await stage.list('/apis/apps/v1/namespaces/default/deployments');
    expect(
      deployments.filter(({ metadata }) => metadata.annotations?.[CLAIM_ANNOTATION] !== undefined),
    ).toEqual([]);
  } finally {
    await stage.close();
  }
});

async function measureBadly(stage: TestBench): Promise<void> {
  stage.prometheusUrl = await listen((_request, response) => {
    response.end(sample(1));
  });
  const data = { query: 'errors', threshold: '1' };
  await stage.send('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'errors' }, data });
}
