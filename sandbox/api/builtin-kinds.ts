import { AGE, COLUMNS } from '@/sandbox/api/columns';
import type { ResourceKind, ReviewKind, Subresource } from '@/sandbox/api/objects/resource-kind';
import { schemaOf } from '@/sandbox/api/schema';
import { STRATEGIES } from '@/sandbox/api/strategies';

/** Fills in the defaults of most kinds. */
export function defineKind(group: string, kind: string, parts: Partial<ResourceKind> = {}): ResourceKind {
  const singular = kind.toLowerCase();
  return {
    group,
    kind,
    versions: ['v1'],
    plural: `${singular}s`,
    singular,
    shortNames: [],
    categories: [],
    namespaced: true,
    subresources: [],
    hasGeneration: false,
    schema: undefined,
    keyedLists: undefined,
    fields: [],
    columns: [AGE],
    strategy: {},
    ...parts,
  };
}

function builtin(
  group: string,
  kind: string,
  shortName: string,
  subresources: readonly Subresource[] = [],
  parts: Partial<ResourceKind> = {},
): ResourceKind {
  return defineKind(group, kind, {
    shortNames: shortName === '' ? [] : [shortName],
    subresources,
    schema: schemaOf(kind),
    columns: COLUMNS[kind] ?? [AGE],
    strategy: STRATEGIES[kind] ?? {},
    ...parts,
  });
}

const CATEGORIES = { categories: ['all'] };
const WORKLOAD = { ...CATEGORIES, hasGeneration: true };
const CLUSTER = { namespaced: false };
const INVOLVED = ['kind', 'namespace', 'name', 'uid', 'apiVersion'];

/** The built-in kinds of Kubernetes. */
export const BUILTIN_KINDS: readonly ResourceKind[] = [
  builtin('', 'Namespace', 'ns', ['status'], { ...CLUSTER, fields: ['status.phase'] }),
  builtin('', 'Node', 'no', ['status'], CLUSTER),
  builtin('', 'Pod', 'po', ['status', 'log', 'binding'], {
    ...WORKLOAD,
    fields: ['spec.nodeName', 'status.phase'],
  }),
  builtin('', 'Event', 'ev', [], {
    fields: [...INVOLVED.map((name) => `involvedObject.${name}`), 'reason', 'type'],
  }),
  builtin('', 'ConfigMap', 'cm'),
  builtin('', 'Secret', '', [], { fields: ['type'] }),
  builtin('', 'ServiceAccount', 'sa'),
  builtin('', 'Service', 'svc', ['status'], CATEGORIES),
  builtin('', 'PersistentVolumeClaim', 'pvc', ['status']),
  builtin('', 'ResourceQuota', 'quota', ['status']),
  builtin('', 'LimitRange', 'limits'),
  builtin('apps', 'Deployment', 'deploy', ['status', 'scale'], WORKLOAD),
  builtin('apps', 'ReplicaSet', 'rs', ['status', 'scale'], WORKLOAD),
  builtin('apps', 'StatefulSet', 'sts', ['status', 'scale'], WORKLOAD),
  builtin('apps', 'DaemonSet', 'ds', ['status'], WORKLOAD),
  builtin('apps', 'ControllerRevision', ''),
  builtin('policy', 'PodDisruptionBudget', 'pdb', ['status'], { hasGeneration: true }),
  builtin('autoscaling', 'HorizontalPodAutoscaler', 'hpa', ['status'], { ...CATEGORIES, versions: ['v2'] }),
  defineKind('apiextensions.k8s.io', 'CustomResourceDefinition', {
    ...CLUSTER,
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    subresources: ['status'],
    hasGeneration: true,
    strategy: STRATEGIES.CustomResourceDefinition ?? {},
  }),
  defineKind('networking.k8s.io', 'Ingress', {
    plural: 'ingresses',
    shortNames: ['ing'],
    subresources: ['status'],
    hasGeneration: true,
  }),
  builtin('coordination.k8s.io', 'Lease', ''),
];

/** Reviews, which are answered at once and not stored. */
export const REVIEW_KINDS: readonly ReviewKind[] = [
  { group: 'authentication.k8s.io', kind: 'SelfSubjectReview', plural: 'selfsubjectreviews' },
  { group: 'authorization.k8s.io', kind: 'SelfSubjectAccessReview', plural: 'selfsubjectaccessreviews' },
  { group: 'authorization.k8s.io', kind: 'SelfSubjectRulesReview', plural: 'selfsubjectrulesreviews' },
  { group: 'authorization.k8s.io', kind: 'SubjectAccessReview', plural: 'subjectaccessreviews' },
];
