import { clusterParam } from '@/components/queries/cluster-names';

/** A workload as in paths. `namespace` is `-` for a cluster-scoped one. */
export interface WorkloadRef {
  /** Id or name of its cluster; undefined: the one that has it. */
  cluster: string | undefined;
  /** `{plural}.{group}`: `deployments.apps`. */
  resource: string;
  namespace: string;
  name: string;
}

/** What a page of a workload gets. */
export interface WorkloadPageProps {
  params: Promise<{ resource: string; namespace: string; name: string }>;
  searchParams: Promise<PageSearch>;
}

type PageSearch = Readonly<Record<string, string | string[] | undefined>>;

/** From the address of a page. */
export async function readWorkloadRef({ params, searchParams }: WorkloadPageProps): Promise<WorkloadRef> {
  const { resource, namespace, name } = await params;
  return {
    cluster: readCluster(await searchParams),
    resource: decodeURIComponent(resource),
    namespace: decodeURIComponent(namespace),
    name: decodeURIComponent(name),
  };
}

/** "shop/cart", and "shop/cart in prod-eu" where the address names the cluster: a title. */
export function placeOf({ cluster, namespace, name }: Omit<WorkloadRef, 'resource'>): string {
  return `${namespace}/${name}${cluster === undefined ? '' : ` in ${cluster}`}`;
}

export function readCluster({ cluster }: PageSearch): string | undefined {
  return typeof cluster === 'string' && cluster !== '' ? cluster : undefined;
}

/** Path of a workload's page; `rest` is appended as given. */
export function workloadPagePath(workload: WorkloadRef, rest = ''): string {
  return inCluster(`/workloads/${pathOf(workload)}${rest}`, workload.cluster);
}

/** `deployments.apps/shop/cart`, encoded. */
export function pathOf({ resource, namespace, name }: Omit<WorkloadRef, 'cluster'>): string {
  return [resource, namespace, name].map(encodeURIComponent).join('/');
}

/** A path with the cluster that it is about, where there are several. */
export function inCluster(path: string, cluster: string | undefined): string {
  const name = clusterParam(cluster);
  if (name === undefined) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ cluster: name })}`;
}

/** The query of a request about an object. */
export function clusterOf({ cluster }: Pick<WorkloadRef, 'cluster'>): { cluster: string | undefined } {
  return { cluster: clusterParam(cluster) };
}

/**
 * Start of the query key of everything that a change of this workload invalidates. Its cluster is at the end of such a
 * key.
 */
export function workloadKey({ resource, namespace, name }: Omit<WorkloadRef, 'cluster'>) {
  return ['workload', resource, namespace, name] as const;
}
