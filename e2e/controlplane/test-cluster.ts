import type { Capabilities } from '@/e2e/controlplane/running-cluster';

/** The real control plane, the embedded sandbox, or an existing cluster. */
type TestCluster = 'real' | 'sandbox' | 'given';

/** Capacity of each simulated node. */
export const NODE_CAPACITY = { cpu: '64', memory: '256Gi', pods: '5000' };

const CAPABILITIES: Record<TestCluster, Capabilities> = {
  real: { disturb: true, audit: true, simulatedPods: true },
  sandbox: { disturb: true, audit: true, simulatedPods: true },
  given: { disturb: false, audit: false, simulatedPods: false },
};

/**
 * The cluster that SHIPLOG_TEST_CLUSTER chooses, default `real`; SHIPLOG_TEST_KUBECONFIG names an existing one
 * instead. Throws RangeError on an unknown name.
 */
export function testCluster(): TestCluster {
  const name = process.env.SHIPLOG_TEST_CLUSTER || 'real';
  if (name === 'sandbox') return name;
  if (name !== 'real') throw new RangeError(`SHIPLOG_TEST_CLUSTER is ${name}; it is real or sandbox.`);

  return process.env.SHIPLOG_TEST_KUBECONFIG ? 'given' : 'real';
}

/** What that cluster allows; known before it runs, so that a suite can state its requirements. */
export function capabilitiesOf(cluster: TestCluster): Capabilities {
  return CAPABILITIES[cluster];
}
