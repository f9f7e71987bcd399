import { startControlPlane } from '@/e2e/controlplane/control-plane';
import { FLEET_BEHAVIOURS } from '@/e2e/controlplane/fleet';
import { seedFleet } from '@/e2e/controlplane/seed';
import { startShiplog } from '@/e2e/support/shiplog';

/** One cluster with a small shop's fleet, and the production build in front of it, for all specs. */
export default async function setup(): Promise<() => Promise<void>> {
  const cluster = await startControlPlane({ behaviours: FLEET_BEHAVIOURS });
  try {
    await seedFleet(cluster);
    const shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin });
    process.env.SHIPLOG_URL = shiplog.url;
    process.env.SHIPLOG_E2E_KUBECONFIG = cluster.kubeconfigs.admin;
    process.env.SHIPLOG_E2E_KUBECTL = cluster.kubectlPath;
    return async () => {
      await shiplog.stop();
      await cluster.stop();
    };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}
