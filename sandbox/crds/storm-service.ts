import { customResource } from '@/sandbox/crds/custom-resource';

/** https://github.com/vllm-project/aibrix/blob/main/config/crd/orchestration/orchestration.aibrix.ai_stormservices.yaml */
export const stormServiceCrd = customResource({
  group: 'orchestration.aibrix.ai',
  kind: 'StormService',
  plural: 'stormservices',
  versions: ['v1alpha1'],
});
