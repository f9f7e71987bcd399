import type { BenchEnvironment } from '@/bench/support/environment';
import { atMost, count, type Metric, megabytes, milliseconds, plain, times } from '@/bench/support/figure';
import { inspectable, memoryWhenIdle } from '@/bench/support/memory';
import { requestSerially } from '@/bench/support/request-serially';
import { SandboxClusters } from '@/bench/support/sandbox-clusters';
import { untilRecording } from '@/bench/support/until-recording';
import { median, quantile } from '@/bench/support/statistics';
import { scaleDeployment } from '@/e2e/controlplane/seed-scale';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';

const NAMES = ['one', 'two', 'three', 'frozen', 'slow'];
const HEALTHY = NAMES.slice(0, 3);
const FROZEN = NAMES.indexOf('frozen');
const SLOW = NAMES.indexOf('slow');
const WORKLOADS = 400;
const SLOW_MS = 10_000;

const MEMORY_AIM_BYTES = 230 * 1024 ** 2;
const RATIO_AIM = 1.1;
/** Of `server/views/over-clusters.ts`, with some time for the list itself. */
const BOUND_AIM_MS = 1_200;

const RUNS = 5;
/** Longer than the probe that finds a cluster frozen. */
const SETTLE_MS = 12_000;

/** Several clusters in one process: memory, and what two that fail cost the others. */
export async function measureClusters(environment: BenchEnvironment): Promise<Metric[]> {
  environment.log(`  writing ${NAMES.length} clusters of ${WORKLOADS} workloads …`);
  const clusters = await SandboxClusters.start(NAMES, WORKLOADS);
  let server: Shiplog | undefined;
  try {
    const env = { SHIPLOG_CLUSTERS: clusters.file, ...inspectable };
    server = await startShiplog({ kubeconfig: clusters.kubeconfig, env });
    await untilRecording(server);
    const memory = await memoryWhenIdle(server);
    environment.log(`  ${megabytes(memory.residentBytes)}; answers with and without two failing clusters …`);
    const runs: Run[] = [];
    for (let run = 0; run < RUNS; run += 1) runs.push(await measureRun(server, clusters));
    const p99 = (state: keyof Run) => milliseconds(median(runs.map((run) => run[state])));
    return [
      atMost('Resident memory, five clusters', memory.residentBytes, MEMORY_AIM_BYTES, megabytes),
      plain('Objects in the cache', count(memory.objects)),
      plain('JavaScript heap', megabytes(memory.heapBytes)),
      atMost(
        'Answers about other clusters, median p99: two failing against none',
        median(runs.map(({ failing }) => failing)) / median(runs.map(({ none }) => none)),
        RATIO_AIM,
        times,
      ),
      plain('… none failing, two failing', `${p99('none')}, ${p99('failing')}`),
      atMost(
        'List over all clusters, two failing: the longest',
        Math.max(...runs.map(({ longestList }) => longestList)),
        BOUND_AIM_MS,
        milliseconds,
      ),
    ];
  } finally {
    await server?.stop();
    await clusters.stop();
  }
}

/** Milliseconds. */
interface Run {
  /** p99 of answers about the other clusters. */
  none: number;
  failing: number;
  longestList: number;
}

async function measureRun(server: Shiplog, clusters: SandboxClusters): Promise<Run> {
  const none = await p99OfHealthy(server);
  clusters.freeze(FROZEN);
  clusters.slowDown(SLOW, SLOW_MS);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const failing = await p99OfHealthy(server);
  const lists = await requestSerially(() => `${server.url}/api/workloads?limit=50`);
  clusters.thaw(FROZEN);
  clusters.slowDown(SLOW, 0);
  await untilRecording(server);
  return { none, failing, longestList: Math.max(...lists.durations) };
}

/** Histories and lists in turn, of each healthy cluster. */
async function p99OfHealthy({ url }: Shiplog): Promise<number> {
  const { durations } = await requestSerially((round) => {
    const cluster = HEALTHY[round % HEALTHY.length] ?? '';
    const { namespace, name } = scaleDeployment(round % WORKLOADS);
    const path = round % 2 === 0 ? `/deployments.apps/${namespace}/${name}?` : '?limit=50&';
    return `${url}/api/workloads${path}cluster=${cluster}`;
  });
  return quantile(durations, 0.99);
}
