import { spawnSync } from 'node:child_process';
import { hasGo } from '@/e2e/controlplane/build';
import { type Capabilities } from '@/e2e/controlplane/control-plane';
import { capabilitiesOf, testCluster } from '@/e2e/controlplane/test-cluster';

/** What a suite can need beyond an API server: what the cluster allows, and what is installed here. */
export type Need = keyof Capabilities | 'kubectl';

const WHY: Record<Need, string> = {
  disturb: 'the cluster may not be killed or frozen',
  audit: 'nobody tells what reached the API server',
  simulatedPods: 'pods do not do what their image says',
  kubectl: 'there is no kubectl here, nor Go to build one',
};

/**
 * Whether the chosen cluster gives what a suite needs: `describe.runIf(await needs('Reliability', 'disturb'))`. What
 * is left out is said loudly; throws Error on CI where something has to be installed.
 */
export async function needs(suite: string, ...wanted: Need[]): Promise<boolean> {
  const missing: Need[] = [];
  for (const need of wanted) if (!(await isGiven(need))) missing.push(need);
  if (missing.length === 0) return true;
  const why = missing.map((need) => WHY[need]).join('; ');
  if (missing.includes('kubectl') && process.env.CI === 'true') throw new Error(`${suite}: ${why}.`);
  process.stderr.write(`\n*** ${suite} LEFT OUT on the ${testCluster()} cluster: ${why}. ***\n\n`);

  return false;
}

async function isGiven(need: Need): Promise<boolean> {
  if (need !== 'kubectl') return capabilitiesOf(testCluster())[need];

  return (await hasGo()) || spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).status === 0;
}
