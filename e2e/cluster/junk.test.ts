import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import { tokenIn } from '@/e2e/controlplane/kubeconfig';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { READER_NAMESPACE } from '@/e2e/controlplane/users';
import { createDeployment } from '@/e2e/cluster/deployments';
import { until } from '@/e2e/cluster/fixtures';
import { JUNK, sendJunk } from '@/e2e/support/junk';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import { cookieFrom } from '@/e2e/support/sign-in';

const PEOPLE = 300;
const WORKLOADS = 100;
/** 50 a second while the junk is sent and waits, and some of each address before it was refused. */
const CHECKS_MAX = 3_000;

let cluster: ControlPlane;
let shiplog: Shiplog;
const dataDir = mkdtempSync(join(tmpdir(), 'shiplog-junk-'));
/** The Cookie headers of people who have signed in. */
const people: string[] = [];

async function start(): Promise<void> {
  const env = {
    SHIPLOG_AUTH: 'token',
    SHIPLOG_TRUSTED_PROXIES: '127.0.0.0/8',
  };
  shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin, dataDir, env, port: shiplog?.port });
}

beforeAll(async () => {
  cluster = await startControlPlane();
  for (let index = 0; index < WORKLOADS; index += 1)
    await createDeployment(cluster, READER_NAMESPACE, `cart-${index}`, { replicas: 0 });
  await start();
  while (people.length < PEOPLE) people.push(cookieFrom(await signIn('operator', '192.0.2.1')));
});
afterAll(async () => {
  await shiplog?.stop();
  await cluster?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** From this address, by way of the proxy that Shiplog trusts. */
function send(path: string, address: string, init: RequestInit & { headers?: Record<string, string> } = {}) {
  return fetch(shiplog.url + path, { ...init, headers: { ...init.headers, 'x-forwarded-for': address } });
}

async function signIn(user: 'operator' | 'viewer', address: string): Promise<Response> {
  const body = JSON.stringify({ token: tokenIn(cluster.kubeconfigs[user]) ?? '' });
  const headers = { 'content-type': 'application/json' };
  const answer = await send('/api/session', address, { method: 'POST', body, headers });
  expect(answer.status).toBe(200);
  return answer;
}

async function checksBy(result: string): Promise<number> {
  const text = await (await send('/metrics', '192.0.2.1', { headers: { cookie: people[0] ?? '' } })).text();
  return Number(
    new RegExp(`^shiplog_credential_checks_total\\{result="${result}"\\} (\\d+)$`, 'm').exec(text)?.[1],
  );
}

describe('300 junk tokens a second from 200 addresses, and 5,000 junk cookies', () => {
  it('are refused after few checks, and a person signs in and reads meanwhile', async () => {
    const refusedBefore = await checksBy('refused');
    const sending = sendJunk(shiplog.port);
    await until('the junk is refused', async () => (await checksBy('limited')) > 0);
    const first = await Promise.race([
      signIn('viewer', '192.0.2.2').then(() => 'the person is signed in'),
      sending.then(() => 'all junk is answered'),
    ]);
    const list = await send('/api/workloads', '192.0.2.1', { headers: { cookie: people[0] ?? '' } });
    expect(list.status).toBe(200);
    const { statuses, sent } = await sending;
    const refused = (await checksBy('refused')) - refusedBefore;
    const shown = `${refused} checks; answers ${JSON.stringify(statuses)}`;
    expect(sent, shown).toEqual({ tokens: JUNK.tokensPerSecond * JUNK.seconds, cookies: JUNK.cookies });
    // On a busy machine the system closes some of its connections.
    expect(
      Object.keys(statuses).filter((status) => !['401', '429', 'ECONNRESET'].includes(status)),
      shown,
    ).toEqual([]);
    // Without the limit all tokens, and the cookies in the form of earlier versions.
    expect(refused, shown).toBeLessThan(CHECKS_MAX);
    expect(first, shown).toBe('the person is signed in');
  });
});

describe('300 people with cookies, after a restart', () => {
  it('load their pages in one second, also where someone at their address sends junk', async () => {
    await shiplog.stop();
    await start();
    const office = '192.0.2.9';
    const junk = { headers: { authorization: 'Bearer of-no-one' } };
    expect((await send('/api/workloads', office, junk)).status).toBe(401);
    const answers = await Promise.all(
      people.map(async (cookie, index) => {
        await new Promise((resolve) => setTimeout(resolve, (index * 1_000) / PEOPLE));
        const page = await (await send('/', office, { headers: { cookie } })).text();
        const { status } = await send('/api/workloads', office, { headers: { cookie } });
        return `${/data-viewer="([^"]*)"/.exec(page)?.[1]} ${status}`;
      }),
    );
    expect(new Set(answers)).toEqual(new Set(['user%3Aoperator 200']));
    expect(await checksBy('limited')).toBe(0);
  });
});
