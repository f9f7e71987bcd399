import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchEnvironment } from '@/bench/support/environment';
import { atMost, count, type Metric, milliseconds, plain, times } from '@/bench/support/figure';
import { OpenStreams } from '@/bench/support/open-streams';
import { processorTimeOf } from '@/bench/support/processor-time';
import { sendSerially } from '@/bench/support/request-serially';
import { median, quantile } from '@/bench/support/statistics';
import { untilRecording } from '@/bench/support/until-recording';
import { ViewerCluster } from '@/bench/support/viewer-cluster';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import type { WorkloadList } from '@/lib/api/workloads';

const SECRET = 'the-secret-of-the-proxy-has-43-characters-0';
const NAMESPACES = 2_000;
const VIEWERS = Array.from({ length: 500 }, (_, index) => `dev-${index}`);
const NARROW = { name: 'narrow', namespaces: 83 };
const PAGE = '/api/workloads?limit=50';

const STORM_KEYS = 200;
const STORMS = 9;
/** A storm, with what it causes besides, such as recording it, ends within this time. */
const STORM_WINDOW_MS = 2_500;
/** Each answer about the rights of a viewer expires in it. */
const PAGES_OPEN_MS = 90_000;
const POLL_MS = 250;

const LIST_AIM_MS = 40;
const STORM_AIM_MS = 50;
const REVIEWS_AIM = 20;
const FIRST_PAGE_AIM_MS = 300;
const COMPLETE_AIM_MS = 25_000;
const NARROW_REVIEWS_AIM = 100;

/** Many people at once who can read everything, and one who can read a few of many namespaces. */
export async function measureViewers(environment: BenchEnvironment): Promise<Metric[]> {
  environment.log(`  writing ${count(NAMESPACES)} namespaces …`);
  const cluster = await ViewerCluster.start({ namespaces: NAMESPACES, viewers: VIEWERS, narrow: NARROW });
  let server: Shiplog | undefined;
  try {
    server = await startShiplog({
      kubeconfig: cluster.kubeconfig,
      env: {
        ...{ SHIPLOG_AUTH: 'proxy-headers', SHIPLOG_PROXY_SECRET: SECRET },
        SHIPLOG_TRUSTED_PROXIES: '127.0.0.0/8',
      },
    });
    await untilRecording(server, headersOf(VIEWERS[0]));
    environment.log('  one viewer of a few namespaces …');
    const narrow = await measureNarrow(server, cluster);
    environment.log(`  lists of ${count(VIEWERS.length)} viewers …`);
    const lists = await measureLists(server);
    environment.log(`  changes sent to ${count(VIEWERS.length)} streams …`);
    const storms = await measureStorms(server, cluster);
    return [...lists, ...storms, ...narrow];
  } finally {
    await server?.stop();
    await cluster.stop();
  }
}

/** Of the requests of a person, as the proxy sends them. */
function headersOf(name = ''): Record<string, string> {
  return { 'x-forwarded-user': name, 'x-proxy-secret': SECRET };
}

async function measureLists({ url }: Shiplog): Promise<Metric[]> {
  const send = (names: readonly string[]) =>
    sendSerially(names.map((name) => ({ url: url + PAGE, headers: headersOf(name) })));
  const first = await send(VIEWERS);
  // In turn, so that what else the machine does affects both.
  const { durations } = await send(VIEWERS.flatMap((name) => [name, VIEWERS[0] ?? '']));
  const [many, one] = [0, 1].map((rest) => durations.filter((_, index) => index % 2 === rest));
  const of = (values: readonly number[] = []) =>
    `p50 ${milliseconds(median(values))}, p99 ${milliseconds(quantile(values, 0.99))}`;
  return [
    atMost('List of 50 workloads, 500 viewers, p99', quantile(many ?? [], 0.99), LIST_AIM_MS, milliseconds),
    plain('… all, and one of them in turn with it', `${of(many)}; ${of(one)}`),
    plain('… median, against that of the one', times(median(many ?? []) / median(one ?? []))),
    plain('… the first of each, whose rights are reviewed', of(first.durations)),
  ];
}

