import { expect, test } from '@/e2e/browser/page';

/** Whether an outline is drawn around it that forced colors leave in place. */
function isMarked(element: Element): boolean {
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  return outlineStyle === 'solid' && parseFloat(outlineWidth) >= 2;
}

test('with forced colors what is chosen differs from what is not', async ({ page }) => {
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

test('with forced colors a page that is loading is not blank', async ({ page }) => {
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
