import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import { tokenIn } from '@/e2e/controlplane/kubeconfig';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { READER_NAMESPACE, type User } from '@/e2e/controlplane/users';
import { createDeployment } from '@/e2e/cluster/deployments';
import { everyRoute } from '@/e2e/cluster/every-route';
import { openStream } from '@/e2e/cluster/event-stream';
import { until } from '@/e2e/cluster/fixtures';
import { needs } from '@/e2e/cluster/needs';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';

const shop = READER_NAMESPACE;
const cart = `/api/workloads/deployments.apps/${shop}/cart`;

let cluster: ControlPlane;
let shiplog: Shiplog;
const tokenOf = (user: User) => tokenIn(cluster.kubeconfigs[user]) ?? '';
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

beforeAll(async () => {
  cluster = await startControlPlane();
  for (const namespace of [shop, 'default'])
    await createDeployment(cluster, namespace, 'cart', { replicas: 0 });
  const env = { SHIPLOG_AUTH: 'token', SHIPLOG_TRUSTED_PROXIES: '127.0.0.0/8' };
  shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin, env });
});
afterAll(async () => {
  await shiplog?.stop();
  await cluster?.stop();
});

/** Without the local key, which means nothing to this Shiplog. */
function send(path: string, headers: Record<string, string> = {}, body?: unknown, method = 'POST') {
  return fetch(shiplog.url + path, {
    ...(body !== undefined && { method, body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json', ...headers },
  });
}

/** A browser that has signed in: its Cookie header. */
async function signIn(token: string): Promise<{ cookie: string }> {
  const answer = await send('/api/session', {}, { token });
  expect(answer.status).toBe(200);
  return {
    cookie: answer.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; '),
  };
}

async function codeOf(answer: Response): Promise<string> {
  return ((await answer.json()) as { error: { code: string } }).error.code;
}

async function namespacesSeen(headers: Record<string, string>): Promise<Set<string>> {
  const { items } = (await (await send('/api/workloads', headers)).json()) as {
    items: { namespace: string }[];
  };
  return new Set(items.map(({ namespace }) => namespace));
}

describe('without a token', () => {
  it('every route but health and sign-in is closed', async () => {
    const open = ['/api/healthz', '/api/readyz', '/api/session'];
    let addresses = 0;
    const strangers: Record<string, string> = { cookie: `shiplog-${shiplog.port}=x` };
    for (const { method, path } of everyRoute.filter((route) => !open.includes(route.path))) {
      for (const headers of [{}, bearer('of-no-user'), strangers]) {
        // From another address each time: one that was refused has five checks a second.
        addresses += 1;
        const from = { 'x-forwarded-for': `10.0.${addresses >> 8}.${addresses & 255}` };
        const answer = await send(path, { ...headers, ...from }, method === 'GET' ? undefined : {}, method);
        expect([method, path, answer.status, await codeOf(answer)]).toEqual([
          method,
          path,
          401,
          'signed_out',
        ]);
      }
    }
  });

  it('a page tells nothing of the cluster', async () => {
    const text = await (await fetch(`${shiplog.url}${cart.replace('/api', '')}`)).text();
    for (const known of [new URL(cluster.server).host, 'admin', 'kube-system'])
      expect(text).not.toContain(known);
  });
});

describe('with a token', () => {
  it('a person sees what their role lists, by cookie and by header', async () => {
    for (const user of ['operator', 'reader-shop'] as const) {
      const expected = user === 'operator' ? expect.arrayContaining([shop, 'default']) : [shop];
      for (const headers of [bearer(tokenOf(user)), await signIn(tokenOf(user))])
        expect([...(await namespacesSeen(headers))]).toEqual(expected);
    }
  });

  it('a person acts as themselves or not at all', async () => {
    const { workload } = (await (await send(cart, bearer(tokenOf('operator')))).json()) as {
      workload: { seen: string };
    };
    const body = { seen: workload.seen, reason: '' };
    const refused = await send(`${cart}/restart`, await signIn(tokenOf('viewer')), body);
    expect([refused.status, await codeOf(refused)]).toEqual([403, 'forbidden']);
    const done = await send(`${cart}/restart`, await signIn(tokenOf('operator')), body);
    expect(done.status).toBe(200);
    const { items } = (await (await send(`${cart}/actions`, bearer(tokenOf('operator')))).json()) as {
      items: { actor: string }[];
    };
    expect(items.map(({ actor }) => actor)).toContain('operator');
  });

  it('the session shows who it is, and signing out ends it with its stream', async () => {
    const headers = await signIn(tokenOf('operator'));
    const session = async () => (await send('/api/session', headers)).json();
    expect(await session()).toMatchObject({
      mode: 'token',
      viewer: { id: 'user:operator', name: 'operator' },
    });
    const stream = await openStream(
      { ...shiplog, fetch: (path, init) => fetch(shiplog.url + path, init) },
      headers,
    );
    await stream.next('the state', ({ event }) => event === 'state');
    expect((await fetch(`${shiplog.url}/api/session`, { method: 'DELETE', headers })).status).toBe(200);
    expect(await session()).toMatchObject({ viewer: null });
    await stream.next('its end', ({ event }) => event === 'bye');
    await stream.ended;
  });
});

describe.runIf(await needs('Sign-in', 'audit'))('the audit of the API server', () => {
  it('names the person, and never the process, for what they do', async () => {
    const since = await cluster.auditPosition();
    const headers = bearer(tokenOf('patcher'));
    const { workload } = (await (await send(cart, bearer(tokenOf('operator')))).json()) as {
      workload: { seen: string };
    };
    await send(`${cart}/restart`, headers, { seen: workload.seen, reason: '' });
    const patchers = async () =>
      new Set((await cluster.audit(since)).filter(({ verb }) => verb === 'patch').map(({ user }) => user));
    await until('the attempt is logged', async () => (await patchers()).size > 0);
    expect(await patchers()).toEqual(new Set(['patcher']));
  });
});
