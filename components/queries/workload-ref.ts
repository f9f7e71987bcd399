import { clusterParam } from '@/components/queries/cluster';
import { nameKey } from '@/lib/kube/name-key';

/** A workload as in paths. `namespace` is `-` for a cluster-scoped one. */
export interface WorkloadRef {
  /** Id or name; undefined: the only one that has it. */
  cluster: string | undefined;
  /** `{plural}.{group}`: `deployments.apps`. */
  resource: string;
  namespace: string;
  name: string;
}

/** What Next gives the page of an object. */
export interface ObjectPageProps<Part extends string = 'resource' | 'namespace' | 'name'> {
  params: Promise<{ [Name in Part]: string }>;
  searchParams: Promise<{ cluster?: string | string[] }>;
}

/** From the address of a page. */
export async function readWorkloadRef({ params, searchParams }: ObjectPageProps): Promise<WorkloadRef> {
  const [{ resource, namespace, name }, { cluster }] = await Promise.all([params, searchParams]);
  return {
    cluster: [cluster].flat()[0],
    resource: decodeURIComponent(resource),
    namespace: decodeURIComponent(namespace),
    name: decodeURIComponent(name),
  };
}

/** Path of a workload's page; `rest` is appended as given. */
export function workloadPagePath(workload: WorkloadRef, rest = ''): string {
  return objectPagePath('/workloads', workload, rest);
}

/** Path of the page of an object, which names its cluster where there are several. */
export function objectPagePath(
  section: string,
  { resource, namespace, name, cluster }: WorkloadRef,
  rest: string,
): string {
  const path = [section, ...[resource, namespace, name].map(encodeURIComponent)].join('/') + rest;
  return withCluster(path, cluster);
}

/** The address with the cluster, where there are several. */
export function withCluster(path: string, cluster: string | undefined): string {
  const name = clusterParam(cluster);
  if (name === undefined) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ cluster: name })}`;
}

/**
 * Start of the query key of everything that a change of this workload invalidates. What changed in one cluster also
 * invalidates what has the same name in another.
 */
export function workloadKey({ resource, namespace, name, cluster }: WorkloadRef) {
  return ['workload', resource, namespace, name, clusterParam(cluster)] as const;
}

/** Key of a row in a list over all clusters. */
export function rowKeyOf(row: WorkloadRef): string {
  const name = clusterParam(row.cluster);
  return name === undefined ? nameKey(row) : `${name}/${nameKey(row)}`;
}
