import { customResource } from '@/sandbox/crds/custom-resource';

/** https://github.com/fluxcd/flagger/blob/main/artifacts/flagger/crd.yaml */
export const canaryCrd = customResource({
  group: 'flagger.app',
  kind: 'Canary',
  plural: 'canaries',
  versions: ['v1beta1'],
  shortNames: ['cd'],
});
