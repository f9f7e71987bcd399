import { setTimeout } from 'node:timers/promises';
import { createDeployment, IMAGE, setImage } from '@/e2e/cluster/deployments';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';

export interface RolloutsOptions {
  /** From one change to the next. */
  pauseMs?: number;
  /** The images are its tags. */
  repository?: string;
}

export interface ReadRollouts {
  readonly names: readonly string[];
  /** Resolves when no change is in progress. */
  stop(): Promise<void>;
}

/** Rolls out one image after the other in Deployments until it is stopped; the rollouts overlap. */
export async function startRollouts(
  cluster: ControlPlane,
  namespace: string,
  { pauseMs = 1_500, repository = IMAGE }: RolloutsOptions = {},
): Promise<ReadRollouts> {
  const names = ['cart', 'ledger', 'search'];
  // What the cluster pruned while no process observed it cannot be known.
  const spec = { revisionHistoryLimit: 10_000 };
  const first = { image: `${repository}:1.0`, replicas: 3, spec };
  for (const name of names) await createDeployment(cluster, namespace, name, first);
  const stopping = new AbortController();
  const run = async () => {
    for (let tag = 1; !stopping.signal.aborted; tag += 1) {
      const name = names[tag % names.length] ?? '';
      await setImage(cluster, namespace, name, `${repository}:2.${tag}`);
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
