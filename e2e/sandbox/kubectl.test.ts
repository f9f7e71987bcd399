import { afterAll, beforeAll, describe, type ExpectStatic, test } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { requireGo } from '@/e2e/controlplane/require-go';
import { asKubectlCluster, type KubectlCluster, startKubectlSandbox } from '@/e2e/sandbox/kubectl-cluster';
import { ALONE, BESIDE_OTHERS, type CommandList } from '@/e2e/sandbox/kubectl-commands';
import { record } from '@/e2e/sandbox/kubectl-transcript';

let controlPlane: ControlPlane;
let reference: KubectlCluster;
let sandbox: KubectlCluster;

describe.runIf(await requireGo())('kubectl has the same output from the sandbox as from a cluster', () => {
  beforeAll(async () => {
    // The edit of the manifest by `kubectl edit`.
    process.env.KUBE_EDITOR = 'sed -i s/MODE/MOOD/';
    controlPlane = await startControlPlane({ nodes: 3 });
    reference = await asKubectlCluster(controlPlane);
    sandbox = await startKubectlSandbox(controlPlane.kubectlPath);
  });

  afterAll(async () => {
    await Promise.all([sandbox?.stop(), reference?.stop()]);
    await controlPlane?.stop();
  });

  test.for(ALONE)('$name', compare);
  // A list of cases mostly waits until the cluster is idle.
  test.concurrent.for(BESIDE_OTHERS)('$name', compare);
});

async function compare({ namespace, commands }: CommandList, { expect }: { expect: ExpectStatic }) {
  const [expected = [], actual = []] = await Promise.all(
    [reference, sandbox].map((cluster) => record(cluster, namespace, commands)),
  );
  expect(actual.length).toBe(expected.length);
  for (const [index, entry] of actual.entries()) expect(entry, entry.command).toEqual(expected[index]);
}
