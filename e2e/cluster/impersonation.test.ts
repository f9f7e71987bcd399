import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signInManifests } from '@/e2e/controlplane/chart-account';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { READER_NAMESPACE } from '@/e2e/controlplane/users';
import { createDeployment } from '@/e2e/cluster/deployments';
import { openStream } from '@/e2e/cluster/event-stream';
import { everyRoute } from '@/e2e/cluster/every-route';
import { until } from '@/e2e/cluster/fixtures';
import { needs } from '@/e2e/cluster/needs';
import { untilNextSecond } from '@/e2e/support/next-second';
import { behindProxy, signedInAs as of } from '@/e2e/support/proxy-sign-in';
import { cookieFrom, signInAt } from '@/e2e/support/sign-in';
import { freePort } from '@/e2e/controlplane/ports';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import { makeFolder } from '@/server/cluster/testing/kubeconfig-file';
import { TestProvider } from '@/server/identity/testing/oidc-provider';

const shop = READER_NAMESPACE;
const cart = `/api/workloads/deployments.apps/${shop}/cart`;
/** Shiplog's own account, with no rights but those that the chart gives it. */
const account = 'nobody';
const client = { id: 'shiplog', secret: 'of-the-client' };
const hasAll = await needs('Impersonation', 'kubectl', 'audit');

let cluster: ControlPlane;
let shiplog: Shiplog;
let login: TestProvider;
let withProvider: Shiplog;
let startWithProvider: () => Promise<Shiplog>;
const folder = makeFolder();

async function kubectl(args: string[], options: { user?: typeof account; input?: string } = {}) {
  const { code, stdout, stderr } = await cluster.kubectl(args, options);
  return { ok: code === 0, text: stdout + stderr };
}

async function allow(name: string, ...subject: string[]): Promise<void> {
  const { ok, text } = await kubectl([
    'create',
    'clusterrolebinding',
    `${name}-of-${subject.length}-${subject.join('-').replace(/\W/g, '')}`,
    `--clusterrole=${name}`,
    ...subject,
  ]);
  if (!ok) throw new Error(text);
}

const view = 'test-view-namespaced';

function bindDevelopers() {
  const binding = ['dev', '-n', shop, `--clusterrole=${view}`, '--group=oidc:dev'];
  return kubectl(['create', 'rolebinding', ...binding]);
}

beforeAll(async () => {
  if (!hasAll) return;
  cluster = await startControlPlane();
  for (const namespace of [shop, 'default'])
    await createDeployment(cluster, namespace, 'cart', { replicas: 0 });
  const access = await signInManifests(account);
  expect(await kubectl(['apply', '-f', '-'], { input: access })).toMatchObject({ ok: true });
  await kubectl(['create', 'clusterrole', 'read-secrets', '--verb=get,list', '--resource=secrets']);
  for (const name of ['test-view', 'test-operate', 'read-secrets']) await allow(name, '--group=oidc:sre');
  await bindDevelopers();
  const prefixes = { SHIPLOG_USERNAME_PREFIX: 'oidc:', SHIPLOG_GROUPS_PREFIX: 'oidc:' };
  const kubeconfig = cluster.kubeconfigs[account];
  shiplog = await startShiplog({
    kubeconfig,
    env: {
      ...behindProxy,
      ...prefixes,
    },
  });
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  login = await TestProvider.start({ ...client, redirectUri: `${publicUrl}/sign-in/callback` });
  startWithProvider = () =>
    startShiplog({
      ...{ kubeconfig, port, dataDir: folder.path },
      env: {
        ...{ SHIPLOG_AUTH: 'oidc', SHIPLOG_PUBLIC_URL: publicUrl, SHIPLOG_OIDC_ISSUER: login.issuer },
        ...{ SHIPLOG_OIDC_CLIENT_ID: client.id, SHIPLOG_OIDC_CLIENT_SECRET: client.secret, ...prefixes },
      },
    });
  withProvider = await startWithProvider();
});
afterAll(async () => {
  await withProvider?.stop();
  await login?.stop();
  await shiplog?.stop();
  await cluster?.stop();
  folder.remove();
});

