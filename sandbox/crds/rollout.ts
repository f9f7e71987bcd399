import { AGE_COLUMN, customResource, type PrinterColumn } from '@/sandbox/crds/custom-resource';

/** https://github.com/openkruise/rollouts/blob/master/config/crd/bases/rollouts.kruise.io_rollouts.yaml */
export const rolloutCrd = customResource({
  group: 'rollouts.kruise.io',
  kind: 'Rollout',
  plural: 'rollouts',
  versions: ['v1beta1', 'v1alpha1'],
  columns: { v1beta1: columns('.status'), v1alpha1: columns('.status.canaryStatus') },
});

/** The path of the step differs between the versions. */
function columns(at: string): PrinterColumn[] {
  return [
    { name: 'STATUS', type: 'string', jsonPath: '.status.phase' },
    { name: 'CANARY_STEP', type: 'integer', jsonPath: `${at}.currentStepIndex` },
    { name: 'CANARY_STATE', type: 'string', jsonPath: `${at}.currentStepState` },
    { name: 'MESSAGE', type: 'string', jsonPath: '.status.message' },
    AGE_COLUMN,
  ];
}
