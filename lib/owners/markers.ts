import type { Owner, ToolName } from '@/lib/owners/owner';

type ObjectKind = Exclude<Owner['kind'], 'tool' | 'pipeline'>;

/** Where an owner leaves its name, and under which field managers it writes. */
export interface Marker {
  kind: ObjectKind;
  labels?: readonly string[];
  annotations?: readonly string[];
  /** Labels that others write too: evidence only beside one of the managers. */
  sharedLabels?: readonly string[];
  managers: readonly string[];
  /** Its server-side apply overrides conflicts. */
  forces?: true;
}

export const TRACKING_ID = 'argocd.argoproj.io/tracking-id';
export const INSTALLATION_ID = 'argocd.argoproj.io/installation-id';

/** In the order of a page. Owners of Flux have their namespace beside the name: `…/name` and `…/namespace`. */
export const markers: readonly Marker[] = [
  {
    kind: 'application',
    annotations: [TRACKING_ID],
    labels: ['argocd.argoproj.io/instance'],
    sharedLabels: ['app.kubernetes.io/instance'],
    managers: ['argocd-controller', 'argocd-application-controller'],
    forces: true,
  },
  {
    kind: 'kustomization',
    labels: ['kustomize.toolkit.fluxcd.io/name'],
    managers: ['kustomize-controller'],
    forces: true,
  },
  {
    kind: 'helmRelease',
    labels: ['helm.toolkit.fluxcd.io/name'],
    managers: ['helm-controller'],
    forces: true,
  },
  {
    kind: 'resourceSet',
    labels: ['resourceset.fluxcd.controlplane.io/name'],
    managers: ['flux-operator'],
    forces: true,
  },
  { kind: 'helm', annotations: ['meta.helm.sh/release-name'], managers: ['helm'] },
];

/** On everything that an Application of KubeVela has created. */
export const APPLICATION_LABEL = 'app.oam.dev/name';

interface Tool {
  tool: ToolName;
  labels?: readonly string[];
  annotations?: readonly string[];
  managers: readonly string[];
  forces?: true;
}

export const tools: readonly Tool[] = [
  {
    tool: 'Config Sync',
    annotations: ['configmanagement.gke.io/managed'],
    managers: ['configsync.gke.io'],
    forces: true,
  },
  {
    tool: 'Rancher Fleet',
    annotations: ['objectset.rio.cattle.io/id'],
    managers: ['fleetagent', 'fleet-agent'],
  },
  { tool: 'kapp', labels: ['kapp.k14s.io/app'], managers: ['kapp', 'kapp-controller'] },
  { tool: 'KubeVela', labels: [APPLICATION_LABEL], managers: ['kubevela', 'vela-core'] },
];

/** Ids of CI systems, as labels or annotations: of one deployment, or of what they deploy again and again. */
export const pipelines: readonly { key: string; tool: string; identifies: string }[] = [
  { key: 'Octopus.Deployment.Id', tool: 'Octopus Deploy', identifies: 'deployment' },
  { key: 'skaffold.dev/run-id', tool: 'Skaffold', identifies: 'run' },
  { key: 'harness.io/release-name', tool: 'Harness', identifies: 'release' },
  { key: 'app.gitlab.com/env', tool: 'GitLab', identifies: 'environment' },
  { key: 'moniker.spinnaker.io/application', tool: 'Spinnaker', identifies: 'application' },
  { key: 'project.werf.io/name', tool: 'werf', identifies: 'project' },
];

/** Marks on the object that exclude it from an owner of Flux, as label or annotation. */
export const exclusions: Partial<Record<ObjectKind, readonly { key: string; value: string }[]>> = {
  kustomization: [
    { key: 'kustomize.toolkit.fluxcd.io/reconcile', value: 'disabled' },
    { key: 'kustomize.toolkit.fluxcd.io/ssa', value: 'ignore' },
  ],
  helmRelease: [{ key: 'helm.toolkit.fluxcd.io/driftDetection', value: 'disabled' }],
};

const managers = new Set([...markers, ...tools].flatMap((marker) => marker.managers));
const runByPeople = new Set(['helm', 'kapp']);
const forcing = new Set(
  [...markers, ...tools].filter(({ forces }) => forces).flatMap((marker) => marker.managers),
);

/** Rolls out in steps what others have written. */
export const ROLLOUT_MANAGER = 'kruise-rollout';

/** Whether a field manager writes templates from a description elsewhere; one that rolls out in steps does not. */
export function isOwnerManager(manager: string): boolean {
  return managers.has(manager);
}

/** Whether such a field manager also writes when no person runs it. */
export function actsByItself(manager: string): boolean {
  return isOwnerManager(manager) && !runByPeople.has(manager);
}

/** Whether the next apply of this writer conflicts with a change by another one, as far as is known. */
export function appliesWithoutForce({ manager, operation }: { manager: string; operation: string }): boolean {
  return operation === 'Apply' && manager !== ROLLOUT_MANAGER && !forcing.has(manager);
}
