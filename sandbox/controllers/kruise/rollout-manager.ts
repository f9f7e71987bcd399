import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { runAdvancedDeployments } from '@/sandbox/controllers/kruise/batch-release/advanced-deployment-controller';
import { runBatchReleases } from '@/sandbox/controllers/kruise/batch-release/batch-release-controller';
import { runSteppedDaemonSets } from '@/sandbox/controllers/kruise/batch-release/daemon-set-controller';
import { runRollouts } from '@/sandbox/controllers/kruise/rollout/rollout-controller';
import { runRolloutHistories } from '@/sandbox/controllers/kruise/rollout-history/rollout-history-controller';

/** The controllers of Rollouts, with the features `AdvancedDeployment` and `RolloutHistory` on. */
export function runRolloutManager(manager: ControllerManager): void {
  runAdvancedDeployments(manager);
  runSteppedDaemonSets(manager);
  runBatchReleases(manager);
  runRollouts(manager);
  runRolloutHistories(manager);
}
