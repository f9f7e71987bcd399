import { cleanUp } from '@/sandbox/controllers/deployment/cleanup';
import { syncRevision } from '@/sandbox/controllers/deployment/new-replica-set';
import { saveProgress } from '@/sandbox/controllers/deployment/progress';
import { activeOf, type Sets } from '@/sandbox/controllers/deployment/replica-sets';
import { type DeploymentReconcile } from '@/sandbox/controllers/deployment/deployment-reconcile';
import { resize } from '@/sandbox/controllers/deployment/scale';
import { isComplete } from '@/sandbox/controllers/deployment/status';
import { sumOf } from '@/sandbox/controllers/objects/amounts';
import { isTerminal } from '@/sandbox/controllers/objects/pod';

/**
 * All old pods end before a new one starts.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/recreate.go
 */
export async function recreate(rollout: DeploymentReconcile): Promise<void> {
  const present = await syncRevision(rollout, false);
  const active = activeOf(present.old);
  for (const old of active) await resize(rollout, old, 0);
  if (active.length > 0 || oldPodsRun(rollout, present)) {
    await saveProgress(rollout, present);
    return;
  }
  const sets = present.fresh === undefined ? await syncRevision(rollout, true) : present;
  if (sets.fresh !== undefined) await resize(rollout, sets.fresh, rollout.deployment.spec.replicas);
  if (isComplete(rollout.deployment, rollout.deployment.status)) await cleanUp(rollout, sets.old);
  await saveProgress(rollout, sets);
}

function oldPodsRun(rollout: DeploymentReconcile, { old }: Sets): boolean {
  if (sumOf(old, ({ status }) => status.replicas) > 0) return true;
  return old.some((set) => rollout.podsOf(set).some((pod) => !isTerminal(pod)));
}
