import { atMost, count, type Metric, kilobytes, milliseconds, plain } from '@/bench/support/figure';
import { GROUPS, seedGroups, setAt } from '@/bench/support/group-objects';
import { requestSerially } from '@/bench/support/request-serially';
import type { BenchEnvironment } from '@/bench/support/environment';
import { quantile } from '@/bench/support/statistics';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { Shiplog } from '@/e2e/support/shiplog';

const RESOURCE = 'leaderworkersets.leaderworkerset.x-k8s.io';
/** The recorder first records what the server finds at its start. */
const SETTLE_MS = 20_000;

/** LeaderWorkerSets on a cluster of their own: the list and one page, from the cache. */
export async function measureLeaderWorkerSets(environment: BenchEnvironment): Promise<Metric[]> {
  const cluster = await startControlPlane({ controllers: false, log: environment.log });
  let server: Shiplog | undefined;
  try {
    const pods = GROUPS.sets * GROUPS.groupsEach * GROUPS.podsEach;
    environment.log(`  writing ${count(GROUPS.sets)} LeaderWorkerSets with ${count(pods)} pods …`);
    await seedGroups(cluster);
    server = await environment.newServer(cluster);
    const { url } = server;
    await untilListed(server);
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const list = await requestSerially(() => `${url}/api/workloads?resource=${RESOURCE}&limit=50`);
    const all = await requestSerially(() => `${url}/api/workloads?resource=${RESOURCE}&limit=500`);
    const page = await requestSerially((round) => url + pagePath(round));
    const members = await requestSerially((round) => `${url}${pagePath(round)}/pods`);
    return [
      atMost('List of 50 LeaderWorkerSets, p99', quantile(list.durations, 0.99), 20, milliseconds),
      plain(
        '… p50, and transferred size',
        `${milliseconds(quantile(list.durations, 0.5))}, ${kilobytes(list.bytes)}`,
      ),
      plain(
        'List of 500',
        `p50 ${milliseconds(quantile(all.durations, 0.5))}, p99 ${milliseconds(quantile(all.durations, 0.99))}`,
      ),
      atMost('One page with its groups, p99', quantile(page.durations, 0.99), 15, milliseconds),
      plain('… p50', milliseconds(quantile(page.durations, 0.5))),
      plain(
        'Its pods',
        `p50 ${milliseconds(quantile(members.durations, 0.5))}, p99 ${milliseconds(quantile(members.durations, 0.99))}`,
      ),
    ];
  } finally {
    await server?.stop();
    await cluster.stop();
  }
}

function pagePath(round: number): string {
  const { namespace, name } = setAt(round % GROUPS.sets);
  return `/api/workloads/${RESOURCE}/${namespace}/${name}`;
}

async function untilListed(server: Shiplog): Promise<void> {
  for (;;) {
    const { counts } = await server.get(`/api/workloads?resource=${RESOURCE}&limit=1`);
    if (counts.total === GROUPS.sets) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
