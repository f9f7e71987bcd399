import { daemonSetStatus } from '@/sandbox/controllers/daemon-set/status';
import {
  type AdvancedDaemonSet,
  type AdvancedDaemonSetStatus,
} from '@/sandbox/controllers/kruise/advanced-daemon-set/advanced-daemon-set';
import { type KubeNode } from '@/sandbox/controllers/objects/node';
import { type Pod } from '@/sandbox/controllers/objects/pod';

/**
 * As of a DaemonSet, with the hash of the current template. v1beta1 calls it the update revision; without
 * conversion, readers of both versions find it.
 * https://github.com/openkruise/kruise/blob/master/apis/apps/v1beta1/daemonset_types.go
 */
export function advancedDaemonStatus(
  set: AdvancedDaemonSet,
  nodes: readonly KubeNode[],
  byNode: ReadonlyMap<string, Pod[]>,
  hash: string,
  now: number,
): AdvancedDaemonSetStatus {
  const isNewer = !set.apiVersion.endsWith('/v1alpha1');
  const status = daemonSetStatus(set, nodes, byNode, hash, now);
  const { updatedNumberScheduled = 0, collisionCount = 0 } = status;
  return {
    ...status,
    updatedNumberScheduled,
    collisionCount,
    daemonSetHash: hash,
    ...(isNewer ? { updateRevision: hash } : {}),
  };
}
