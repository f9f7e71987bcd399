import { customResource } from '@/sandbox/crds/custom-resource';

/** https://github.com/openkruise/rollouts/blob/master/api/v1alpha1/rollouthistory_types.go */
export const rolloutHistoryCrd = customResource({
  group: 'rollouts.kruise.io',
  kind: 'RolloutHistory',
  plural: 'rollouthistories',
  versions: ['v1alpha1'],
});
