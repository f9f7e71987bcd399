import { type World } from '@/server/sandbox/controllers/engine/world';
import { runAdvancedDeployments } from '@/server/sandbox/controllers/kruise/batch-release/advanced-deployment-controller';
import { runBatchReleases } from '@/server/sandbox/controllers/kruise/batch-release/batch-release-controller';
import { runSteppedDaemonSets } from '@/server/sandbox/controllers/kruise/batch-release/daemon-set-controller';
import { runRollouts } from '@/server/sandbox/controllers/kruise/rollout/rollout-controller';
import { runRolloutHistories } from '@/server/sandbox/controllers/kruise/rollout-history/rollout-history-controller';

/** The controllers of Rollouts, with the features `AdvancedDeployment` and `RolloutHistory` on. */
export function runRolloutManager(world: World): void {
  runAdvancedDeployments(world);
  runSteppedDaemonSets(world);
  runBatchReleases(world);
  runRollouts(world);
  runRolloutHistories(world);
}