async function measureStorms(server: Shiplog, cluster: ViewerCluster): Promise<Metric[]> {
  const one = await processorTimesOfStorms(server, cluster, VIEWERS.slice(0, 1));
  const many = await processorTimesOfStorms(server, cluster, VIEWERS, async () => {
    await sendSerially(VIEWERS.map((name) => ({ url: server.url + PAGE, headers: headersOf(name) })));
  });
  const added = many.stormMs - one.stormMs;
  const { count: reviews, inSecondMax } = many.reviews;
  return [
    atMost(
      '200 changed workloads sent to 500 streams, processor time over that with one stream',
      added,
      STORM_AIM_MS,
      milliseconds,
    ),
    plain('… with 500 streams, with one', `${milliseconds(many.stormMs)}, ${milliseconds(one.stormMs)}`),
    plain('… ratio', times(many.stormMs / one.stormMs)),
    atMost(
      'Access reviews per second, 500 viewers with an open page',
      (reviews / many.tookMs) * 1_000,
      REVIEWS_AIM,
      (value) => value.toFixed(1),
    ),
    plain('… the most in any second', count(inSecondMax)),
  ];
}

interface Storms {
  /** Processor time of the server that a storm takes. */
  stormMs: number;
  tookMs: number;
  reviews: { count: number; inSecondMax: number };
}

/** With `between`, after each storm and for as long as {@link PAGES_OPEN_MS}. */
async function processorTimesOfStorms(
  server: Shiplog,
  cluster: ViewerCluster,
  names: readonly string[],
  between?: () => Promise<void>,
): Promise<Storms> {
  const streams = await OpenStreams.open(`${server.url}/api/stream`, names.map(headersOf));
  try {
    // The first one has the rights reviewed.
    await sendStorm(streams, cluster);
    const start = performance.now();
    const quiet: number[] = [];
    const stormy: number[] = [];
    while (stormy.length < STORMS || (between !== undefined && performance.now() - start < PAGES_OPEN_MS)) {
      // What the open pages cost without a change, such as the renewal of their reviews, is not of the storm.
      quiet.push(await processorTimeOf(server.pid, () => sleep(STORM_WINDOW_MS)));
      stormy.push(
        await processorTimeOf(server.pid, async () => {
          const end = sleep(STORM_WINDOW_MS);
          await sendStorm(streams, cluster);
          await end;
        }),
      );
      await between?.();
    }
    return {
      stormMs: median(stormy) - median(quiet),
      tookMs: performance.now() - start,
      reviews: cluster.reviewsSince(start),
    };
  } finally {
    await streams.close();
  }
}

function sendStorm(streams: OpenStreams, cluster: ViewerCluster): Promise<void> {
  const received = streams.untilEachReceives(STORM_KEYS);
  cluster.change(STORM_KEYS);
  return received;
}

async function measureNarrow(server: Shiplog, cluster: ViewerCluster): Promise<Metric[]> {
  const start = performance.now();
  let list = await narrowList(server);
  const firstMs = performance.now() - start;
  while (list.partial.some(({ checked }) => checked !== undefined)) {
    await sleep(POLL_MS);
    list = await narrowList(server);
  }
  const completeMs = performance.now() - start;
  if (list.counts.total !== NARROW.namespaces)
    throw new Error(`The list has ${list.counts.total} workloads.`);
  return [
    atMost('One viewer of 83 of 2,000 namespaces: first page', firstMs, FIRST_PAGE_AIM_MS, milliseconds),
    atMost('… complete', completeMs, COMPLETE_AIM_MS, milliseconds),
    atMost(
      '… the most reviews in any second',
      cluster.reviewsSince(start).inSecondMax,
      NARROW_REVIEWS_AIM,
      count,
    ),
  ];
}

async function narrowList(server: Shiplog): Promise<WorkloadList> {
  const answer = await server.fetch(PAGE, { headers: headersOf(NARROW.name) });
  return (await answer.json()) as WorkloadList;
}
