import { expect, expectNoSidewaysScroll, test } from '@/e2e/browser/page';
import { withSeededSandbox } from '@/e2e/browser/seeded-sandbox';

test.describe.configure({ mode: 'serial' });

const { address } = withSeededSandbox();

test('lists what was done through Shiplog with its author and its result', async ({ page }) => {
  await page.goto(address('/workloads/deployments.apps/shop/checkout'));
  await page
    .getByRole('button', { name: /^Roll back to/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /^Roll back to/ }).click();
  await expect(dialog).toContainText(/Complete|as revision/i);
  await page.goto(address('/activity'));
  const row = page.getByRole('row').filter({ hasText: 'checkout' }).first();
  await expect(row).toBeVisible();
  await expect(row).toContainText(/roll/i);
});

test('fits a phone', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 780 });
  await page.goto(address('/activity'));
  await expect(page.getByText('checkout').first()).toBeVisible();
  await expectNoSidewaysScroll(page);
});
