import { AGE_COLUMN, customResource } from '@/sandbox/crds/custom-resource';

/** https://github.com/openkruise/rollouts/blob/master/config/crd/bases/rollouts.kruise.io_batchreleases.yaml */
export const batchReleaseCrd = customResource({
  group: 'rollouts.kruise.io',
  kind: 'BatchRelease',
  plural: 'batchreleases',
  versions: ['v1beta1', 'v1alpha1'],
  columns: [
    { name: 'KIND', type: 'string', jsonPath: '.spec.targetReference.workloadRef.kind' },
    { name: 'PHASE', type: 'string', jsonPath: '.status.phase' },
    { name: 'BATCH', type: 'integer', jsonPath: '.status.canaryStatus.currentBatch' },
    { name: 'BATCH-STATE', type: 'string', jsonPath: '.status.canaryStatus.batchState' },
    AGE_COLUMN,
  ],
});
