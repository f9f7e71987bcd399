import { type WorkloadKind } from '@/lib/workloads/kind';
import { daemonSet } from '@/lib/workloads/kinds/daemon-set';
import { deployment } from '@/lib/workloads/kinds/deployment';
import { statefulSet } from '@/lib/workloads/kinds/stateful-set';

/** Every kind of workload that Shiplog knows. This is the only list. */
export const workloadKinds: readonly WorkloadKind[] = [deployment, statefulSet, daemonSet];

const byResource = new Map(workloadKinds.map((kind) => [kind.resource.id, kind]));

/** The kind of a resource by its id (`deployments.apps`), or undefined for one that is no workload of ours. */
export function kindOf(resourceId: string): WorkloadKind | undefined {
  return byResource.get(resourceId);
}
