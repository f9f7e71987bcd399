import { Agent, request } from 'undici';
import { atLeast, atMost, measured, type Metric, milliseconds, plain, times } from '@/bench/support/figure';
import { runSilently } from '@/bench/support/kubectl-raw';
import { processorTimeOf } from '@/bench/support/processor-time';
import { SCALE, type BenchEnvironment } from '@/bench/support/environment';
import { durationMs, median, quantile } from '@/bench/support/statistics';
import { type ControlPlane } from '@/e2e/controlplane/running-cluster';
import { scaleDeployment } from '@/e2e/controlplane/seed-scale';
import { signedIn } from '@/e2e/support/local-key';

const KUBECTL_ROUNDS = 15;
const HISTORIES = 300;
const CONCURRENCY = 50;
const REQUESTS = 1_000;
const CROWD_AIM_MS = 300;
const WARM_UP = 100;

/** One history from the cache against kubectl, and answers under load. */
export async function measureRequests(environment: BenchEnvironment): Promise<Metric[]> {
  const cluster = await environment.seeded();
  const server = await environment.server();
  const agent = new Agent({ connections: CONCURRENCY, pipelining: 1 });
  const get = (path: string) => durationMs(() => answerOf(agent, server.url + path));
  const spent = (work: () => Promise<number[]>) => spentOnEach(server.pid, work);
  try {
    let next = 0;
    const history = () => get(detailPath(next++ % SCALE.deployments));
    await timeSerially(WARM_UP, history);
    const first = next;
    const fresh = await spent(() => timeSerially(HISTORIES, history));
    const again = await spent(() => timeSerially(HISTORIES, (round) => get(detailPath(first + round))));
    const kubectl = await timeSerially(KUBECTL_ROUNDS, (round) =>
      durationMs(() => kubectlHistory(cluster, round)),
    );
    const histories = await spent(() => timeConcurrently(REQUESTS, history));
    await timeConcurrently(WARM_UP, () => get(LIST));
    const lists = await spent(() => timeConcurrently(REQUESTS, () => get(LIST)));
    // prettier-ignore
    return [
      atLeast('A history from the cache, against `kubectl rollout history`', median(kubectl) / median(again.durations), 50, faster),
      measured('… not derived before', median(kubectl) / median(fresh.durations), faster),
      measured('History: processor time', again.cpuMs, milliseconds),
      measured('… not derived before', fresh.cpuMs, milliseconds),
      measured(`… ${CONCURRENCY} requests at once`, histories.cpuMs, milliseconds),
      measured('List of 500 rows: processor time', lists.cpuMs, milliseconds),
      measured('History, p50', median(again.durations), milliseconds),
      measured('… not derived before, p50', median(fresh.durations), milliseconds),
      measured(`… ${CONCURRENCY} requests at once, p50`, median(histories.durations), milliseconds),
      atMost('… p99', quantile(histories.durations, 0.99), CROWD_AIM_MS, milliseconds),
      measured(`List of 500 rows, ${CONCURRENCY} requests at once, p50`, median(lists.durations), milliseconds),
      measured('… p99', quantile(lists.durations, 0.99), milliseconds),
      plain('`kubectl rollout history`', milliseconds(median(kubectl))),
    ];
  } finally {
    await agent.close();
  }
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

/** Milliseconds of each request, and the processor time of the server per request. */
async function spentOnEach(
  pid: number,
  work: () => Promise<number[]>,
): Promise<{ durations: number[]; cpuMs: number }> {
  let durations: number[] = [];
  const cpuMs = await processorTimeOf(pid, async () => {
    durations = await work();
  });
  return { durations, cpuMs: cpuMs / durations.length };
}
