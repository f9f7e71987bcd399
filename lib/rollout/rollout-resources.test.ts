import { expect, test } from 'vitest';
import { isRolloutResource } from '@/lib/rollout/rollout-resources';
import { rolloutSystems } from '@/lib/rollout/systems';
import { kindOf, workloadKinds } from '@/lib/workloads/table';

test('the resources of all systems that are no workloads are known as such, and no workload’s is', () => {
  const others = rolloutSystems.filter(({ resource }) => kindOf(resource.id) === undefined);
  expect(others.filter(({ resource }) => !isRolloutResource(resource.id))).toEqual([]);
  expect(workloadKinds.filter(({ resource }) => isRolloutResource(resource.id))).toEqual([]);
});
