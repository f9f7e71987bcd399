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
