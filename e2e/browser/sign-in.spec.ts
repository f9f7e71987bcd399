import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tokenIn } from '@/e2e/controlplane/kubeconfig';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { freePort } from '@/e2e/controlplane/ports';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import { TestProvider } from '@/server/identity/testing/oidc-provider';
import { expect, expectAccessible, expectNoSidewaysScroll, test } from '@/e2e/browser/page';

// A browser as it comes: it sends no key.
test.use({ extraHTTPHeaders: {} });

let cluster: ControlPlane;
let shiplog: Shiplog;
const key = () => readFileSync(join(shiplog.dataDir, 'local-key'), 'utf8').trim();

test.beforeAll(async () => {
  cluster = await startControlPlane({ controllers: false });
  shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin });
});

test.afterAll(async () => {
  await shiplog?.stop();
  await cluster?.stop();
});

test('the URL with the key signs in, and the key leaves the address', async ({ page }) => {
  await page.goto(`${shiplog.url}/timeline#key=${key()}`);
  await expect(page.getByText('live', { exact: true })).toBeVisible();
  await expect(page).toHaveURL(`${shiplog.url}/timeline`);
  await expect(page.getByRole('dialog')).toBeHidden();
  // The cookie alone is enough from now on.
  await page.goto(shiplog.url);
  await expect(page.getByText('live', { exact: true })).toBeVisible();
  await expect(page.getByRole('dialog')).toBeHidden();
});

test('without a key the page says what to do, by the keyboard alone', async ({ page }) => {
  await page.goto(shiplog.url);
  const dialog = page.getByRole('dialog', { name: 'Sign in' });
  await expect(dialog).toContainText('Open the URL that npm start printed');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.keyboard.type('not-the-key');
  await page.keyboard.press('Enter');
  await expect(dialog).toContainText('This key is not the one of this Shiplog.');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(key());
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(page.getByText('live', { exact: true })).toBeVisible();
});

test('a wrong key in the URL is explained', async ({ page }) => {
  await page.goto(`${shiplog.url}/#key=an-old-one`);
  await expect(page.getByRole('dialog', { name: 'Sign in' })).toContainText('This key is not the one');
  await expect(page).toHaveURL(`${shiplog.url}/`);
});

test('a session that ends while the page is open asks again and loses nothing', async ({ page, context }) => {
  await page.goto(`${shiplog.url}/?q=checkout#key=${key()}`);
  const search = page.getByRole('searchbox');
  await expect(search).toHaveValue('checkout');
  await expect(page.getByText('live', { exact: true })).toBeVisible();
  await context.clearCookies();
  await page.getByRole('link', { name: 'History' }).click();
  const dialog = page.getByRole('dialog', { name: 'Sign in' });
  await dialog.getByLabel('Key', { exact: true }).fill(key());
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(/\/records/);
  await expect(page.getByText('live', { exact: true })).toBeVisible();
});

test.describe('with a token', () => {
  let withToken: Shiplog;

  test.beforeAll(async () => {
    const env = { SHIPLOG_AUTH: 'token' };
    withToken = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin, env });
  });
  test.afterAll(() => withToken?.stop());

  test('a person signs in as themselves, and signs out in every tab', async ({ page, context }) => {
    await page.goto(`${withToken.url}/records`);
    const dialog = page.getByRole('dialog', { name: 'Sign in' });
    await expect(dialog).toContainText('Paste a bearer token of the cluster');
    await expectAccessible(page);
    await page.keyboard.type('no-token-of-this-cluster');
    await page.keyboard.press('Enter');
    await expect(dialog).toContainText('The cluster does not accept this token.');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(tokenIn(cluster.kubeconfigs.operator) ?? '');
    await page.keyboard.press('Enter');
    await expect(dialog).toBeHidden();
    await expect(page.getByText('live', { exact: true })).toBeVisible();
    const other = await context.newPage();
    await other.goto(withToken.url);
    await expect(other.getByText('live', { exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'operator, you' }).click();
    await expect(page.getByText('You are operator')).toBeVisible();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await expect(dialog).toBeVisible();
    await expect(other.getByRole('dialog', { name: 'Sign in' })).toBeVisible();
  });

  test('a link from another site shows the page, and actions work from it', async ({ page, context }) => {
    await page.goto(withToken.url);
    await page.getByLabel('Token', { exact: true }).fill(tokenIn(cluster.kubeconfigs.operator) ?? '');
    await page.keyboard.press('Enter');
    await expect(page.getByText('live', { exact: true })).toBeVisible();
    const cookies = (await context.cookies()).map(({ name, sameSite }) => [name, sameSite]);
    expect(Object.fromEntries(cookies)).toMatchObject({
      [`shiplog-${withToken.port}`]: 'Lax',
      [`shiplog-${withToken.port}-act`]: 'Strict',
    });
    const elsewhere = await context.newPage();
    // Another site: its name leads to this machine as well, and is not the host of the cookies.
    await elsewhere.goto(`data:text/html,<a href="${withToken.url}/activity">open</a>`);
    const first = elsewhere.waitForRequest(`${withToken.url}/activity`);
    await elsewhere.getByRole('link').click();
    expect((await (await first).allHeaders()).cookie ?? '').not.toContain('-act=');
    await expect(elsewhere.getByText('live', { exact: true })).toBeVisible();
    // A change from this page carries the strict cookie: it gets as far as the record that does not exist.
    const status = await elsewhere.evaluate(async () => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ pinned: true });
      return (await fetch('/api/records/no-such-record/pin', { method: 'PUT', headers, body })).status;
    });
    expect(status).toBe(404);
  });
});

