import { type World } from '@/server/sandbox/controllers/engine/world';
import { runAdvancedDeployments } from '@/server/sandbox/controllers/kruise/batch-release/advanced-deployment-controller';
import { runBatchReleases } from '@/server/sandbox/controllers/kruise/batch-release/batch-release-controller';
import { runCloneSets } from '@/server/sandbox/controllers/kruise/clone-set/clone-set-controller';

/** The controllers of OpenKruise; each works while its kind is served, and does nothing else. */
export function runKruise(world: World): void {
  runCloneSets(world);
}
