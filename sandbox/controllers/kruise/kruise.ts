import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import { runAdvancedDaemonSets } from '@/sandbox/controllers/kruise/advanced-daemon-set';
import { runAdvancedStatefulSets } from '@/sandbox/controllers/kruise/advanced-stateful-set';
import { runCloneSets } from '@/sandbox/controllers/kruise/clone-set';
import { runRollouts } from '@/sandbox/controllers/kruise/rollout/rollout-controller';
import { runRolloutHistories } from '@/sandbox/controllers/kruise/rollout/rollout-history';

/** The controllers of OpenKruise; each is active only while its kind is served. */
export function runKruise(manager: ControllerManager): void {
  runCloneSets(manager);
  runAdvancedStatefulSets(manager);
  runAdvancedDaemonSets(manager);
  runRollouts(manager);
  runRolloutHistories(manager);
}
