import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import { type ControlPlane } from '@/e2e/controlplane/running-cluster';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
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
