import { expect, test } from 'vitest';
import { describeEmbeddedRollout } from '@/lib/workloads/application/embedded-rollout';

const plan = { rolloutBatches: [{ replicas: 1 }, { replicas: 2 }] };
const rollout = { rollingState: 'rollingInBatches', batchRollingState: 'batchReady', currentBatch: 0 };
const bodyOf = (spec: object) => ({ application: { components: [], ...spec } });

test.each([
  ['neither', {}, {}, []],
  ['a plan alone', {}, { rolloutPlan: plan }, [/no later version does\.$/]],
  ['both', { rollout }, { rolloutPlan: plan }, [/Noted last: rollingInBatches, batch 1 of 2, batchReady\.$/]],
  ['a status without a plan', { rollout: { currentBatch: 'x' } }, {}, [/Noted last: no state\.$/]],
])('of an Application with %s, describes what KubeVela followed at the time', (_, status, spec, wanted) => {
  const told = describeEmbeddedRollout({ status }, bodyOf(spec));
  expect(told).toEqual(wanted.map((words) => expect.stringMatching(words) as string));
});
