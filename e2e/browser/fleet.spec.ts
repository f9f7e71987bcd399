import {
  coveredShare,
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  kubectl,
  test,
} from '@/e2e/browser/page';

const row = (name: string) => ({ name: new RegExp(`^${name}\\b`) });

test('lists every workload, trouble first, each row a link', async ({ page }) => {
  await page.goto('/');
  const links = page.getByRole('table').getByRole('link');
  await expect(page.getByRole('table').getByRole('link', row('checkout'))).toBeVisible();
  const names = (await links.allTextContents()).map((text) => text.trim());
  expect(names.findIndex((name) => name.startsWith('checkout'))).toBeLessThan(
    names.findIndex((name) => name.startsWith('cart')),
  );
  await page.getByRole('table').getByRole('link', row('checkout')).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Stalled');
});

test('keeps a filter in the address: reload, back and a colleague show the same', async ({
  page,
  context,
}) => {
  await page.goto('/');
  await page.getByRole('button', { name: /^Needs attention/ }).click();
  await expect(page.getByRole('table').getByRole('link', row('cart'))).toBeHidden();
  const address = page.url();
  await page.reload();
  await expect(page.getByRole('table').getByRole('link', row('checkout'))).toBeVisible();
  await expect(page.getByRole('table').getByRole('link', row('cart'))).toBeHidden();
  const colleague = await context.newPage();
  await colleague.goto(address);
  await expect(colleague.getByRole('table').getByRole('link', row('checkout'))).toBeVisible();
  await expect(colleague.getByRole('table').getByRole('link', row('cart'))).toBeHidden();
});

test('searches names, images and change causes, and says when nothing matches', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByRole('table').getByRole('link', row('checkout'))).toBeVisible();
  await page.keyboard.press('/');
  await page.keyboard.type('postgres:17.6');
  await expect(page.getByRole('table').getByRole('link', row('ledger-db'))).toBeVisible();
  await expect(page.getByRole('table').getByRole('link', row('checkout'))).toBeHidden();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('no such thing');
  await expect(page.getByText(/no workload|nothing matches/i).first()).toBeVisible();
});

test('opens a workload and comes back by the keyboard alone', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByRole('table').getByRole('link', row('checkout'))).toBeVisible();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/workloads\//);
  await page.goBack();
  await expect(page).toHaveURL(/\/(\?.*)?$/);
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toContainText('search');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
});

test('opens a workload although its search is not in the address yet, and back shows the search', async ({
  page,
}) => {
  const opened = Promise.withResolvers<void>();
  await page.route(/[?&]_rsc=/, async (route) => {
    await opened.promise;
    await route.continue();
  });
  await page.goto('/');
  await expect(page.getByRole('table').getByRole('link', row('checkout'))).toBeVisible();
  await page.keyboard.press('/');
  await page.keyboard.type('checkout');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/q=checkout/);
  opened.resolve();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Stalled');
  await page.goBack();
  await expect(page.getByRole('searchbox')).toHaveValue('checkout');
});

test('runs the keys that were pressed before the scripts had loaded', async ({ page }) => {
  let load = () => {};
  const isPressed = new Promise<void>((resolve) => (load = resolve));
  await page.route('**/_next/static/**/*.js', async (route) => {
    await isPressed;
    await route.continue();
  });
  await page.goto('/', { waitUntil: 'commit' });
  await expect(page.getByText('Loading workloads')).toBeAttached();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  load();
  await expect(page).toHaveURL(/\/workloads\//);
});

test('the palette jumps to a workload by name', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByRole('table').getByRole('link', row('checkout'))).toBeVisible();
  await page.keyboard.press('ControlOrMeta+k');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.type('node-agent');
  await expect(page.getByRole('option', { name: /node-agent.*edge · DaemonSet/ })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/daemonsets\.apps\/edge\/node-agent/);
});

test('shows a change in the cluster without a reload', async ({ page }) => {
  await page.goto('/');
  const cart = page.getByRole('row').filter({ has: page.getByRole('link', row('cart')) });
  await expect(cart).toBeVisible();
  kubectl('-n', 'shop', 'set', 'image', 'deployment/cart', '*=registry.example.com/shop/cart:9.9.9');
  await expect(cart).toContainText('9.9.9');
});

test('leaves most of a window of 911 × 512, a laptop at 150%, to the page', async ({ page }) => {
  await page.setViewportSize({ width: 911, height: 512 });
  for (const [path, sign] of [
    ['/', page.getByRole('table').getByRole('link', row('checkout'))],
    ['/workloads/deployments.apps/shop/checkout', page.getByRole('button', { name: /^Roll back/ }).first()],
  ] as const) {
    await page.goto(path);
    await expect(sign).toBeVisible();
    // Once the page is long enough to scroll.
    await expect.poll(() => page.evaluate(scrollOn)).toBeGreaterThan(150);
    expect(await page.evaluate(coveredShare)).toBeLessThan(1 / 3);
  }
});

function scrollOn(): number {
  scrollTo(0, 400);
  return scrollY;
}

test('fits a phone', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto('/');
  await expect(page.getByRole('link', row('checkout')).first()).toBeVisible();
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
});

test('a saved view and the namespaces that are listed first follow the person to another browser', async ({
  page,
  browser,
}) => {
  await page.goto('/?namespace=payments');
  await page.getByRole('button', { name: 'Namespace payments' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'List payments first' }).click();
  await expect(page.getByRole('menuitemcheckbox', { name: 'List payments first' })).toBeChecked();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitem', { name: 'Save this view…' }).click();
  const kept = page.waitForResponse((answer) => answer.request().method() === 'PUT' && answer.ok());
  await page.getByRole('textbox', { name: 'Name of the view' }).fill('My team');
  await page.keyboard.press('Enter');
  await kept;
  await expect(page.getByRole('button', { name: 'View My team' })).toBeFocused();

  const context = await browser.newContext();
  const elsewhere = await context.newPage();
  await elsewhere.goto('/');
  await elsewhere.getByRole('button', { name: 'Namespace' }).click();
  await expect(elsewhere.getByRole('menuitemcheckbox').nth(1)).toHaveAccessibleName('payments');
  await elsewhere.keyboard.press('Escape');
  await elsewhere.getByRole('button', { name: 'Views' }).click();
  await elsewhere.getByRole('menuitemcheckbox', { name: 'My team' }).click();
  await expect(elsewhere).toHaveURL(/namespace=payments/);

  // As it was, for the other tests.
  await elsewhere.getByRole('button', { name: 'View My team' }).click();
  await elsewhere.getByRole('menuitem', { name: 'Delete this view' }).click();
  await elsewhere.getByRole('button', { name: 'Namespace payments' }).click();
  await elsewhere.getByRole('menuitemcheckbox', { name: 'List payments first' }).click();
  await expect(elsewhere.getByRole('menuitemcheckbox', { name: 'List payments first' })).not.toBeChecked();
  await context.close();
});
