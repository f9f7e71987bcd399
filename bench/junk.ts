import type { BenchEnvironment } from '@/bench/support/environment';
import { atMost, count, type Metric, milliseconds, plain, times } from '@/bench/support/figure';
import { durationMs, quantile } from '@/bench/support/statistics';
import { createDeployment } from '@/e2e/cluster/deployments';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import { tokenIn } from '@/e2e/controlplane/kubeconfig';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { READER_NAMESPACE } from '@/e2e/controlplane/users';
import { JUNK, sendJunk } from '@/e2e/support/junk';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import { cookieFrom } from '@/e2e/support/sign-in';

const WORKLOADS = 100;
const QUIET_SECONDS = 8;
const PAUSE_MS = 20;
const SLOWDOWN_AIM = 2;
const SIGN_IN_AIM_MS = 3_000;

/** What junk credentials cost a person who is signed in, and one who signs in. */
export async function measureJunk({ log }: BenchEnvironment): Promise<Metric[]> {
  const cluster = await startControlPlane({ controllers: false, log });
  let server: Shiplog | undefined;
  try {
    for (let index = 0; index < WORKLOADS; index += 1)
      await createDeployment(cluster, READER_NAMESPACE, `cart-${index}`, { replicas: 0 });
    server = await startShiplog({
      kubeconfig: cluster.kubeconfigs.admin,
      env: { SHIPLOG_AUTH: 'token', SHIPLOG_TRUSTED_PROXIES: '127.0.0.0/8' },
    });
    return await measure(server, cluster);
  } finally {
    await server?.stop();
    await cluster.stop();
  }
}

async function measure(server: Shiplog, cluster: ControlPlane): Promise<Metric[]> {
  const cookie = cookieFrom(await signIn(server, cluster, 'operator', '192.0.2.1'));
  await listTimes(server, cookie, 2);
  const before = await listTimes(server, cookie, QUIET_SECONDS);
  const sending = sendJunk(server.port);
  await listTimes(server, cookie, 1);
  const signingIn = durationMs(() => signIn(server, cluster, 'viewer', '192.0.2.2'));
  const during = await listTimes(server, cookie, JUNK.seconds - 2);
  const signInMs = await signingIn;
  const { statuses } = await sending;
  const after = await listTimes(server, cookie, QUIET_SECONDS);
  const [quiet, busy] = [quantile([...before, ...after], 0.99), quantile(during, 0.99)];
  return [
    plain('List of a signed-in person, p99 without junk', milliseconds(quiet)),
    plain('The same with junk', milliseconds(busy)),
    atMost('With junk over without', busy / quiet, SLOWDOWN_AIM, times),
    atMost('A person with a good token signs in', signInMs, SIGN_IN_AIM_MS, milliseconds),
    plain('Junk requests answered 429', `${count(statuses['429'] ?? 0)} of ${count(total(statuses))}`),
  ];
}

function total(statuses: Readonly<Record<string, number>>): number {
  return Object.values(statuses).reduce((sum, each) => sum + each, 0);
}

async function signIn(
  { url }: Shiplog,
  { kubeconfigs }: ControlPlane,
  user: 'operator' | 'viewer',
  address: string,
): Promise<Response> {
  const answer = await fetch(`${url}/api/session`, {
    method: 'POST',
    body: JSON.stringify({ token: tokenIn(kubeconfigs[user]) ?? '' }),
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
  });
  if (!answer.ok) throw new Error(`${user} was not signed in: ${answer.status} ${await answer.text()}`);
  return answer;
}

/** In milliseconds, of as many requests as there is time for. */
async function listTimes({ url }: Shiplog, cookie: string, seconds: number): Promise<number[]> {
  const found: number[] = [];
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    found.push(
      await durationMs(async () => {
        const answer = await fetch(`${url}/api/workloads`, {
          headers: { cookie, 'x-forwarded-for': '192.0.2.1' },
        });
        if (!answer.ok) throw new Error(`The list was answered ${answer.status}.`);
        await answer.arrayBuffer();
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return found;
}
