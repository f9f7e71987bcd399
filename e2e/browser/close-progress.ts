import type { Page } from '@playwright/test';
import { expect } from '@/e2e/browser/page';

/** Waits until the action is accepted, and closes the dialog that tracks it; the page may be gone with its object. */
export async function closeProgress(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel('Reason')).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
}