function send(path: string, headers: Record<string, string>, body?: unknown, method = 'POST') {
  return fetch(shiplog.url + path, {
    ...(body !== undefined && { method, body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json', ...headers },
  });
}

async function json(path: string, headers: Record<string, string>, body?: unknown): Promise<any> {
  return (await send(path, headers, body)).json();
}

async function namespacesSeen(headers: Record<string, string>): Promise<string[]> {
  const { items } = await json('/api/workloads', headers);
  return [...new Set<string>(items.map(({ namespace }: { namespace: string }) => namespace))].sort();
}

/** Of a request with exactly these header lines, whose answer is read by its first line. */
function statusOf(lines: readonly (readonly [string, string])[]): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(shiplog.port, '127.0.0.1')
      .on('data', (part) => (text += part.toString('latin1')))
      .on('error', reject)
      .on('close', () => resolve(Number(text.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length))));
    const head = lines.map(([name, value]) => `${name}: ${value}`);
    const first = [`GET ${cart} HTTP/1.1`, `Host: 127.0.0.1:${shiplog.port}`, 'Connection: close'];
    socket.write([...first, ...head, '', ''].join('\r\n'), 'latin1');
  });
}

/** Who patched anything during `work`, each once, as the API server logged it. */
async function patchersDuring(work: () => Promise<void>) {
  const since = await cluster.auditPosition();
  await work();
  const patches = async () =>
    (await cluster.audit(since)).filter(({ verb, code }) => verb === 'patch' && code === 200);
  await until('the patch is logged', async () => (await patches()).length > 0);
  const patchers = (await patches()).map(({ user, impersonatedUser }) => ({ user, impersonatedUser }));
  return [...new Map(patchers.map((patcher) => [JSON.stringify(patcher), patcher])).values()];
}

