// npm run cluster [-- --empty | --scale] [--nodes=N]
// Serves a real control plane until Ctrl-C, by default with a small shop on it.
import { parseArgs } from 'node:util';
import { ControlPlaneUnavailable } from '@/e2e/controlplane/build';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { FLEET_BEHAVIOURS } from '@/e2e/controlplane/fleet';
import { seedFleet } from '@/e2e/controlplane/seed';
import { seedScale } from '@/e2e/controlplane/seed-scale';

const SCALE = { deployments: 2_000, revisionsEach: 10 };

const { values } = parseArgs({
  options: {
    empty: { type: 'boolean', default: false },
    scale: { type: 'boolean', default: false },
    nodes: { type: 'string', default: '6' },
  },
});

let cluster: ControlPlane | undefined;
let isEnding = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end(0));
try {
  await serve();
} catch (error) {
  printLine(
    error instanceof ControlPlaneUnavailable
      ? error.message
      : String(error instanceof Error ? error.stack : error),
  );
  await end(1);
}

async function serve(): Promise<void> {
  const started = Date.now();
  cluster = await startControlPlane({
    nodes: Number(values.nodes),
    behaviours: FLEET_BEHAVIOURS,
    log: printLine,
  });
  printLine(`The control plane is up after ${secondsSince(started)} s.`);
  if (!values.empty) {
    printLine('Writing workloads with a history …');
    await (values.scale ? seedScale(cluster, SCALE) : seedFleet(cluster));
    printLine(`Done after ${secondsSince(started)} s.`);
  }
  const { kubeconfigs } = cluster;
  printLine(`
A Kubernetes cluster is ready at ${cluster.server}

  export KUBECONFIG=${kubeconfigs.admin}
  npm start                                              # Shiplog on this cluster
  ${cluster.kubectlPath} get deployments -A

Users with fewer rights: ${Object.values(kubeconfigs).join(' ')}
Ctrl-C ends it.`);
  // The component processes do not keep this process alive; this does.
  setInterval(() => undefined, 2 ** 30);
}

async function end(code: number): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  await cluster?.stop();
  process.exit(code);
}

function secondsSince(time: number): string {
  return ((Date.now() - time) / 1000).toFixed(1);
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}
