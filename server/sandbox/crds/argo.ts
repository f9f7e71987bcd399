import { type JsonObject } from '@/lib/kube/json';
import { AGE_COLUMN, customResource, type CustomResource } from '@/server/sandbox/crds/custom-resource';

const GROUP = { group: 'argoproj.io', versions: ['v1alpha1'] } as const;

/** https://github.com/argoproj/argo-rollouts/blob/master/manifests/crds/rollout-crd.yaml */
export const argoRolloutResource: CustomResource = {
  ...GROUP,
  kind: 'Rollout',
  plural: 'rollouts',
  shortNames: ['ro'],
  scale: { replicas: '.spec.replicas', statusReplicas: '.status.HPAReplicas', selector: '.status.selector' },
  columns: [
    { name: 'Desired', type: 'integer', jsonPath: '.spec.replicas' },
    { name: 'Current', type: 'integer', jsonPath: '.status.replicas' },
    { name: 'Up-to-date', type: 'integer', jsonPath: '.status.updatedReplicas' },
    { name: 'Available', type: 'integer', jsonPath: '.status.availableReplicas' },
    { ...AGE_COLUMN, name: 'Age' },
  ],
};

/** https://github.com/argoproj/argo-rollouts/blob/master/manifests/crds/analysis-run-crd.yaml */
export const analysisRunResource: CustomResource = {
  ...GROUP,
  kind: 'AnalysisRun',
  plural: 'analysisruns',
  shortNames: ['ar'],
  columns: [
    { name: 'Status', type: 'string', jsonPath: '.status.phase' },
    { ...AGE_COLUMN, name: 'Age' },
  ],
};

/** https://github.com/argoproj/argo-rollouts/blob/master/manifests/crds/analysis-template-crd.yaml */
export const analysisTemplateResource: CustomResource = {
  ...GROUP,
  kind: 'AnalysisTemplate',
  plural: 'analysistemplates',
  shortNames: ['at'],
  columns: [{ ...AGE_COLUMN, name: 'Age' }],
};

/** https://github.com/argoproj/argo-rollouts/blob/master/manifests/crds/experiment-crd.yaml */
export const experimentResource: CustomResource = {
  ...GROUP,
  kind: 'Experiment',
  plural: 'experiments',
  shortNames: ['exp'],
  columns: [
    { name: 'Status', type: 'string', jsonPath: '.status.phase' },
    { ...AGE_COLUMN, name: 'Age' },
  ],
};

/** What Argo Rollouts brings to a cluster: each to be created as it is. */
export const argoCrds: readonly JsonObject[] = [
  argoRolloutResource,
  analysisRunResource,
  analysisTemplateResource,
  experimentResource,
].map(customResource);
