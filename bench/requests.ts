import { Agent, request } from 'undici';
import { atLeast, type Figure, milliseconds, plain, times } from '@/bench/figure';
import { runSilently } from '@/bench/kubectl-raw';
import { SCALE, type Stage } from '@/bench/stage';
import { durationMs, median, quantile } from '@/bench/statistics';
import { type ControlPlane } from '@/e2e/controlplane/control-plane';
import { scaleDeployment } from '@/e2e/controlplane/seed-scale';

const KUBECTL_ROUNDS = 15;
const HISTORIES = 300;
const AT_ONCE = 50;
const REQUESTS = 1_000;
const WARM_UP = 100;

/** One history from the cache against kubectl, and answers under load. */
export async function measureRequests(stage: Stage): Promise<Figure[]> {
  const cluster = await stage.seeded();
  const server = await stage.server();
  const agent = new Agent({ connections: AT_ONCE, pipelining: 1 });
  const get = (path: string) => durationMs(() => answerOf(agent, server.url + path));
  try {
    let next = 0;
    const history = () => get(detailPath(next++ % SCALE.deployments));
    await inTurn(WARM_UP, history);
    const first = next;
    const fresh = await inTurn(HISTORIES, history);
    const again = await inTurn(HISTORIES, (round) => get(detailPath(first + round)));
    const kubectl = await inTurn(KUBECTL_ROUNDS, (round) => durationMs(() => kubectlHistory(cluster, round)));
    const histories = await atOnce(REQUESTS, history);
    await atOnce(WARM_UP, () => get(LIST));
    const lists = await atOnce(REQUESTS, () => get(LIST));
    return [
      atLeast(
        'A history from the cache, against `kubectl rollout history`',
        median(kubectl) / median(again),
        50,
        quicker,
      ),
      plain('… of which nothing has been derived before', quicker(median(kubectl) / median(fresh))),
      plain('History', both(again)),
      plain('History, first look', both(fresh)),
      plain('`kubectl rollout history`', milliseconds(median(kubectl))),
      plain(`History, ${AT_ONCE} requests at once`, both(histories)),
      plain(`List of 500 rows, ${AT_ONCE} requests at once`, both(lists)),
    ];
  } finally {
    await agent.close();
  }
}

const quicker = (value: number) => `${times(value)} quicker`;

const LIST = '/api/workloads?limit=500';

function detailPath(index: number): string {
  const { namespace, name } = scaleDeployment(index);
  return `/api/workloads/deployments.apps/${namespace}/${name}`;
}

function kubectlHistory(cluster: ControlPlane, index: number): Promise<void> {
  const { namespace, name } = scaleDeployment(index);
  return runSilently(cluster, ['rollout', 'history', `deployment/${name}`, '-n', namespace]);
}

/** As a browser asks: compressed. The bytes are taken in, not unpacked. */
async function answerOf(agent: Agent, url: string): Promise<void> {
  const answer = await request(url, { dispatcher: agent, headers: { 'accept-encoding': 'gzip' } });
  await answer.body.dump({ limit: Infinity });
  if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}.`);
}

async function inTurn(times: number, ask: (round: number) => Promise<number>): Promise<number[]> {
  const durations: number[] = [];
  for (let round = 0; round < times; round += 1) durations.push(await ask(round));
  return durations;
}

/** Keeps 50 requests on their way until all have been answered. */
async function atOnce(total: number, ask: () => Promise<number>): Promise<number[]> {
  const durations: number[] = [];
  let left = total;
  const work = async (): Promise<void> => {
    while (left-- > 0) durations.push(await ask());
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return durations;
}

function both(durations: readonly number[]): string {
  return `p50 ${milliseconds(quantile(durations, 0.5))}, p99 ${milliseconds(quantile(durations, 0.99))}`;
}
