import { wordsOf } from '@/server/sandbox/controllers/engine/resource';
import { type World } from '@/server/sandbox/controllers/engine/world';
import { type StatefulSet } from '@/server/sandbox/controllers/objects/workloads';

const SOURCE = { component: 'statefulset-controller' };

export function recordFor(
  world: World,
  set: StatefulSet,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
): void {
  world.events.record({ about: set, type, reason, message, source: SOURCE });
}

/** Does something to a pod of the set and says in an event how it went. */
export async function recorded(
  world: World,
  set: StatefulSet,
  verb: 'Create' | 'Update' | 'Delete',
  pod: string,
  act: () => Promise<unknown>,
): Promise<void> {
  const what = `${verb} Pod ${pod} in StatefulSet ${set.metadata.name}`;
  try {
    await act();
    recordFor(world, set, 'Normal', `Successful${verb}`, `${what} successful`);
  } catch (error) {
    recordFor(world, set, 'Warning', `Failed${verb}`, `${what} failed error: ${wordsOf(error)}`);
    throw error;
  }
}
