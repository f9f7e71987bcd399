import { isTaken, wordsOf } from '@/server/sandbox/controllers/engine/resource';
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

/**
 * Does something to a pod of the set and says in an event how it went. Of a pod that still exists under the name nothing is
 * said: while it ends the set tries again and again.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/statefulset/stateful_pod_control.go (CreateStatefulPod)
 */
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
    if (!isTaken(error))
      recordFor(world, set, 'Warning', `Failed${verb}`, `${what} failed error: ${wordsOf(error)}`);
    throw error;
  }
}
