import { type ControlPlane } from '@/e2e/controlplane/control-plane';

/**
 * Whether the suite may kill, freeze and audit the cluster. A cluster given by the environment is not ours to break;
 * what is left out there is said loudly.
 */
export function ownCluster(suite: string): boolean {
  if (!process.env.SHIPLOG_TEST_KUBECONFIG) return true;
  process.stderr.write(
    `\n*** ${suite} LEFT OUT: it would disturb or audit the cluster of SHIPLOG_TEST_KUBECONFIG. ***\n\n`,
  );

  return false;
}

/** Says loudly that nobody checks what reached the API server, where it writes no audit log for us. */
export function warnWithoutAudit({ capabilities }: ControlPlane, suite: string): void {
  if (capabilities.audit) return;
  process.stderr.write(
    `\n*** ${suite}: what reached the API server is NOT CHECKED, for this cluster has no audit log to read. ***\n\n`,
  );
}
