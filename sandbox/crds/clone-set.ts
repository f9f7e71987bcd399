import { AGE_COLUMN, customResource, type CustomResource } from '@/sandbox/crds/custom-resource';

/** https://github.com/openkruise/kruise/blob/master/config/crd/bases/apps.kruise.io_clonesets.yaml */
export const cloneSetResource: CustomResource = {
  group: 'apps.kruise.io',
  kind: 'CloneSet',
  plural: 'clonesets',
  versions: ['v1beta1', 'v1alpha1'],
  shortNames: ['clone'],
  scale: {
    replicas: '.spec.replicas',
    statusReplicas: '.status.replicas',
    selector: '.status.labelSelector',
  },
  columns: [
    { name: 'DESIRED', type: 'integer', jsonPath: '.spec.replicas' },
    { name: 'UPDATED', type: 'integer', jsonPath: '.status.updatedReplicas' },
    { name: 'UPDATED_READY', type: 'integer', jsonPath: '.status.updatedReadyReplicas' },
    { name: 'READY', type: 'integer', jsonPath: '.status.readyReplicas' },
    { name: 'TOTAL', type: 'integer', jsonPath: '.status.replicas' },
    AGE_COLUMN,
    { name: 'CONTAINERS', type: 'string', jsonPath: '.spec.template.spec.containers[*].name', priority: 1 },
    { name: 'IMAGES', type: 'string', jsonPath: '.spec.template.spec.containers[*].image', priority: 1 },
    { name: 'SELECTOR', type: 'string', jsonPath: '.status.labelSelector', priority: 1 },
  ],
};

export const cloneSetCrd = customResource(cloneSetResource);
