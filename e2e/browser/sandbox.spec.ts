import { expect, expectAccessible, expectNoSidewaysScroll, test } from '@/e2e/browser/page';
import { withSeededSandbox } from '@/e2e/browser/seeded-sandbox';

/** What `npm start` shows without a cluster; one start for all tests, in this order. */
test.describe.configure({ mode: 'serial' });

const sandbox = withSeededSandbox();

const row = (name: string) => ({ name: new RegExp(`^${name}\\b`) });

test('shows a shop of some sixty workloads and says that it is a sandbox', async ({ page }) => {
  await page.goto(sandbox.address('/'));
  await expect(page.getByRole('button', { name: /^All (5\d|6\d)$/ })).toBeVisible();
  for (const name of ['checkout', 'ledger-db', 'node-agent', 'catalog', 'image-tagger'])
    await expect(page.getByRole('table').getByRole('link', row(name))).toBeVisible();
  await expect(page.getByText('Demo data:')).toBeVisible();
});

test('explains how to connect a real cluster, and lets the viewer close the note', async ({ page }) => {
  await page.goto(sandbox.address('/'));
  await page.getByRole('button', { name: 'Connect your cluster' }).click();
  await expect(page.getByRole('dialog')).toContainText('KUBECONFIG=');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await expect(page.getByText('Demo data:')).toBeHidden();
  await page.reload();
  await expect(page.getByRole('button', { name: 'Connect your cluster' })).toBeVisible();
  await expect(page.getByText('Demo data:')).toBeHidden();
});

test('fits a phone', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 780 });
  await page.goto(sandbox.address('/'));
  await expect(page.getByText('Demo data:')).toBeVisible();
  await expectNoSidewaysScroll(page);
  await page.getByRole('button', { name: 'Connect your cluster' }).click();
  await expect(page.getByRole('dialog')).toContainText('npm start');
  await expectNoSidewaysScroll(page);
});

test('requests a missing page once, and leads to the search instead', async ({ page }) => {
  const requestedUrls: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/workloads/foos/')) requestedUrls.push(pathname);
  });
  const isLive = page.waitForResponse((response) => response.url().endsWith('/api/stream'));
  await page.goto(sandbox.address('/workloads/foos/shop/cart'));
  await expect(page.getByText('This cluster has no workload kind “foos”')).toBeVisible();
  await isLive;
  await expect(page.locator('[data-link=live]')).toBeVisible();
  expect(requestedUrls).toHaveLength(1);
  await page.getByRole('link', { name: 'Search workloads' }).click();
  await expect(page.getByRole('table').getByRole('link', row('cart'))).toBeVisible();
});

test('compares, rolls back and shows the pods move, here and on another open page', async ({
  page,
  context,
}) => {
  const fleet = await context.newPage();
  await fleet.goto(sandbox.address('/'));
  const checkout = fleet.getByRole('row').filter({ has: fleet.getByRole('link', row('checkout')) });
  await expect(checkout).toContainText('0/2');

  await page.goto(sandbox.address('/'));
  await page.getByRole('table').getByRole('link', row('checkout')).click();
  await page.getByRole('link', { name: /^Compare rev 5/ }).click();
  // The workload page uses the variable too: going back before the page has changed would leave the workload's page.
  await page.waitForURL(/\/compare/);
  await expect(page.getByText('PAYMENTS_URL').first()).toBeVisible();
  await page.goBack();
  await page.getByRole('button', { name: /^Roll back to rev 5/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /^Roll back to rev 5/ }).click();
  await expect(dialog).toContainText(/as revision 7|Complete/i);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('All 4 pods run revision 7');
  await expect(checkout).toContainText('4 of 4 ready');
});

test('says that Argo CD reverts a rollback within seconds, and shows that it does', async ({ page }) => {
  await page.goto(sandbox.address('/workloads/statefulsets.apps/shop/sessions'));
  const note = 'Argo CD reverts this within seconds (self-heal is on).';
  await expect(page.getByText(note)).toBeVisible();
  await page
    .getByRole('button', { name: /^Roll back to rev 2/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText(note);
  await dialog.getByRole('button', { name: /^Roll back to rev 2/ }).click();
  await page.keyboard.press('Escape');
  // Argo CD writes revision 3 again, which becomes the newest.
  await expect(page.getByRole('heading', { level: 1 })).toContainText('All 3 pods run revision 5');
});

test('shows a StormService with its revisions, on a phone too', async ({ page }) => {
  const address = '/workloads/stormservices.orchestration.aibrix.ai/ml/translator';
  // A long list draws only the rows near the window.
  await page.goto(sandbox.address('/?q=translator'));
  await page.getByRole('table').getByRole('link', row('translator')).click();
  await page.waitForURL((url) => url.pathname === address);
  await expect(page.getByRole('table', { name: /^(Rollouts|Revisions) of/ }).getByRole('row')).toHaveCount(5);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('run revision 4');
  await expect(page.getByRole('button', { name: 'Roll back… to rev 1' })).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 780 });
  await expectNoSidewaysScroll(page);
});

test('shows a rollout of OAM after its second batch, and why another one has failed', async ({ page }) => {
  await page.goto(sandbox.address('/rollouts'));
  await page
    .getByRole('row', { name: /loyalty.*Waiting for approval at batch 2 of 4/ })
    .getByRole('link')
    .first()
    .click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Waiting for approval at batch 2 of 4');
  await page.goto(sandbox.address('/rollouts/rollouts.standard.oam.dev/search/ranker'));
  await expect(page.getByText('Metric error-rate = 7.4 (limit ≤ 1)').first()).toBeVisible();
});

test('lists a failed rollout under trouble, with a link to the rollback', async ({ page }) => {
  await page.goto(sandbox.address('/'));
  await page.getByRole('button', { name: /^Needs attention/ }).click();
  const ranker = page.getByRole('row').filter({ has: page.getByRole('link', row('ranker')) });
  await expect(ranker).toContainText('Failed in batch 1 of 3');
  await ranker.getByRole('link', row('ranker')).click();
  await page.getByRole('link', { name: 'Open rollout' }).click();
  await page.getByRole('link', { name: /^Roll back CloneSet ranker/ }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('dry run passed');
  await expect(dialog.getByRole('button', { name: /^Roll back to rev 2/ })).toBeEnabled();
});

test('rolls an Application back to a compressed revision under its own publishVersion', async ({ page }) => {
  await page.goto(sandbox.address('/workloads/applications.core.oam.dev/shop/campaigns'));
  await expect(page.getByText('campaigns-v6').first()).toBeVisible();
  await page
    .getByRole('button', { name: /^Roll back to rev 6/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('dry run passed');
  await dialog.getByRole('button', { name: /^Roll back to rev 6/ }).click();
  await expect(page.getByText('campaigns-v8').first()).toBeVisible();
});
