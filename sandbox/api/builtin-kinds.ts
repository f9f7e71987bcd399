import { AGE } from '@/sandbox/api/columns/age';
import { NAMESPACE_COLUMNS, NODE_COLUMNS } from '@/sandbox/api/columns/cluster';
import { POD_COLUMNS } from '@/sandbox/api/columns/pods';
import {
  CONTROLLER_REVISION_COLUMNS,
  DAEMON_SET_COLUMNS,
  DEPLOYMENT_COLUMNS,
  REPLICA_SET_COLUMNS,
  STATEFUL_SET_COLUMNS,
} from '@/sandbox/api/columns/workloads';
import { type ReviewKind } from '@/sandbox/api/kind-table';
import { type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import { schemaOf } from '@/sandbox/api/schema';
import {
  budgetStrategy,
  customResourceDefinitionStrategy,
  namespaceStrategy,
  podStrategy,
  secretStrategy,
} from '@/sandbox/api/strategies/core';
import {
  controllerRevisionStrategy,
  daemonSetStrategy,
  deploymentStrategy,
  replicaSetStrategy,
  statefulSetStrategy,
} from '@/sandbox/api/strategies/workload';

type KindParts = Pick<ResourceKind, 'group' | 'kind'> & Partial<ResourceKind>;

/** Fills in the defaults of most kinds. */
export function defineKind(parts: KindParts): ResourceKind {
  const singular = parts.kind.toLowerCase();

  return {
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

function builtin(group: string, kind: string, parts: Partial<ResourceKind> = {}): ResourceKind {
  return defineKind({ group, kind, schema: schemaOf(kind), ...parts });
}

const ALL = ['all'];
const EVENT_FIELDS = [
  'involvedObject.kind',
  'involvedObject.namespace',
  'involvedObject.name',
  'involvedObject.uid',
  'involvedObject.apiVersion',
  'reason',
  'type',
];

/** The built-in kinds of Kubernetes. */
export const BUILTIN_KINDS: readonly ResourceKind[] = [
  builtin('', 'Namespace', {
    shortNames: ['ns'],
    namespaced: false,
    subresources: ['status'],
    fields: ['status.phase'],
    columns: NAMESPACE_COLUMNS,
    strategy: namespaceStrategy,
  }),
  builtin('', 'Node', {
    shortNames: ['no'],
    namespaced: false,
    subresources: ['status'],
    columns: NODE_COLUMNS,
  }),
  builtin('', 'Pod', {
    shortNames: ['po'],
    categories: ALL,
    subresources: ['status', 'log', 'binding'],
    hasGeneration: true,
    fields: ['spec.nodeName', 'status.phase'],
    columns: POD_COLUMNS,
    strategy: podStrategy,
  }),
  builtin('', 'Event', { shortNames: ['ev'], fields: EVENT_FIELDS }),
  builtin('', 'ConfigMap', { shortNames: ['cm'] }),
  builtin('', 'Secret', { fields: ['type'], strategy: secretStrategy }),
  builtin('', 'ServiceAccount', { shortNames: ['sa'] }),
  builtin('', 'Service', { shortNames: ['svc'], categories: ALL, subresources: ['status'] }),
  builtin('', 'PersistentVolumeClaim', { shortNames: ['pvc'], subresources: ['status'] }),
  builtin('', 'ResourceQuota', { shortNames: ['quota'], subresources: ['status'] }),
  builtin('', 'LimitRange', { shortNames: ['limits'] }),
  builtin('apps', 'Deployment', {
    shortNames: ['deploy'],
    categories: ALL,
    subresources: ['status', 'scale'],
    hasGeneration: true,
    columns: DEPLOYMENT_COLUMNS,
    strategy: deploymentStrategy,
  }),
  builtin('apps', 'ReplicaSet', {
    shortNames: ['rs'],
    categories: ALL,
    subresources: ['status', 'scale'],
    hasGeneration: true,
    columns: REPLICA_SET_COLUMNS,
    strategy: replicaSetStrategy,
  }),
  builtin('apps', 'StatefulSet', {
    shortNames: ['sts'],
    categories: ALL,
    subresources: ['status', 'scale'],
    hasGeneration: true,
    columns: STATEFUL_SET_COLUMNS,
    strategy: statefulSetStrategy,
  }),
  builtin('apps', 'DaemonSet', {
    shortNames: ['ds'],
    categories: ALL,
    subresources: ['status'],
    hasGeneration: true,
    columns: DAEMON_SET_COLUMNS,
    strategy: daemonSetStrategy,
  }),
  builtin('apps', 'ControllerRevision', {
    columns: CONTROLLER_REVISION_COLUMNS,
    strategy: controllerRevisionStrategy,
  }),
  builtin('policy', 'PodDisruptionBudget', {
    shortNames: ['pdb'],
    subresources: ['status'],
    hasGeneration: true,
    strategy: budgetStrategy,
  }),
  builtin('autoscaling', 'HorizontalPodAutoscaler', {
    versions: ['v2'],
    shortNames: ['hpa'],
    categories: ALL,
    subresources: ['status'],
  }),
  defineKind({
    group: 'apiextensions.k8s.io',
    kind: 'CustomResourceDefinition',
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    namespaced: false,
    subresources: ['status'],
    hasGeneration: true,
    strategy: customResourceDefinitionStrategy,
  }),
  defineKind({
    group: 'networking.k8s.io',
    kind: 'Ingress',
    plural: 'ingresses',
    shortNames: ['ing'],
    subresources: ['status'],
    hasGeneration: true,
  }),
  builtin('coordination.k8s.io', 'Lease'),
];

/** Reviews, which are answered at once and not stored. */
// prettier-ignore
export const REVIEW_KINDS: readonly ReviewKind[] = [
  { group: 'authentication.k8s.io', version: 'v1', kind: 'SelfSubjectReview', plural: 'selfsubjectreviews', namespaced: false },
  { group: 'authorization.k8s.io', version: 'v1', kind: 'SelfSubjectAccessReview', plural: 'selfsubjectaccessreviews', namespaced: false },
  { group: 'authorization.k8s.io', version: 'v1', kind: 'SelfSubjectRulesReview', plural: 'selfsubjectrulesreviews', namespaced: false },
  { group: 'authorization.k8s.io', version: 'v1', kind: 'SubjectAccessReview', plural: 'subjectaccessreviews', namespaced: false },
];
