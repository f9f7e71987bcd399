import { type JsonObject } from '@/lib/kube/json';
import { AGE_COLUMN, customResource, type CustomResource } from '@/sandbox/crds/custom-resource';

const GROUP = { group: 'core.oam.dev', versions: ['v1beta1'] } as const;

/** https://github.com/kubevela/kubevela/blob/master/charts/vela-core/crds/core.oam.dev_applications.yaml */
const application: CustomResource = {
  ...GROUP,
  kind: 'Application',
  plural: 'applications',
  shortNames: ['app', 'velaapp'],
  columns: [
    { name: 'COMPONENT', type: 'string', jsonPath: '.spec.components[*].name' },
    { name: 'TYPE', type: 'string', jsonPath: '.spec.components[*].type' },
    { name: 'PHASE', type: 'string', jsonPath: '.status.status' },
    { name: 'HEALTHY', type: 'boolean', jsonPath: '.status.services[*].healthy' },
    { name: 'STATUS', type: 'string', jsonPath: '.status.services[*].message' },
    AGE_COLUMN,
  ],
};

/** https://github.com/kubevela/kubevela/blob/master/charts/vela-core/crds/core.oam.dev_applicationrevisions.yaml */
const applicationRevision: CustomResource = {
  ...GROUP,
  kind: 'ApplicationRevision',
  plural: 'applicationrevisions',
  shortNames: ['apprev'],
  columns: [
    AGE_COLUMN,
    {
      name: 'PUBLISH_VERSION',
      type: 'string',
      jsonPath: ".metadata.annotations['app\\.oam\\.dev\\/publishVersion']",
    },
    { name: 'SUCCEEDED', type: 'string', jsonPath: '.status.succeeded' },
  ],
};

/** The definitions of component types. https://kubevela.io/docs/platform-engineers/oam/x-definition/ */
const componentDefinition: CustomResource = {
  ...GROUP,
  kind: 'ComponentDefinition',
  plural: 'componentdefinitions',
  shortNames: ['comp'],
  columns: [
    { name: 'WORKLOAD-KIND', type: 'string', jsonPath: '.spec.workload.definition.kind' },
    AGE_COLUMN,
  ],
};

const traitDefinition: CustomResource = {
  ...GROUP,
  kind: 'TraitDefinition',
  plural: 'traitdefinitions',
  shortNames: ['trait'],
  columns: [AGE_COLUMN],
};

/**
 * The definitions that KubeVela installs in a cluster, as far as the sandbox needs them, to be created
 * unchanged.
 */
export const kubevelaCrds: readonly JsonObject[] = [
  application,
  applicationRevision,
  componentDefinition,
  traitDefinition,
].map(customResource);
