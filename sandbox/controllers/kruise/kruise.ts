import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { runAdvancedDaemonSets } from '@/sandbox/controllers/kruise/advanced-daemon-set/advanced-daemon-set-controller';
import { runAdvancedStatefulSets } from '@/sandbox/controllers/kruise/advanced-stateful-set/advanced-stateful-set-controller';
import { runCloneSets } from '@/sandbox/controllers/kruise/clone-set/clone-set-controller';
import { runRolloutManager } from '@/sandbox/controllers/kruise/rollout-manager';

/** The controllers of OpenKruise; each is active only while its kind is served. */
export function runKruise(manager: ControllerManager): void {
  runCloneSets(manager);
  runAdvancedStatefulSets(manager);
  runAdvancedDaemonSets(manager);
  runRolloutManager(manager);
}
