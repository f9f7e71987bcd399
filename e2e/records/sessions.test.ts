import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { waitFor } from '@/e2e/controlplane/wait';
import { cookieFrom, signInAt } from '@/e2e/support/sign-in';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import { enginesUnderTest, type TestDatabase } from '@/server/archive/testing/engines';
import { TestProvider } from '@/server/identity/testing/oidc-provider';

const PUBLIC_URL = 'https://shiplog.test';
const client = { id: 'shiplog', secret: 'of-the-client', redirectUri: `${PUBLIC_URL}/sign-in/callback` };
/** A session is renewed when half of a short token remains, and at the earliest after 15 s. */
const TOKEN_SECONDS = 30;
const RENEWAL_MS = 15_000;

const { engines, stop } = await enginesUnderTest();
const replicated = engines.filter(({ engine }) => engine === 'postgres');
let cluster: ControlPlane;
let login: TestProvider;
let place: TestDatabase;
let replicas: Shiplog[];

function startReplicas(): Promise<Shiplog[]> {
  const env = {
    ...{ SHIPLOG_AUTH: 'oidc', SHIPLOG_PUBLIC_URL: PUBLIC_URL, SHIPLOG_OIDC_ISSUER: login.issuer },
    ...{ SHIPLOG_OIDC_CLIENT_ID: client.id, SHIPLOG_OIDC_CLIENT_SECRET: client.secret },
    ...{ SHIPLOG_SESSION_SECRET: 'of-all-replicas-and-long-enough-32', SHIPLOG_CREDENTIAL: 'token' },
    DATABASE_URL: place.databaseUrl ?? '',
  };
  const kubeconfig = cluster.kubeconfigs.admin;
  return Promise.all([1, 2].map(() => startShiplog({ kubeconfig, env })));
}

beforeAll(async () => {
  if (replicated[0] === undefined) return;
  cluster = await startControlPlane({ controllers: false });
  place = await replicated[0].createDatabase();
  login = await TestProvider.start(client, { idTokenSeconds: TOKEN_SECONDS });
  replicas = await startReplicas();
});

afterAll(async () => {
  for (const shiplog of replicas ?? []) await shiplog.stop();
  await login?.stop();
  await place?.remove();
  await cluster?.stop();
  await stop();
});

async function viewerAt({ url }: Shiplog, cookie: string): Promise<string | null> {
  const answer = await fetch(`${url}/api/session`, { headers: { cookie } });
  const { viewer } = (await answer.json()) as { viewer: { name: string } | null };
  return viewer?.name ?? null;
}

describe.runIf(replicated.length > 0)('a person who signed in at one of two replicas', () => {
  let cookie: string;

  test('is signed in at the other', async () => {
    const [first, second] = replicas as [Shiplog, Shiplog];
    cookie = cookieFrom(await signInAt(first, login, 'ana'));
    expect(await viewerAt(second, cookie)).toBe('ana@shop.example');
  });

  test('stays signed in when both renew the session at once, with a refresh token that works once', async () => {
    const signedIn = Date.now();
    await waitFor(() => Promise.resolve(Date.now() - signedIn > RENEWAL_MS), { what: 'a renewal is due' });
    const before = login.requests.length;
    const all = Array.from({ length: 50 }, (_, index) => viewerAt(replicas[index % 2] as Shiplog, cookie));
    expect(new Set(await Promise.all(all))).toEqual(new Set(['ana@shop.example']));
    expect(login.requests.slice(before).filter((line) => line === 'POST /token')).toHaveLength(1);
  });

  test('and after both were killed', async () => {
    for (const shiplog of replicas) await shiplog.stop('SIGKILL');
    replicas = await startReplicas();
    for (const shiplog of replicas) expect(await viewerAt(shiplog, cookie)).toBe('ana@shop.example');
  });

  test('signs out at both', async () => {
    const [first, second] = replicas as [Shiplog, Shiplog];
    const answer = await fetch(`${first.url}/api/session`, { method: 'DELETE', headers: { cookie } });
    expect(answer.status).toBe(200);
    expect(await viewerAt(first, cookie)).toBeNull();
    await waitFor(async () => (await viewerAt(second, cookie)) === null, { what: 'the other notices' });
  });
});
