import { pathTo } from '@/server/cluster/request-guard';

/** A kind of object and its path in the API server. */
export interface ObjectType {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

const apps = (kind: string, plural: string): ObjectType => ({
  apiVersion: 'apps/v1',
  kind,
  plural,
  namespaced: true,
});

export const DEPLOYMENTS = apps('Deployment', 'deployments');
export const REPLICA_SETS = apps('ReplicaSet', 'replicasets');
export const STATEFUL_SETS = apps('StatefulSet', 'statefulsets');
export const DAEMON_SETS = apps('DaemonSet', 'daemonsets');
export const CONTROLLER_REVISIONS = apps('ControllerRevision', 'controllerrevisions');
export const PODS: ObjectType = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
export const NODES: ObjectType = { apiVersion: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };
export const CLAIMS: ObjectType = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  namespaced: true,
};

export const CUSTOM_RESOURCE_DEFINITIONS: ObjectType = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

/** Path of the collection, of one namespace or of all. */
export function collectionPath(type: ObjectType, namespace?: string): string {
  const group = type.apiVersion.includes('/') ? ['apis', ...type.apiVersion.split('/')] : ['api', 'v1'];
  const inside = type.namespaced && namespace !== undefined ? ['namespaces', namespace] : [];
  return pathTo(...group, ...inside, type.plural);
}

export function objectPath(
  type: ObjectType,
  namespace: string | undefined,
  name: string,
  subresource?: string,
): string {
  return collectionPath(type, namespace) + pathTo(name, ...(subresource === undefined ? [] : [subresource]));
}
