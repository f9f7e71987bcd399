import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { type ControllerRevision } from '@/sandbox/controllers/objects/workloads';

/**
 * Gives a revision another number; its data stays the same to the byte. Fails with `conflict` when it has
 * changed.
 */
export function renumber(
  manager: ControllerManager,
  revision: ControllerRevision,
  number: number,
): Promise<ControllerRevision> {
  const { resourceVersion } = revision.metadata;
  return manager.revisions.patch(revision, { resourceVersion }, undefined, { revision: number });
}
