import { type JsonObject } from '@/lib/kube/json';
import { AGE_COLUMN, customResource, type CustomResource, described } from '@/sandbox/crds/custom-resource';

const GROUP = { group: 'argoproj.io', versions: ['v1alpha1'] } as const;

/**
 * Containers have separate owners: the user who changed an image stays known when the controller changes the
 * container.
 */
const CONTAINERS: JsonObject = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: { ...described({ name: { type: 'string' } }), required: ['name'] },
};

/** https://github.com/argoproj/argo-rollouts/blob/master/manifests/crds/rollout-crd.yaml */
const argoRolloutResource: CustomResource = {
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
  properties: {
    spec: described({
      template: described({ spec: described({ containers: CONTAINERS, initContainers: CONTAINERS }) }),
    }),
  },
};

/** https://github.com/argoproj/argo-rollouts/blob/master/manifests/crds/analysis-run-crd.yaml */
const analysisRunResource: CustomResource = {
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
const analysisTemplateResource: CustomResource = {
  ...GROUP,
  kind: 'AnalysisTemplate',
  plural: 'analysistemplates',
  shortNames: ['at'],
  columns: [{ ...AGE_COLUMN, name: 'Age' }],
};

/** https://github.com/argoproj/argo-rollouts/blob/master/manifests/crds/experiment-crd.yaml */
const experimentResource: CustomResource = {
  ...GROUP,
  kind: 'Experiment',
  plural: 'experiments',
  shortNames: ['exp'],
  columns: [
    { name: 'Status', type: 'string', jsonPath: '.status.phase' },
    { ...AGE_COLUMN, name: 'Age' },
  ],
};

/** The definitions that Argo Rollouts installs in a cluster, to be created unchanged. */
export const argoCrds: readonly JsonObject[] = [
  argoRolloutResource,
  analysisRunResource,
  analysisTemplateResource,
  experimentResource,
].map(customResource);
