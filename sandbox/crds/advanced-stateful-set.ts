import { AGE_COLUMN, customResource } from '@/sandbox/crds/custom-resource';

/** https://github.com/openkruise/kruise/blob/master/config/crd/bases/apps.kruise.io_statefulsets.yaml */
export const advancedStatefulSetCrd = customResource({
  group: 'apps.kruise.io',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  versions: ['v1beta1', 'v1alpha1'],
  shortNames: ['sts', 'asts'],
  scale: {
    replicas: '.spec.replicas',
    statusReplicas: '.status.replicas',
    selector: '.status.labelSelector',
  },
  columns: [
    { name: 'DESIRED', type: 'integer', jsonPath: '.spec.replicas' },
    { name: 'CURRENT', type: 'integer', jsonPath: '.status.replicas' },
    { name: 'UPDATED', type: 'integer', jsonPath: '.status.updatedReplicas' },
    { name: 'READY', type: 'integer', jsonPath: '.status.readyReplicas' },
    AGE_COLUMN,
    { name: 'CONTAINERS', type: 'string', jsonPath: '.spec.template.spec.containers[*].name', priority: 1 },
    { name: 'IMAGES', type: 'string', jsonPath: '.spec.template.spec.containers[*].image', priority: 1 },
  ],
});