test.describe('with an identity provider', () => {
  let login: TestProvider;
  let withProvider: Shiplog;

  test.beforeAll(async () => {
    // Another site than the provider's: the browser sends no strict cookies when it comes back.
    const port = await freePort();
    const publicUrl = `http://localhost:${port}`;
    const client = { id: 'shiplog', secret: 'of-the-client', redirectUri: `${publicUrl}/sign-in/callback` };
    login = await TestProvider.start(client);
    withProvider = await startShiplog({
      ...{ kubeconfig: cluster.kubeconfigs.admin, port },
      env: {
        ...{ SHIPLOG_AUTH: 'oidc', SHIPLOG_PUBLIC_URL: publicUrl, SHIPLOG_OIDC_ISSUER: login.issuer },
        ...{ SHIPLOG_OIDC_CLIENT_ID: client.id, SHIPLOG_OIDC_CLIENT_SECRET: client.secret },
      },
    });
  });
  test.afterAll(async () => {
    await withProvider?.stop();
    await login?.stop();
  });

  const at = (path: string) => `http://localhost:${withProvider.port}${path}`;

  test('a person signs in there, returns to their page, can act, and signs out', async ({ page }) => {
    await page.goto(at('/records?q=checkout'));
    await expect(page.getByRole('dialog', { name: 'Sign in' })).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(at('/records?q=checkout'));
    await expect(page.getByRole('button', { name: 'ana@shop.example, you' })).toBeVisible();
    // The first change after the return carries the strict cookie: it gets as far as the record that does not exist.
    const status = await page.evaluate(async () => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ pinned: true });
      return (await fetch('/api/records/no-such-record/pin', { method: 'PUT', headers, body })).status;
    });
    expect(status).toBe(404);
    await page.getByRole('button', { name: 'ana@shop.example, you' }).click();
    await page.getByRole('menuitem', { name: 'Your identity' }).click();
    await expect(page.getByRole('heading', { name: 'Your identity' })).toBeVisible();
    await expect(page.getByRole('main')).toContainText('system:authenticated');
    await page.goto(at('/activity/events'));
    await expect(page.getByRole('row', { name: /ana@shop\.example\s*Signed in/ })).toBeVisible();
    await expect(page.getByRole('main')).toContainText('Of sign-ins, only your own are listed.');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'ana@shop.example, you' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await expect(page).toHaveURL(new RegExp(`^${login.issuer}/session/end`));
    await page.goto(at('/'));
    await expect(page.getByRole('dialog', { name: 'Sign in' })).toBeVisible();
  });

  test('a sign-in that fails has a page that says why, and a reference for the log', async ({ page }) => {
    const mallory = { email: 'mallory@shop.example', groups: ['system:masters'] };
    login.accounts.mallory = mallory;
    login.account = 'mallory';
    await page.goto(at('/sign-in'));
    await expect(page.getByRole('heading', { name: 'Not signed in' })).toBeVisible();
    await expect(page.getByText('Sign-in was refused')).toContainText('system:masters');
    await expectAccessible(page);
    const reference = await page.locator('code').textContent();
    expect(withProvider.log()).toContain(`"request_id":"${reference}"`);
    mallory.groups = ['dev'];
    await page.getByRole('link', { name: 'Try again' }).click();
    await expect(page.getByRole('button', { name: 'mallory@shop.example, you' })).toBeVisible();
  });
});

test('fits a phone', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(shiplog.url);
  await expect(page.getByRole('dialog', { name: 'Sign in' })).toBeVisible();
  await expectNoSidewaysScroll(page);
});

test('a page of another site neither reads nor signs in', async ({ request }) => {
  const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  const data = { key: key() };
  const signIn = await request.post(`${shiplog.url}/api/session`, { headers, data });
  expect(signIn.status()).toBe(403);
  expect(signIn.headers()['set-cookie']).toBeUndefined();
  const bare = await request.get(`${shiplog.url}/api/workloads`);
  expect([bare.status(), (await bare.json()).error.code]).toEqual([401, 'signed_out']);
});
