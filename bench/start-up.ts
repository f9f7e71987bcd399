import { atMost, measured, type Metric, milliseconds, times } from '@/bench/support/figure';
import { listWithKubectl } from '@/bench/support/kubectl-raw';
import { processorTimeMs } from '@/bench/support/processor-time';
import type { BenchEnvironment } from '@/bench/support/environment';
import { durationMs } from '@/bench/support/statistics';

const START_AIM = 1.5;

/** From the start of the process until every cache is filled. */
export async function measureStartUp(environment: BenchEnvironment): Promise<Metric[]> {
  const cluster = await environment.seeded();
  const kubectlMs = await durationMs(() => listWithKubectl(cluster));
  const start = performance.now();
  const server = await environment.newServer(cluster);
  const readyMs = performance.now() - start;
  const cpuMs = processorTimeMs(server.pid);
  await server.stop();
  return [
    atMost(
      'Start to ready, against `kubectl get --raw` of the same lists',
      readyMs / kubectlMs,
      START_AIM,
      times,
    ),
    measured('… processor time', cpuMs, milliseconds),
    measured('Start to ready', readyMs, milliseconds),
    measured('`kubectl get --raw`', kubectlMs, milliseconds),
  ];
}
