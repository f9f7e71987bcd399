import { expect, test } from 'vitest';
import { isRolloutResource } from '@/lib/rollout/rollout-resources';
import { rolloutSystems } from '@/lib/rollout/systems';
import { workloadKinds } from '@/lib/workloads/table';

test('the resources of all systems are known as such, and no workload’s is', () => {
  expect(rolloutSystems.filter(({ resource }) => !isRolloutResource(resource.id))).toEqual([]);
  expect(workloadKinds.filter(({ resource }) => isRolloutResource(resource.id))).toEqual([]);
});
