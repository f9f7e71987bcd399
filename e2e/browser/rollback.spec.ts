import { imageOf, startBadRollout } from '@/e2e/browser/bad-rollout';
import { expect, expectAccessible, kubectl, test } from '@/e2e/browser/page';

test('two clicks from the workloads lead to the confirm button, and the third rolls back', async ({
  page,
}) => {
  startBadRollout('back-by-mouse');
  await page.goto('/');
  await page
    .getByRole('table')
    .getByRole('link', { name: /^back-by-mouse/ })
    .click();
  await page.getByRole('button', { name: /^Roll back to rev 1/ }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('broken');
  await expectAccessible(page);
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('the image is not there');
  await dialog.getByRole('button', { name: /^Roll back to rev 1/ }).click();
  // Before the write the dialog already says when the rollout of revision 1 completed.
  await expect.poll(() => imageOf('back-by-mouse')).toBe('registry.example.com/shop/back-by-mouse:1.0');
  await expect(dialog).toContainText(/recorded as|as revision 3|Complete/i);
  const history = kubectl('-n', 'shop', 'rollout', 'history', 'deployment/back-by-mouse');
  expect(history).toContain('the image is not there');
});

test('the keyboard alone rolls back', async ({ page }) => {
  await page.goto(startBadRollout('back-by-keys'));
  await expect(page.getByRole('button', { name: /^Roll back to rev 1/ })).toBeVisible();
  await page.keyboard.press('r');
  const confirm = page.getByRole('dialog').getByRole('button', { name: /^Roll back to rev 1/ });
  await expect(confirm).toBeEnabled();
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect.poll(() => imageOf('back-by-keys')).toBe('registry.example.com/shop/back-by-keys:1.0');
});

test('writes nothing over a change that was made while the dialog was open', async ({ page }) => {
  await page.goto(startBadRollout('back-too-late'));
  await page.getByRole('button', { name: /^Roll back to rev 1/ }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('button', { name: /^Roll back to rev 1/ })).toBeEnabled();
  kubectl('-n', 'shop', 'set', 'env', 'deployment/back-too-late', 'SOMEBODY=else');
  await expect(dialog).toContainText(/changed since/i);
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect(dialog).toContainText('SOMEBODY');
  expect(kubectl('-n', 'shop', 'get', 'deployment', 'back-too-late', '-o', 'yaml')).toContain('SOMEBODY');
});

test('refuses a paused Deployment and says what to do', async ({ page }) => {
  const path = startBadRollout('back-paused');
  kubectl('-n', 'shop', 'rollout', 'pause', 'deployment/back-paused');
  await page.goto(path);
  await page.getByRole('button', { name: /^Roll back to rev 1/ }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText(/resume/i);
  await expect(dialog.getByRole('button', { name: /^Roll back to rev 1/ })).toBeDisabled();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
});

test('pauses and resumes in the same way', async ({ page }) => {
  await page.goto(startBadRollout('paused-here'));
  await page.getByRole('button', { name: /^Pause/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /^Pause/ }).click();
  await expect
    .poll(() => kubectl('-n', 'shop', 'get', 'deployment', 'paused-here', '-o', 'jsonpath={.spec.paused}'))
    .toBe('true');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: /^Resume/ })).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: 'Paused paused-here.' })).toBeVisible();
  await page.getByRole('link', { name: 'Resume…', exact: true }).click();
  await dialog.getByRole('button', { name: 'Resume paused-here' }).click();
  await expect(dialog).toHaveAccessibleName('Resuming paused-here');
  await page.keyboard.press('Escape');
  // The resumed rollout is being recorded.
  await expect(page.getByRole('link', { name: 'Record', exact: true })).toBeVisible();
});

test('the dialog fits a phone, with the confirm button in reach', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(startBadRollout('back-by-thumb'));
  await page.getByRole('button', { name: /^Roll back to rev 1/ }).click();
  const confirm = page.getByRole('dialog').getByRole('button', { name: /^Roll back to rev 1/ });
  await expect(confirm).toBeInViewport();
  await expectAccessible(page);
});
