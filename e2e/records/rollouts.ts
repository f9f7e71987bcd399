import { setTimeout } from 'node:timers/promises';
import { createDeployment, IMAGE, setImage } from '@/e2e/cluster/deployments';
import { type ControlPlane } from '@/e2e/controlplane/running-cluster';

export interface Rollouts {
  readonly names: readonly string[];
  /** Resolves when no change is in progress. */
  stop(): Promise<void>;
}

/**
 * Rolls out one image after the other in Deployments until it is stopped; the rollouts overlap. The pause is from one
 * change to the next.
 */
export async function startRollouts(
  cluster: ControlPlane,
  namespace: string,
  pauseMs = 1_500,
): Promise<Rollouts> {
  const names = ['cart', 'ledger', 'search'];
  // What the cluster pruned while no process observed it cannot be known.
  const spec = { revisionHistoryLimit: 10_000 };
  for (const name of names) await createDeployment(cluster, namespace, name, { replicas: 3, spec });
  const stopping = new AbortController();
  const run = async () => {
    for (let tag = 1; !stopping.signal.aborted; tag += 1) {
      const name = names[tag % names.length] ?? '';
      await setImage(cluster, namespace, name, `${IMAGE}:2.${tag}`);
      await setTimeout(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    names,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
