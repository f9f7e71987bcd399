import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { isAlreadyExists } from '@/sandbox/controllers/engine/resource';
import { type StatefulSet } from '@/sandbox/controllers/objects/workloads';
import { claimName } from '@/sandbox/controllers/stateful-set/pods';

/** Creates the missing volume claims of one pod of the set; they outlive it. */
export async function createClaims(
  manager: ControllerManager,
  set: StatefulSet,
  ordinal: number,
): Promise<void> {
  const { namespace } = set.metadata;
  const matchLabels = set.spec.selector.matchLabels as Record<string, string> | undefined;
  for (const { metadata, spec } of set.spec.volumeClaimTemplates ?? []) {
    const name = claimName(set, metadata.name, ordinal);
    if (manager.claims.store.get(`${namespace ?? '-'}/${name}`) !== undefined) continue;
    const labels = { ...metadata.labels, ...matchLabels };
    try {
      await manager.claims.create(namespace, { metadata: { ...metadata, name, labels }, spec });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }
}
