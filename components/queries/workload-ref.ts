/** A workload as in paths. `namespace` is `-` for a cluster-scoped one. */
export interface WorkloadRef {
  /** `{plural}.{group}`: `deployments.apps`. */
  resource: string;
  namespace: string;
  name: string;
}

/** From the parameters of a page's path. */
export async function readWorkloadRef(
  params: Promise<{ [Part in keyof WorkloadRef]: string }>,
): Promise<WorkloadRef> {
  const { resource, namespace, name } = await params;
  return {
    resource: decodeURIComponent(resource),
    namespace: decodeURIComponent(namespace),
    name: decodeURIComponent(name),
  };
}

/** Path of a workload's page; `rest` is appended as given. */
export function workloadPagePath({ resource, namespace, name }: WorkloadRef, rest = ''): string {
  return `/workloads/${encodeURIComponent(resource)}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}${rest}`;
}

/** Start of the query key of everything that a change of this workload invalidates. */
export function workloadKey({ resource, namespace, name }: WorkloadRef) {
  return ['workload', resource, namespace, name] as const;
}
