import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ControlPlane } from '@/e2e/controlplane/running-cluster';

/** The CRDs of what the chart can render, as upstream publishes them, so that the API server knows every member. */
const CRDS = [
  {
    module: 'sigs.k8s.io/gateway-api@v1.4.1',
    files: ['config/crd/standard/gateway.networking.k8s.io_httproutes.yaml'],
  },
  {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    files: ['servicemonitors', 'prometheusrules'].map(
      (plural) => `example/prometheus-operator-crd/monitoring.coreos.com_${plural}.yaml`,
    ),
  },
];

export const apiVersions = [
  'gateway.networking.k8s.io/v1/HTTPRoute',
  'monitoring.coreos.com/v1/ServiceMonitor',
  'monitoring.coreos.com/v1/PrometheusRule',
].flatMap((api) => ['--api-versions', api]);

export async function installCrds(cluster: ControlPlane): Promise<void> {
  for (const { module, files } of CRDS) {
    const directory = await download(module);
    const flags = files.flatMap((file) => ['-f', join(directory, file)]);
    const { code, stderr } = await cluster.kubectl(['apply', '--server-side', ...flags]);
    if (code !== 0) throw new Error(stderr);
  }
  const { code, stderr } = await cluster.kubectl([
    ...['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s'],
  ]);
  if (code !== 0) throw new Error(stderr);
}

/** Path of a module in Go's own cache. */
async function download(module: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'shiplog-crds-'));
  try {
    const { stdout } = await promisify(execFile)('go', ['mod', 'download', '-json', module], { cwd: folder });
    return (JSON.parse(stdout) as { Dir: string }).Dir;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