describe.runIf(hasAll)('behind a proxy that signs people in', () => {
  it('each sees what their groups may list in the cluster', async () => {
    expect(await namespacesSeen(of('ana', 'sre'))).toEqual(expect.arrayContaining(['default', shop]));
    expect(await namespacesSeen(of('ben', 'dev'))).toEqual([shop]);
    expect(await namespacesSeen(of('eve'))).toEqual([]);
    expect(await json('/api/session', of('ana', 'sre'))).toMatchObject({
      ...{ mode: 'proxy-headers', canSignOut: false, viewer: { name: 'ana' } },
    });
  });

  it('a right that is taken or given counts at once on an open page, though answers count for a minute', async () => {
    const ben = of('ben', 'dev');
    expect(await namespacesSeen(ben)).toEqual([shop]);
    const page = await openStream(
      { ...shiplog, fetch: (path, init) => fetch(shiplog.url + path, init) },
      ben,
    );
    await page.next('the state', ({ event }) => event === 'state');
    const requestsToRefetch = () => page.events.filter(({ event }) => event === 'resync').length;
    const { text: rules } = await kubectl(['get', 'clusterrole', view, '-o', 'jsonpath={.rules}']);
    const setRules = (value: string) => () =>
      kubectl(['patch', 'clusterrole', view, '--type=merge', '-p', `{"rules":${value}}`]);
    for (const [change, seen] of [
      [() => kubectl(['delete', 'rolebinding', 'dev', '-n', shop]), []],
      [bindDevelopers, [shop]],
      [setRules('[]'), []],
      [setRules(rules), [shop]],
    ] as const) {
      const before = requestsToRefetch();
      expect(await change()).toMatchObject({ ok: true });
      await until('the page is told to refetch', () => Promise.resolve(requestsToRefetch() > before));
      expect(await namespacesSeen(ben)).toEqual(seen);
    }
    page.close();
  });

  it('is told what the cluster makes of them', async () => {
    const { clusters, ...known } = await json('/api/identity', of('ana', 'sre'));
    expect(known).toMatchObject({ mode: 'proxy-headers', name: 'ana' });
    expect(clusters).toMatchObject([
      {
        credential: 'impersonate',
        sent: { user: 'oidc:ana', groups: ['oidc:sre'] },
        answer: { user: 'oidc:ana', groups: ['oidc:sre', 'system:authenticated'] },
        problem: null,
      },
    ]);
  });

  it('and acts as themselves, which the audit log of the API server shows', async () => {
    const { workload } = await json(cart, of('ana', 'sre'));
    const body = { seen: workload.seen, reason: 'to see who it was' };
    expect((await send(`${cart}/restart`, of('ben', 'dev'), body)).status).toBe(403);
    const patches = await patchersDuring(async () => {
      expect((await send(`${cart}/restart`, of('ana', 'sre'), body)).status).toBe(200);
    });
    expect(patches).toEqual([{ user: account, impersonatedUser: 'oidc:ana' }]);
    const { items } = await json(`${cart}/actions`, of('ana', 'sre'));
    expect(items[0]).toMatchObject({ actor: 'ana' });
  });

  it('no one is signed in by headers that are not the proxy’s', async () => {
    const { 'x-proxy-secret': _, ...bare } = of('ana', 'sre');
    const forged: Record<string, string>[] = [
      ...[bare, { ...bare, 'x-proxy-secret': 'x'.repeat(32) }, of('ana,ben'), of('system:admin')],
      ...[
        of('ana', 'dev,system:masters'),
        { 'x-proxy-secret': behindProxy.SHIPLOG_PROXY_SECRET, X_Forwarded_User: 'ana' },
      ],
    ];
    for (const headers of forged) expect((await send(cart, headers)).status).toBe(401);
    const open = ['/api/healthz', '/api/readyz', '/api/session'];
    for (const { method, path } of everyRoute.filter((route) => !open.includes(route.path))) {
      const answer = await send(path, bare, method === 'GET' ? undefined : {}, method);
      expect([method, path, answer.status]).toEqual([method, path, 401]);
    }
  });

  it('a name in UTF-8 is that of the person, and a header that is sent twice names no one', async () => {
    const bytes = (text: string) => Buffer.from(text).toString('latin1');
    const sre = of(bytes('Müller'), bytes('sre, größe'));
    const { clusters, ...known } = await json('/api/identity', sre);
    expect([known.name, clusters[0].answer]).toMatchObject([
      'Müller',
      { user: 'oidc:Müller', groups: ['oidc:sre', 'oidc:größe', 'system:authenticated'] },
    ]);
    expect(await json('/api/identity', of('M\u00fcller', 'sre'))).toMatchObject({ name: 'Müller' });
    for (const twice of ['X-Forwarded-Groups', 'X-Forwarded-User', 'X-Proxy-Secret']) {
      const own = Object.entries(of('ana', 'dev'));
      const again = own.filter(([name]) => name === twice.toLowerCase());
      expect([twice, await statusOf([...own, ...again])]).toEqual([twice, 401]);
    }
    expect(await statusOf(Object.entries(of('ana', 'dev, sre')))).toBe(200);
    expect((await send(cart, of(bytes('nimda\u202e'), 'sre'))).status).toBe(401);
  });

  it('the account of Shiplog can do nothing else as anybody', async () => {
    const as = (args: string[], ...who: string[]) => kubectl([...args, ...who], { user: account });
    const ana = ['--as=oidc:ana', '--as-group=oidc:sre'];
    expect(await as(['get', 'deployment', 'cart', '-n', shop], ...ana)).toMatchObject({ ok: true });
    for (const args of [
      ['get', 'secrets', '-A'],
      ['get', 'secret', 'x', '-n', shop],
      ['get', 'deployments', '-A'],
    ])
      expect(await as(args, ...ana)).toMatchObject({ ok: false, text: expect.stringContaining('orbidden') });
    for (const who of [
      ['--as=x', '--as-group=system:masters'],
      ['--as=system:serviceaccount:kube-system:default'],
    ])
      expect(await as(['get', 'deployment', 'cart', '-n', shop], ...who)).toMatchObject({
        ...{ ok: false, text: expect.stringContaining('orbidden') },
      });
  });
});

