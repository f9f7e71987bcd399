import { atMost, type Metric, milliseconds, plain, times } from '@/bench/support/figure';
import { listWithKubectl } from '@/bench/support/kubectl-raw';
import { type BenchEnvironment } from '@/bench/support/environment';
import { durationMs, median } from '@/bench/support/statistics';

const ROUNDS = 7;

/** From the start of the process until every cache is filled. */
export async function measureStartUp(environment: BenchEnvironment): Promise<Metric[]> {
  const cluster = await environment.seeded();
  const rounds: { kubectlMs: number; readyMs: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const kubectlMs = await durationMs(() => listWithKubectl(cluster));
    const start = performance.now();
    const server = await environment.newServer(cluster);
    rounds.push({ kubectlMs, readyMs: performance.now() - start });
    await server.stop();
    environment.log(`  ${JSON.stringify(rounds.at(-1))}`);
  }
  const ratio = median(rounds.map(({ kubectlMs, readyMs }) => readyMs / kubectlMs));
  return [
    atMost('Start to ready, against `kubectl get --raw` of the same lists', ratio, 1.5, times),
    plain('Start to ready', milliseconds(median(rounds.map(({ readyMs }) => readyMs)))),
    plain('`kubectl get --raw`', milliseconds(median(rounds.map(({ kubectlMs }) => kubectlMs)))),
  ];
}
