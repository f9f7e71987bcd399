import { type World } from '@/server/sandbox/controllers/engine/world';
import { runAdvancedDaemonSets } from '@/server/sandbox/controllers/kruise/advanced-daemon-set/advanced-daemon-set-controller';
import { runAdvancedStatefulSets } from '@/server/sandbox/controllers/kruise/advanced-stateful-set/advanced-stateful-set-controller';
import { runCloneSets } from '@/server/sandbox/controllers/kruise/clone-set/clone-set-controller';
import { runRolloutManager } from '@/server/sandbox/controllers/kruise/rollout/rollout-manager';

/** The controllers of OpenKruise; each works while its kind is served, and does nothing else. */
export function runKruise(world: World): void {
  runCloneSets(world);
  runAdvancedStatefulSets(world);
  runAdvancedDaemonSets(world);
  runRolloutManager(world);
}
