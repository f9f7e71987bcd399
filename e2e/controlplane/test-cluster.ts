import { type Capabilities } from '@/e2e/controlplane/control-plane';

/** The real control plane, the embedded sandbox, or a cluster that somebody lends to the tests. */
export type TestCluster = 'real' | 'sandbox' | 'given';

/** What each simulated node offers. */
export const NODE_CAPACITY = { cpu: '64', memory: '256Gi', pods: '5000' };

const CAPABILITIES: Record<TestCluster, Capabilities> = {
  real: { disturb: true, audit: true, simulatedPods: true },
  sandbox: { disturb: true, audit: true, simulatedPods: true },
  given: { disturb: false, audit: false, simulatedPods: false },
};

/**
 * The cluster that SHIPLOG_TEST_CLUSTER chooses, `real` unless it is set; SHIPLOG_TEST_KUBECONFIG lends one in place
 * of the real one. Throws RangeError on a name that means no cluster.
 */
export function testCluster(): TestCluster {
  const name = process.env.SHIPLOG_TEST_CLUSTER || 'real';
  if (name === 'sandbox') return name;
  if (name !== 'real') throw new RangeError(`SHIPLOG_TEST_CLUSTER is ${name}; it is real or sandbox.`);

  return process.env.SHIPLOG_TEST_KUBECONFIG ? 'given' : 'real';
}

/** What that cluster allows; known before it runs, so that a suite can say what it needs. */
export function capabilitiesOf(cluster: TestCluster): Capabilities {
  return CAPABILITIES[cluster];
}