describe.runIf(hasAll)('with an identity provider that no API server trusts', () => {
  function request(path: string, cookie: string, body?: unknown): Promise<Response> {
    return fetch(withProvider.url + path, {
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json', cookie },
    });
  }

  it('a person signs in and acts, and the audit log of the API server names them', async () => {
    const cookie = cookieFrom(await signInAt(withProvider, login, 'ana'));
    const { viewer } = await (await request('/api/session', cookie)).json();
    expect(viewer).toMatchObject({ name: 'ana@shop.example' });
    const { workload } = await (await request(cart, cookie)).json();
    const body = { seen: workload.seen, reason: 'to see who it was' };
    const patches = await patchersDuring(async () => {
      expect((await request(`${cart}/restart`, cookie, body)).status).toBe(200);
    });
    expect(patches).toEqual([{ user: account, impersonatedUser: 'oidc:ana@shop.example' }]);
    const lines = readFileSync(join(folder.path, 'audit.jsonl'), 'utf8').split('\n');
    const line = lines.find((each) => each.includes('"attempted"')) ?? '';
    expect(JSON.parse(line)).toMatchObject({
      action: { actor: 'ana@shop.example' },
      identity: { user: 'oidc:ana@shop.example', groups: ['oidc:dev', 'oidc:sre'] },
      sender: { issuer: login.issuer, subject: 'ana', session: expect.any(String), address: '127.0.0.1' },
    });
  });

  it('no one is signed in with a group of the API server', async () => {
    login.accounts.mallory = { email: 'mallory@shop.example', groups: ['sre', 'system:masters'] };
    const answer = await signInAt(withProvider, login, 'mallory');
    expect([answer.status, await answer.text()]).toEqual([401, expect.stringContaining('system:masters')]);
    expect((await request(cart, cookieFrom(answer))).status).toBe(401);
    const lines = readFileSync(join(folder.path, 'audit.jsonl'), 'utf8').trim().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      ...{ event: 'signInRefused', reason: expect.stringContaining('system:masters') },
      sender: { address: '127.0.0.1' },
    });
  });

  it('an address that the provider has not verified is not the name of the person', async () => {
    login.accounts.eve = { email: 'ana@shop.example', email_verified: 'false', groups: ['sre'] };
    const cookie = cookieFrom(await signInAt(withProvider, login, 'eve'));
    const { viewer } = await (await request('/api/session', cookie)).json();
    expect(viewer).toMatchObject({ name: 'eve' });
  });

  it('a logout token is good once, also after a restart, and a malformed one is refused', async () => {
    const logout = async (token: string) => {
      const answer = await fetch(`${withProvider.url}/sign-in/back-channel-logout`, {
        method: 'POST',
        body: new URLSearchParams({ logout_token: token }),
      });
      return answer.status;
    };
    const signedIn = async (cookie: string) => (await request(cart, cookie)).status === 200;
    const first = cookieFrom(await signInAt(withProvider, login, 'ana'));
    expect(await logout(await login.logoutToken({ sub: { $ne: 1 } as unknown as string }))).toBe(400);
    expect(await signedIn(first)).toBe(true);
    const token = await login.logoutToken({ sub: 'ana' });
    expect(await logout(token)).toBe(200);
    expect(await signedIn(first)).toBe(false);
    await untilNextSecond(Date.now());
    const second = cookieFrom(await signInAt(withProvider, login, 'ana'));
    expect(await logout(token)).toBe(400);
    await withProvider.stop('SIGKILL');
    withProvider = await startWithProvider();
    expect(await logout(token)).toBe(200);
    expect(await signedIn(second)).toBe(true);
  });

  it('the session survives a restart of Shiplog', async () => {
    const cookie = cookieFrom(await signInAt(withProvider, login, 'ana'));
    await withProvider.stop('SIGKILL');
    withProvider = await startWithProvider();
    expect((await request(cart, cookie)).status).toBe(200);
  });
});
