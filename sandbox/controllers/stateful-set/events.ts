import { isAlreadyExists, errorText } from '@/sandbox/controllers/engine/resource';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { type StatefulSet } from '@/sandbox/controllers/objects/workloads';

const SOURCE = { component: 'statefulset-controller' };

export function recordFor(
  manager: ControllerManager,
  set: StatefulSet,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
): void {
  manager.events.record({ about: set, type, reason, message, source: SOURCE });
}

/**
 * Executes an action on a pod of the set and writes an event with the result. Without an event while a pod of
 * that name still terminates, since the set retries again and again.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/statefulset/stateful_pod_control.go (CreateStatefulPod)
 */
export async function recorded(
  manager: ControllerManager,
  set: StatefulSet,
  verb: 'Create' | 'Update' | 'Delete',
  pod: string,
  act: () => Promise<unknown>,
): Promise<void> {
  const what = `${verb} Pod ${pod} in StatefulSet ${set.metadata.name}`;
  try {
    await act();
    recordFor(manager, set, 'Normal', `Successful${verb}`, `${what} successful`);
  } catch (error) {
    if (!isAlreadyExists(error))
      recordFor(manager, set, 'Warning', `Failed${verb}`, `${what} failed error: ${errorText(error)}`);
    throw error;
  }
}
