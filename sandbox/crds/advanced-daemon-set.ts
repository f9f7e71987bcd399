import { AGE_COLUMN, customResource } from '@/sandbox/crds/custom-resource';

/** https://github.com/openkruise/kruise/blob/master/config/crd/bases/apps.kruise.io_daemonsets.yaml */
export const advancedDaemonSetCrd = customResource({
  group: 'apps.kruise.io',
  kind: 'DaemonSet',
  plural: 'daemonsets',
  versions: ['v1beta1', 'v1alpha1'],
  shortNames: ['daemon', 'ads'],
  columns: [
    { name: 'DESIREDNUMBER', type: 'integer', jsonPath: '.status.desiredNumberScheduled' },
    { name: 'CURRENTNUMBER', type: 'integer', jsonPath: '.status.currentNumberScheduled' },
    { name: 'UPDATEDNUMBERSCHEDULED', type: 'integer', jsonPath: '.status.updatedNumberScheduled' },
    AGE_COLUMN,
    { name: 'CONTAINERS', type: 'string', jsonPath: '.spec.template.spec.containers[*].name', priority: 1 },
    { name: 'IMAGES', type: 'string', jsonPath: '.spec.template.spec.containers[*].image', priority: 1 },
  ],
});
