import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { JsonObject } from '@/lib/kube/json';

export interface CustomResource {
  group: string;
  kind: string;
  plural: string;
  /** The stored version comes first; all are served alike. */
  versions: readonly string[];
  namespaced?: boolean;
  shortNames?: readonly string[];
  /** Whether its status is a subresource; true by default. */
  hasStatus?: boolean;
  /** JSON paths of the status for a Scale; without them there is none. */
  scale?: { statusReplicas: string; selector: string };
  /** The schema of the fields; empty by default. */
  properties?: JsonObject;
}

/**
 * The manifest of a kind that another project defines, as far as the sandbox needs it: names, versions,
 * status. Fields without a schema are stored as its own controllers write them.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/
 */
export function customResource(resource: CustomResource): JsonObject {
  const { group, kind, plural, versions, namespaced = true, shortNames = [] } = resource;
  const { hasStatus = true, scale, properties } = resource;
  const scalePaths = scale && {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: scale.statusReplicas,
    labelSelectorPath: scale.selector,
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames: shortNames.length > 0 ? [...shortNames] : undefined,
      },
      scope: namespaced ? 'Namespaced' : 'Cluster',
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: described(properties) },
        subresources: { status: hasStatus ? {} : undefined, scale: scalePaths },
      })),
    },
  };
}

/** An object with these members, and any others. */
function described(properties?: JsonObject): JsonObject {
  return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties };
}

type More = Partial<CustomResource>;

/** The definitions of a group, whose versions are the same. */
function definer(group: string, ...versions: string[]): (kind: string, more?: More) => JsonObject {
  return (kind, more = {}) => {
    const plural = `${kind.toLowerCase().replace(/y$/, 'ie')}s`;
    return customResource({ group, kind, plural, versions, ...more });
  };
}

const pods = { statusReplicas: '.status.replicas', selector: '.status.labelSelector' };

/** https://github.com/openkruise/kruise/tree/master/config/crd/bases */
const apps = definer('apps.kruise.io', 'v1beta1', 'v1alpha1');
export const cloneSetCrd = apps('CloneSet', { shortNames: ['clone'], scale: pods });

/** https://github.com/openkruise/rollouts/tree/master/config/crd/bases */
const rollouts = definer('rollouts.kruise.io', 'v1beta1', 'v1alpha1');
export const rolloutCrd = rollouts('Rollout');
export const batchReleaseCrd = rollouts('BatchRelease');
const rolloutsAlpha = definer('rollouts.kruise.io', 'v1alpha1');
export const rolloutHistoryCrd = rolloutsAlpha('RolloutHistory');

/** The definitions that OpenKruise installs in a cluster, to be created unchanged. */
export const kruiseCrds: readonly JsonObject[] = [
  cloneSetCrd,
  apps('StatefulSet', { shortNames: ['sts', 'asts'], scale: pods }),
  apps('DaemonSet', { shortNames: ['daemon', 'ads'] }),
  rolloutCrd,
  batchReleaseCrd,
  rolloutsAlpha('TrafficRouting'),
  rolloutHistoryCrd,
];

/** https://github.com/kubernetes-sigs/gateway-api/tree/main/config/crd/standard */
export const httpRouteCrd = definer('gateway.networking.k8s.io', 'v1', 'v1beta1')('HTTPRoute');

/** https://github.com/kubernetes-sigs/lws/tree/main/config/crd/bases */
export const leaderWorkerSetCrd = definer('leaderworkerset.x-k8s.io', 'v1')('LeaderWorkerSet', {
  shortNames: ['lws'],
  scale: { statusReplicas: '.status.replicas', selector: '.status.hpaPodSelector' },
});

/**
 * Containers have separate owners: the user who changed an image stays known when the controller changes the
 * container.
 */
const containers: JsonObject = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: { ...described({ name: { type: 'string' } }), required: ['name'] },
};

const argoproj = definer('argoproj.io', 'v1alpha1');

/**
 * The definitions that Argo Rollouts installs in a cluster, to be created unchanged.
 * https://github.com/argoproj/argo-rollouts/tree/master/manifests/crds
 */
export const argoCrds: readonly JsonObject[] = [
  argoproj('Rollout', {
    shortNames: ['ro'],
    scale: { statusReplicas: '.status.HPAReplicas', selector: '.status.selector' },
    properties: {
      spec: described({
        template: described({ spec: described({ containers, initContainers: containers }) }),
      }),
    },
  }),
  argoproj('AnalysisRun', { shortNames: ['ar'] }),
  argoproj('AnalysisTemplate', { shortNames: ['at'] }),
  argoproj('Experiment', { shortNames: ['exp'] }),
];

/** Of Argo CD, whose controller writes the status of an Application with the rest of it, and of Flux. */
export const gitopsCrds: readonly JsonObject[] = [
  argoproj('Application', { hasStatus: false }),
  argoproj('ApplicationSet'),
  argoproj('AppProject', { hasStatus: false }),
  definer('kustomize.toolkit.fluxcd.io', 'v1')('Kustomization'),
  definer('helm.toolkit.fluxcd.io', 'v2')('HelmRelease'),
];

const coreOam = definer('core.oam.dev', 'v1beta1');

/**
 * The definitions that KubeVela installs in a cluster, as far as the sandbox needs them.
 * https://github.com/kubevela/kubevela/tree/master/charts/vela-core/crds
 */
export const kubevelaCrds: readonly JsonObject[] = [
  coreOam('Application', { shortNames: ['app', 'velaapp'] }),
  coreOam('ApplicationRevision', { shortNames: ['apprev'] }),
  coreOam('ComponentDefinition', { shortNames: ['comp'] }),
  coreOam('TraitDefinition', { shortNames: ['trait'] }),
];

/** The definition that Shiplog's own controller is installed with. */
export function oamRolloutCrd(): JsonObject {
  const file = new URL('../../deploy/oam-rollout/rollouts.yaml', import.meta.url);
  return parse(readFileSync(file, 'utf8')) as JsonObject;
}

/** https://github.com/fluxcd/flagger/blob/main/artifacts/flagger/crd.yaml */
const canaryCrd = definer('flagger.app', 'v1beta1')('Canary', { shortNames: ['cd'] });
/** https://github.com/vllm-project/aibrix/tree/main/config/crd/orchestration */
const stormServiceCrd = definer('orchestration.aibrix.ai', 'v1alpha1')('StormService');

/** The definitions in groups, of which a cluster has all or none. */
export function definitionGroups(): readonly (readonly JsonObject[])[] {
  return [
    [...kruiseCrds, httpRouteCrd],
    [leaderWorkerSetCrd],
    argoCrds,
    [canaryCrd],
    [stormServiceCrd],
    [oamRolloutCrd()],
    kubevelaCrds,
    ...gitopsCrds.map((definition) => [definition]),
  ];
}
