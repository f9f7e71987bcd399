import { GO_MISSING, hasGo } from '@/e2e/controlplane/build';

/**
 * Whether the suites on a real cluster can run here: `describe.runIf(await requireGo())`. Where they cannot, it
 * prints that; on CI that is a failure, because skipped suites of a green run go unnoticed.
 */
export async function requireGo(): Promise<boolean> {
  if (process.env.SHIPLOG_TEST_KUBECONFIG || (await hasGo())) return true;
  if (process.env.CI === 'true') throw new Error(GO_MISSING);
  process.stderr.write(`\n*** The suites on a real Kubernetes cluster are LEFT OUT. ${GO_MISSING} ***\n\n`);

  return false;
}
