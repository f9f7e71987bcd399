import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { waitFor } from '@/e2e/controlplane/wait';

/** Files of a Go module, as `sigs.k8s.io/gateway-api@v1.4.1`. */
export interface PublishedCrds {
  module: string;
  files: readonly string[];
}

/** The last version whose module Go 1.26 reads. */
export function argoCdCrds(...kinds: readonly string[]): PublishedCrds {
  return {
    module: 'github.com/argoproj/argo-cd/v3@v3.3.0',
    files: kinds.map((kind) => `manifests/crds/${kind}-crd.yaml`),
  };
}

/** Installs CRDs as upstream publishes them, so that the API server knows every member, and waits until they are served. */
export async function installPublishedCrds(
  cluster: ControlPlane,
  published: readonly PublishedCrds[],
): Promise<void> {
  for (const { module, files } of published) {
    const directory = await download(module);
    const flags = files.flatMap((file) => ['-f', join(directory, file)]);
    const { code, stderr } = await cluster.kubectl(['apply', '--server-side', ...flags]);
    if (code !== 0) throw new Error(stderr);
  }
  const wait = ['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s'];
  let last = '';
  // A definition that has no condition so far is an error of kubectl.
  const areServed = async () => {
    const { code, stderr } = await cluster.kubectl(wait);
    last = stderr;
    return code === 0;
  };
  await waitFor(areServed, { what: 'the definitions are served', detail: () => last });
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
