import { atMost, measured, type Metric, milliseconds, plain, times } from '@/bench/support/figure';
import { listWithKubectl } from '@/bench/support/kubectl-raw';
import { processorTimeMs } from '@/bench/support/processor-time';
import { type BenchEnvironment } from '@/bench/support/environment';
import { durationMs, median } from '@/bench/support/statistics';

const ROUNDS = 3;

/** From the start of the process until every cache is filled. */
export async function measureStartUp(environment: BenchEnvironment): Promise<Metric[]> {
  const cluster = await environment.seeded();
  const rounds: { kubectlMs: number; readyMs: number; cpuMs: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const kubectlMs = await durationMs(() => listWithKubectl(cluster));
    const start = performance.now();
    const server = await environment.newServer(cluster);
    const readyMs = performance.now() - start;
    rounds.push({ kubectlMs, readyMs, cpuMs: processorTimeMs(server.pid) });
    await server.stop();
    environment.log(`  ${JSON.stringify(rounds.at(-1))}`);
  }
  const ratio = median(rounds.map(({ kubectlMs, readyMs }) => readyMs / kubectlMs));
  return [
    atMost('Start to ready, against `kubectl get --raw` of the same lists', ratio, 1.5, times),
    measured('… processor time', median(rounds.map(({ cpuMs }) => cpuMs)), milliseconds),
    measured('Start to ready', median(rounds.map(({ readyMs }) => readyMs)), milliseconds),
    plain('`kubectl get --raw`', milliseconds(median(rounds.map(({ kubectlMs }) => kubectlMs)))),
  ];
}
