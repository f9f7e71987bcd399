import { expect, test } from '@/e2e/browser/page';

/** Whether it has an outline that forced colors do not remove. */
function isMarked(element: Element): boolean {
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  return outlineStyle === 'solid' && parseFloat(outlineWidth) >= 2;
}

test('distinguishes what is chosen with forced colors', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await page.goto('/review/report');
  const period = page.getByRole('group', { name: 'Period' });
  await expect(period.getByRole('button', { pressed: true })).toBeVisible();
  expect(await period.getByRole('button', { pressed: true }).evaluate(isMarked)).toBe(true);
  expect(await period.getByRole('button', { pressed: false }).first().evaluate(isMarked)).toBe(false);
  expect(
    await page.getByRole('navigation', { name: 'Main' }).locator('a[aria-current]').evaluate(isMarked),
  ).toBe(true);
});

test('marks the row of the keyboard with forced colors, and keeps the colors of bars', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await page.goto('/');
  await expect(page.getByRole('table').getByRole('link', { name: /^checkout/ })).toBeVisible();
  await page.keyboard.press('j');
  const row = page.locator('tr[data-current]');
  await expect(row).toHaveCount(1);
  expect(await row.evaluate(isMarked)).toBe(true);
  const bar = page.locator('[data-bar]').last();
  expect(await bar.evaluate((element) => getComputedStyle(element).forcedColorAdjust)).toBe('none');
});

test('shows a loading page with forced colors', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' });
  const held = Promise.withResolvers<void>();
  await page.route('**/api/records*', async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto('/records');
  const skeleton = page.locator('.animate-breathe').first();
  await expect(skeleton).toBeVisible();
  expect(await skeleton.evaluate((element) => getComputedStyle(element).borderTopStyle)).toBe('solid');
  held.resolve();
  await expect(skeleton).toBeHidden();
});
