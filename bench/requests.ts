import { Agent, request } from 'undici';
import { atLeast, atMost, measured, type Metric, milliseconds, times } from '@/bench/support/figure';
import { startWithoutGarbage } from '@/bench/support/memory';
import { runSilently } from '@/bench/support/kubectl-raw';
import { processorTimeOf } from '@/bench/support/processor-time';
import { SCALE, type BenchEnvironment } from '@/bench/support/environment';
import { durationMs, median, quantile } from '@/bench/support/statistics';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import type { Shiplog } from '@/e2e/support/shiplog';
import { scaleDeployment } from '@/e2e/controlplane/seed-scale';
import { signedIn } from '@/e2e/support/local-key';

/** In one round. All rounds together read each of the Deployments for the first time at most once. */
const HISTORIES = 40;
const AGAIN = 100;
const CROWD = 100;
const LISTS = 100;
const CONCURRENCY = 50;
const CROWD_AIM_MS = 300;
/** The engine compiles what it runs often: a server that runs for a day is measured, not its first minute. */
const WARM_UP = 300;

/** How many histories of a server were read. */
const counts = new WeakMap<Shiplog, number>();

/** Histories from the cache against kubectl, and answers under load. */
export async function measureRequests(environment: BenchEnvironment): Promise<Metric[]> {
  const cluster = await environment.seeded();
  const server = await environment.server();
  const agent = new Agent({ connections: CONCURRENCY, pipelining: 1 });
  const get = (path: string) => durationMs(() => answerOf(agent, server.url + path));
  const spent = (work: () => Promise<number[]>) => spentOnEach(server, work);
  const nextHistory = () => {
    const next = counts.get(server) ?? 0;
    counts.set(server, next + 1);
    return get(detailPath(next % SCALE.deployments));
  };
  try {
    if (!counts.has(server)) await warmUp(get, nextHistory);
    const first = counts.get(server) ?? 0;
    const fresh = await spent(() => timeSerially(HISTORIES, nextHistory));
    const again = await spent(() =>
      timeSerially(AGAIN, (index) => get(detailPath(first + (index % HISTORIES)))),
    );
    const kubectl = await durationMs(() => kubectlHistory(cluster, first));
    const crowd = await spent(() => timeConcurrently(CROWD, nextHistory));
    const lists = await spent(() => timeConcurrently(LISTS, () => get(LIST)));
    // prettier-ignore
    return [
      atLeast('A history from the cache, against `kubectl rollout history`', kubectl / median(again.durations), 50, faster),
      measured('… not derived before', kubectl / median(fresh.durations), faster),
      measured('History: processor time', again.cpuMs, milliseconds),
      measured('… not derived before', fresh.cpuMs, milliseconds),
      measured(`… ${CONCURRENCY} requests at once`, crowd.cpuMs, milliseconds),
      measured('List of 500 rows: processor time', lists.cpuMs, milliseconds),
      measured('History, p50', median(again.durations), milliseconds),
      measured('… not derived before, p50', median(fresh.durations), milliseconds),
      measured(`… ${CONCURRENCY} requests at once, p50`, median(crowd.durations), milliseconds),
      atMost('… p99', quantile(crowd.durations, 0.99), CROWD_AIM_MS, milliseconds),
      measured(`List of 500 rows, ${CONCURRENCY} requests at once, p50`, median(lists.durations), milliseconds),
      measured('… p99', quantile(lists.durations, 0.99), milliseconds),
      measured('`kubectl rollout history`', kubectl, milliseconds),
    ];
  } finally {
    await agent.close();
  }
}

async function warmUp(
  get: (path: string) => Promise<number>,
  nextHistory: () => Promise<number>,
): Promise<void> {
  await timeSerially(WARM_UP, nextHistory);
  for (let round = 0; round < 3; round += 1) await timeSerially(WARM_UP, (index) => get(detailPath(index)));
  await timeConcurrently(WARM_UP, () => get(LIST));
}

const faster = (value: number) => `${times(value)} faster`;

const LIST = '/api/workloads?limit=500';

function detailPath(index: number): string {
  const { namespace, name } = scaleDeployment(index);
  return `/api/workloads/deployments.apps/${namespace}/${name}`;
}

function kubectlHistory(cluster: ControlPlane, index: number): Promise<void> {
  const { namespace, name } = scaleDeployment(index);
  return runSilently(cluster, ['rollout', 'history', `deployment/${name}`, '-n', namespace]);
}

/** Compressed, as for a browser. The bytes are read, not unpacked. */
async function answerOf(agent: Agent, url: string): Promise<void> {
  const answer = await request(url, {
    dispatcher: agent,
    headers: { ...signedIn, 'accept-encoding': 'gzip, deflate, br, zstd' },
  });
  await answer.body.dump({ limit: Infinity });
  if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}.`);
}

async function timeSerially(times: number, send: (round: number) => Promise<number>): Promise<number[]> {
  const durations: number[] = [];
  for (let round = 0; round < times; round += 1) durations.push(await send(round));
  return durations;
}

/** Runs 50 concurrent requests until all have been answered. */
async function timeConcurrently(total: number, send: () => Promise<number>): Promise<number[]> {
  const durations: number[] = [];
  let left = total;
  const work = async (): Promise<void> => {
    while (left-- > 0) durations.push(await send());
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return durations;
}

/** Milliseconds of each request, and the processor time of the server per request, without earlier garbage. */
async function spentOnEach(
  server: Shiplog,
  work: () => Promise<number[]>,
): Promise<{ durations: number[]; cpuMs: number }> {
  let durations: number[] = [];
  await startWithoutGarbage(server);
  const cpuMs = await processorTimeOf(server.pid, async () => {
    durations = await work();
  });
  return { durations, cpuMs: cpuMs / durations.length };
}
