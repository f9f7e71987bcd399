import { type JsonObject } from '@/lib/kube/json';
import { customResource, type CustomResource, described } from '@/sandbox/crds/custom-resource';

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
};

/** https://github.com/argoproj/argo-rollouts/blob/master/manifests/crds/analysis-template-crd.yaml */
const analysisTemplateResource: CustomResource = {
  ...GROUP,
  kind: 'AnalysisTemplate',
  plural: 'analysistemplates',
  shortNames: ['at'],
};

/** https://github.com/argoproj/argo-rollouts/blob/master/manifests/crds/experiment-crd.yaml */
const experimentResource: CustomResource = {
  ...GROUP,
  kind: 'Experiment',
  plural: 'experiments',
  shortNames: ['exp'],
};

/** The definitions that Argo Rollouts installs in a cluster, to be created unchanged. */
export const argoCrds: readonly JsonObject[] = [
  argoRolloutResource,
  analysisRunResource,
  analysisTemplateResource,
  experimentResource,
].map(customResource);
