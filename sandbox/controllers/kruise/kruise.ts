import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { runAdvancedDaemonSets } from '@/sandbox/controllers/kruise/advanced-daemon-set';
import { runAdvancedStatefulSets } from '@/sandbox/controllers/kruise/advanced-stateful-set';
import { runCloneSets } from '@/sandbox/controllers/kruise/clone-set';
import { runAdvancedDeployments } from '@/sandbox/controllers/kruise/batch-release/advanced-deployment-controller';
import { runBatchReleases } from '@/sandbox/controllers/kruise/batch-release/batch-release-controller';
import { runSteppedDaemonSets } from '@/sandbox/controllers/kruise/batch-release/daemon-set-controller';
import { runRollouts } from '@/sandbox/controllers/kruise/rollout/rollout-controller';
import { runRolloutHistories } from '@/sandbox/controllers/kruise/rollout-history/rollout-history-controller';

/** The controllers of OpenKruise; each is active only while its kind is served. */
export function runKruise(manager: ControllerManager): void {
  runCloneSets(manager);
  runAdvancedStatefulSets(manager);
  runAdvancedDaemonSets(manager);
  runRolloutManager(manager);
}

/** The controllers of Rollouts, with the features `AdvancedDeployment` and `RolloutHistory` on. */
function runRolloutManager(manager: ControllerManager): void {
  runAdvancedDeployments(manager);
  runSteppedDaemonSets(manager);
  runBatchReleases(manager);
  runRollouts(manager);
  runRolloutHistories(manager);
}
