import { expect, test } from 'vitest';
import { isRolloutResource } from '@/lib/rollout/systems/resources';
import { rolloutSystems } from '@/lib/rollout/systems/table';
import { kindOf, workloadKinds } from '@/lib/workloads/kinds/table';

test('the resources of all systems that are no workloads are recognized, and no workload’s is', () => {
  const others = rolloutSystems.filter(({ resource }) => kindOf(resource.id) === undefined);
  expect(others.filter(({ resource }) => !isRolloutResource(resource.id))).toEqual([]);
  expect(workloadKinds.filter(({ resource }) => isRolloutResource(resource.id))).toEqual([]);
});
