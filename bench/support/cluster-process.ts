// A sandbox of many workloads, in a process of its own. It sends its kubeconfig; a number that it is sent is the
// milliseconds that its answers take from then on.
import { workloadObjects } from '@/bench/support/workload-objects';
import { scaleDeployment } from '@/e2e/controlplane/seed-scale';
import { startSandboxApi } from '@/sandbox/api/sandbox-api';

const USER = 'admin';

const workloads = Number(process.argv[2]);
const api = await startSandboxApi();
const indices = Array.from({ length: workloads }, (_, index) => index);
for (const name of new Set(indices.map((index) => scaleDeployment(index).namespace)))
  api.control({
    do: 'put',
    resource: 'namespaces',
    object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, status: { phase: 'Active' } },
  });
for (const { resource, object } of indices.flatMap(workloadObjects))
  api.control({ do: 'put', resource, object });

process.on('message', (ms: number) => {
  api.control({ do: 'clear' });
  if (ms > 0) api.control({ do: 'add', fault: { kind: 'latency', ms }, scope: { users: [USER] } });
  api.control({ do: 'cutWatches', how: 'reset' });
});
// The parent process has ended.
process.on('disconnect', () => process.exit());
process.send?.(api.kubeconfig(USER));
