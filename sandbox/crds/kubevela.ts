import { type JsonObject } from '@/lib/kube/json';
import { customResource, type CustomResource } from '@/sandbox/crds/custom-resource';

const GROUP = { group: 'core.oam.dev', versions: ['v1beta1'] } as const;

/** https://github.com/kubevela/kubevela/blob/master/charts/vela-core/crds/core.oam.dev_applications.yaml */
const application: CustomResource = {
  ...GROUP,
  kind: 'Application',
  plural: 'applications',
  shortNames: ['app', 'velaapp'],
};

/** https://github.com/kubevela/kubevela/blob/master/charts/vela-core/crds/core.oam.dev_applicationrevisions.yaml */
const applicationRevision: CustomResource = {
  ...GROUP,
  kind: 'ApplicationRevision',
  plural: 'applicationrevisions',
  shortNames: ['apprev'],
};

/** The definitions of component types. https://kubevela.io/docs/platform-engineers/oam/x-definition/ */
const componentDefinition: CustomResource = {
  ...GROUP,
  kind: 'ComponentDefinition',
  plural: 'componentdefinitions',
  shortNames: ['comp'],
};

const traitDefinition: CustomResource = {
  ...GROUP,
  kind: 'TraitDefinition',
  plural: 'traitdefinitions',
  shortNames: ['trait'],
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
