import type { WorkloadKind } from '@/lib/workloads/kind';
import { advancedDaemonSet } from '@/lib/workloads/kinds/advanced-daemon-set';
import { advancedStatefulSet } from '@/lib/workloads/kinds/advanced-stateful-set';
import { application } from '@/lib/workloads/kinds/application';
import { argoRollout } from '@/lib/argo/argo-rollout';
import { cloneSet } from '@/lib/workloads/kinds/clone-set';
import { daemonSet } from '@/lib/workloads/kinds/daemon-set';
import { deployment } from '@/lib/workloads/kinds/deployment';
import { leaderWorkerSet } from '@/lib/workloads/kinds/leader-worker-set';
import { statefulSet } from '@/lib/workloads/kinds/stateful-set';
import { stormService } from '@/lib/workloads/kinds/storm-service';
import { kindLabel } from '@/lib/kube/resource';

/** Every kind of workload that Shiplog knows. This is the only list. */
export const workloadKinds: readonly WorkloadKind[] = [
  deployment,
  statefulSet,
  daemonSet,
  cloneSet,
  advancedStatefulSet,
  advancedDaemonSet,
  leaderWorkerSet,
  stormService,
  argoRollout,
  application,
];

/** Labels and annotations of pods that the cache stores for the kinds. */
export const podMetadataKeysOfKinds: ReadonlySet<string> = new Set(
  workloadKinds.flatMap(({ pods }) => pods.metadataKeys ?? []),
);

const byResource = new Map(workloadKinds.map((kind) => [kind.resource.id, kind]));

/** A kind for display, by its resource; also one that this version does not know. */
export function kindTitle({ resource, kind }: { resource: string; kind: string }): string {
  const known = kindOf(resource);
  return known === undefined ? kind : kindLabel(known.resource);
}

/**
 * The kind of a resource by its id (`deployments.apps`), or undefined where that is no workload known to
 * Shiplog.
 */
export function kindOf(resourceId: string): WorkloadKind | undefined {
  return byResource.get(resourceId);
}
