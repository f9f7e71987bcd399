import { type JsonObject } from '@/lib/kube/json';
import { customResource } from '@/sandbox/crds/custom-resource';

const ARGO_CD = { group: 'argoproj.io', versions: ['v1alpha1'] } as const;

/** Of Argo CD, whose controller writes the status of an Application with the rest of it, and of Flux. */
export const gitopsCrds: readonly JsonObject[] = [
  customResource({
    ...ARGO_CD,
    kind: 'Application',
    plural: 'applications',
    hasStatus: false,
  }),
  customResource({ ...ARGO_CD, kind: 'ApplicationSet', plural: 'applicationsets' }),
  customResource({ ...ARGO_CD, kind: 'AppProject', plural: 'appprojects', hasStatus: false }),
  customResource({
    group: 'kustomize.toolkit.fluxcd.io',
    kind: 'Kustomization',
    plural: 'kustomizations',
    versions: ['v1'],
  }),
  customResource({
    group: 'helm.toolkit.fluxcd.io',
    kind: 'HelmRelease',
    plural: 'helmreleases',
    versions: ['v2'],
  }),
];
