import { AGE_COLUMN, customResource } from '@/sandbox/crds/custom-resource';

/** https://github.com/openkruise/rollouts/blob/master/config/crd/bases/rollouts.kruise.io_trafficroutings.yaml */
export const trafficRoutingCrd = customResource({
  group: 'rollouts.kruise.io',
  kind: 'TrafficRouting',
  plural: 'trafficroutings',
  versions: ['v1alpha1'],
  columns: [
    { name: 'STATUS', type: 'string', jsonPath: '.status.phase' },
    { name: 'MESSAGE', type: 'string', jsonPath: '.status.message' },
    AGE_COLUMN,
  ],
});
