import { spawnSync } from 'node:child_process';
import { hasGo } from '@/e2e/controlplane/build';
import type { Capabilities } from '@/e2e/controlplane/running-cluster';
import { capabilitiesOf, testCluster } from '@/e2e/controlplane/test-cluster';

/** Requirements of a suite beyond an API server: what the cluster allows, and what is installed here. */
type Need = keyof Capabilities | 'kubectl';

const WHY: Record<Need, string> = {
  disturb: 'the cluster cannot be killed or frozen',
  audit: 'requests to the API server are not logged',
  simulatedPods: 'pods do not do what their image says',
  kubectl: 'neither kubectl nor Go to build it is installed',
};

/**
 * Whether the chosen cluster meets the requirements of a suite: `describe.runIf(await needs('Reliability',
 * 'disturb'))`. Skipped suites are printed; throws Error on CI where something must be installed.
 */
export async function needs(suite: string, ...required: Need[]): Promise<boolean> {
  const missing: Need[] = [];
  for (const need of required) if (!(await isMet(need))) missing.push(need);
  if (missing.length === 0) return true;
  const why = missing.map((need) => WHY[need]).join('; ');
  if (missing.includes('kubectl') && process.env.CI === 'true') throw new Error(`${suite}: ${why}.`);
  process.stderr.write(`\n*** ${suite} LEFT OUT on the ${testCluster()} cluster: ${why}. ***\n\n`);

  return false;
}

async function isMet(need: Need): Promise<boolean> {
  if (need !== 'kubectl') return capabilitiesOf(testCluster())[need];

  return (await hasGo()) || spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).status === 0;
}
