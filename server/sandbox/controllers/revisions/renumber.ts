import { type World } from '@/server/sandbox/controllers/engine/world';
import { type ControllerRevision } from '@/server/sandbox/controllers/objects/workloads';

/** Gives a revision another number; its data stays untouched to the byte. Fails with `conflict` when it has changed. */
export function renumber(
  world: World,
  revision: ControllerRevision,
  number: number,
): Promise<ControllerRevision> {
  const { resourceVersion } = revision.metadata;
  return world.revisions.patch(revision, { resourceVersion }, undefined, { revision: number });
}
