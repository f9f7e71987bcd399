import { type ControlPlane } from '@/e2e/controlplane/running-cluster';
import { startManager } from '@/sandbox/controllers/controllers';
import { runKruise } from '@/sandbox/controllers/kruise/kruise';
import { rolloutStartPolicies } from '@/sandbox/controllers/kruise/testing/rollout-start-policy';
import { loadCredentials } from '@/server/cluster/credentials';
import { createTransport } from '@/server/cluster/transport';
import { systemClock } from '@/server/shared/clock';
import { createLogger } from '@/server/shared/log';

/** Runs controllers of the sandbox next to the real ones, until the result is called; the sandbox runs all of them itself. */
export function runControllers(
  { kubeconfigs }: ControlPlane,
  run: Parameters<typeof startManager>[1],
): () => Promise<void> {
  const credentials = loadCredentials({ kind: 'kubeconfig', files: [kubeconfigs.seeder] });
  const transport = createTransport({ credentials, readOnly: false });
  const log = createLogger({ level: 'error' });
  const controllers = startManager({ transport, clock: systemClock, log }, run);
  return async () => {
    await controllers.stop();
    await transport.close();
  };
}

/** OpenKruise, with the policies that stand in for its webhook. */
export async function runKruiseControllers(cluster: ControlPlane): Promise<() => Promise<void>> {
  for (const policy of rolloutStartPolicies) {
    const plural = policy.kind === 'MutatingAdmissionPolicy' ? 'policies' : 'policybindings';
    await cluster.client().create(`/apis/admissionregistration.k8s.io/v1/mutatingadmission${plural}`, policy);
  }
  return runControllers(cluster, runKruise);
}
