import { expect, test } from 'vitest';
import { describeEmbeddedRollout } from '@/lib/workloads/application/embedded-rollout';

const plan = { rolloutBatches: [{ replicas: 1 }, { replicas: 2 }] };
const rollout = { rollingState: 'rollingInBatches', batchRollingState: 'batchReady', currentBatch: 0 };
const bodyOf = (spec: object) => ({ application: { components: [], ...spec } });

test.each([
  ['neither', {}, {}, []],
  ['a plan alone', {}, { rolloutPlan: plan }, [/which only KubeVela 1.0 and 1.1 use\.$/]],
  [
    'both',
    { rollout },
    { rolloutPlan: plan },
    [/Last reported state: rollingInBatches, batch 1 of 2, batchReady\.$/],
  ],
  ['a status without a plan', { rollout: { currentBatch: 'x' } }, {}, [/Last reported state: unknown\.$/]],
])('of an Application with %s, describes what KubeVela followed at the time', (_, status, spec, wanted) => {
  const told = describeEmbeddedRollout({ status }, bodyOf(spec));
  expect(told).toEqual(wanted.map((words) => expect.stringMatching(words) as string));
});
