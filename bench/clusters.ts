import { type BenchEnvironment } from '@/bench/support/environment';
import { atMost, count, type Figure, megabytes, milliseconds, plain, times } from '@/bench/support/figure';
import { inspectable, memoryWhenIdle } from '@/bench/support/memory';
import { requestSerially } from '@/bench/support/request-serially';
import { SandboxClusters } from '@/bench/support/sandbox-clusters';
import { median, quantile } from '@/bench/support/statistics';
import { scaleDeployment } from '@/e2e/controlplane/seed-scale';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import { type ClusterList } from '@/lib/api/cluster';

const NAMES = ['one', 'two', 'three', 'frozen', 'slow'];
const HEALTHY = NAMES.slice(0, 3);
const FROZEN = NAMES.indexOf('frozen');
const SLOW = NAMES.indexOf('slow');
const WORKLOADS = 400;
const SLOW_MS = 10_000;

const MEMORY_AIM_BYTES = 230 * 1024 ** 2;
const RATIO_AIM = 1.1;
/** Of `server/reads/over-clusters.ts`, with some time for the list itself. */
const BOUND_AIM_MS = 1_200;

const RUNS = 5;
/** Longer than the probe that finds a cluster frozen. */
const SETTLE_MS = 12_000;
const POLL_MS = 500;
const CONNECT_TIMEOUT_MS = 180_000;

/** Several clusters in one process: memory, and what two that are ill cost the others. */
export async function measureClusters(environment: BenchEnvironment): Promise<Figure[]> {
  environment.log(`  writing ${NAMES.length} clusters of ${WORKLOADS} workloads …`);
  const clusters = await SandboxClusters.start(NAMES, WORKLOADS);
  let server: Shiplog | undefined;
  try {
    const env = { SHIPLOG_CLUSTERS: clusters.file, ...inspectable };
    server = await startShiplog({ kubeconfig: clusters.kubeconfig, env });
    await untilConnected(server);
    const memory = await memoryWhenIdle(server);
    const runs: Run[] = [];
    for (let run = 0; run < RUNS; run += 1) runs.push(await measureRun(server, clusters));
    const ratio = (name: keyof Answers) => median(runs.map(({ well, ill }) => ill[name] / well[name]));
    const each = (name: keyof Answers) =>
      (['well', 'ill'] as const)
        .map((state) => milliseconds(median(runs.map((run) => run[state][name]))))
        .join(', ');
    return [
      atMost('Resident memory, five clusters', memory.residentBytes, MEMORY_AIM_BYTES, megabytes),
      plain('Objects in the cache', count(memory.objects)),
      atMost('History of another cluster, p99: two ill against all well', ratio('history'), RATIO_AIM, times),
      plain('… all well, two ill', each('history')),
      atMost('List of another cluster, p99: two ill against all well', ratio('list'), RATIO_AIM, times),
      plain('… all well, two ill', each('list')),
      atMost(
        'List over all clusters, two ill, the longest',
        Math.max(...runs.map(({ ill }) => ill.longestOverAll)),
        BOUND_AIM_MS,
        milliseconds,
      ),
    ];
  } finally {
    await server?.stop();
    await clusters.stop();
  }
}

/** Milliseconds; p99 where not stated otherwise. */
interface Answers {
  history: number;
  list: number;
  longestOverAll: number;
}

interface Run {
  well: Answers;
  ill: Answers;
}

async function measureRun(server: Shiplog, clusters: SandboxClusters): Promise<Run> {
  const well = await measureAnswers(server);
  clusters.freeze(FROZEN);
  clusters.slowDown(SLOW, SLOW_MS);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const ill = await measureAnswers(server);
  clusters.thaw(FROZEN);
  clusters.slowDown(SLOW, 0);
  await untilConnected(server);
  return { well, ill };
}

async function measureAnswers({ url }: Shiplog): Promise<Answers> {
  const history = await requestSerially((round) => `${url}${historyPath(round)}`);
  const list = await requestSerially((round) => `${url}/api/workloads?limit=50&cluster=${healthyAt(round)}`);
  const overAll = await requestSerially(() => `${url}/api/workloads?limit=50`);
  return {
    history: quantile(history.durations, 0.99),
    list: quantile(list.durations, 0.99),
    longestOverAll: Math.max(...overAll.durations),
  };
}

function historyPath(round: number): string {
  const { namespace, name } = scaleDeployment(round % WORKLOADS);
  return `/api/workloads/deployments.apps/${namespace}/${name}?cluster=${healthyAt(round)}`;
}

function healthyAt(round: number): string {
  return HEALTHY[round % HEALTHY.length] ?? '';
}

async function untilConnected(server: Shiplog): Promise<void> {
  const end = performance.now() + CONNECT_TIMEOUT_MS;
  for (;;) {
    const { items } = (await server.get('/api/clusters')) as ClusterList;
    if (items.every(({ state, ready }) => state === 'connected' && ready)) return;
    if (performance.now() > end) throw new Error(`Not connected: ${JSON.stringify(items)}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
