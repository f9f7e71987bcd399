import type { Locator, Page } from '@playwright/test';
import { archiveWeek } from '@/e2e/browser/archived-week';
import { imageOf, startBadRollout } from '@/e2e/browser/bad-rollout';
import { expect, test } from '@/e2e/browser/page';
import { withSeededSandbox } from '@/e2e/browser/seeded-sandbox';

/*
 * What three people do with Shiplog, on three devices: someone on call at night, a newcomer, and a team that reviews its
 * week. Each test counts clicks, taps or keys, typed text aside, prints the count, and holds it.
 */
test.describe.configure({ mode: 'serial' });

const wide = { viewport: { width: 1440, height: 900 } };
const devices = {
  mouse: wide,
  keyboard: wide,
  phone: { viewport: { width: 360, height: 780 }, hasTouch: true, isMobile: true },
};
type Device = keyof typeof devices;

const { address } = withSeededSandbox((home) => {
  for (const device of Object.keys(devices)) archiveWeek(home, `week-by-${device}`);
});

/** Does a step with the pointer or with keys, and counts. */
class Hand {
  count = 0;

  readonly page: Page;
  readonly device: Device;

  constructor(page: Page, device: Device) {
    this.page = page;
    this.device = device;
  }

  async act(target: Locator, ...keys: string[]): Promise<void> {
    await expect(target).toBeVisible();
    if (this.device === 'keyboard') return this.press(...keys);
    this.count += 1;
    await (this.device === 'phone' ? target.tap() : target.click());
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
    this.count += keys.length;
  }

  /** By keyboard the row is found by its name; by pointer it is on the page. */
  async find(name: string): Promise<Locator> {
    const { page } = this;
    const row = page
      .getByRole('row')
      .filter({ has: page.getByRole('link', { name: new RegExp(`^${name}\\b`) }) });
    await expect(row).toBeVisible();
    if (this.device !== 'keyboard') return row;
    await this.press('/');
    await page.keyboard.type(name);
    await expect(page.getByText(/\d+ of \d+ workloads/)).toBeVisible();
    await this.press('Enter');
    return row;
  }

  hold(story: string, most: number): void {
    console.log(`${story} by ${this.device}: ${this.count}`);
    expect(this.count).toBeLessThanOrEqual(most);
  }
}

for (const device of Object.keys(devices) as Device[]) {
  test.describe(`by ${device}`, () => {
    test.use(devices[device]);

    test('on call: rolls a stalled workload back from the first page', async ({ page }) => {
      const name = `night-by-${device}`;
      startBadRollout(name);
      await page.goto('/');
      const hand = new Hand(page, device);
      const row = await hand.find(name);
      await hand.act(row.getByRole('link', { name: /^Roll back/ }), 'a');
      const confirm = page.getByRole('dialog').getByRole('button', { name: /^Roll back to rev 1/ });
      await expect(confirm).toBeEnabled();
      await hand.act(confirm, 'Control+Enter');
      await expect.poll(() => imageOf(name)).toContain(':1.0');
      hand.hold('on call', device === 'keyboard' ? 4 : 2);
    });

    test('newcomer: finds what broke a workload, and what the words mean', async ({ page }) => {
      await page.goto(address('/'));
      const hand = new Hand(page, device);
      const row = await hand.find('checkout');
      await hand.act(row.getByRole('link', { name: /^checkout\b/ }), 'Enter');
      await expect(page.getByRole('heading', { level: 1 })).toContainText('Stalled');
      await hand.act(page.getByRole('link', { name: /^Compare rev/ }), 'c');
      await expect(page.getByText('PAYMENTS_URL').first()).toBeVisible();
      if (device === 'keyboard') {
        await hand.press('Control+k');
        await expect(page.getByRole('combobox', { name: 'Search or jump to' })).toBeFocused();
        await page.keyboard.type('glossary');
        await expect(page.getByRole('option', { name: 'Open the glossary', selected: true })).toBeVisible();
        await hand.press('Enter');
      } else {
        await hand.act(page.getByRole('button', { name: /, you$/ }));
        await hand.act(page.getByRole('menuitem', { name: 'Glossary' }));
      }
      await expect(page.getByRole('heading', { level: 1, name: 'Glossary' })).toBeVisible();
      await expect(page.getByRole('cell', { name: 'Stalled' })).toBeVisible();
      hand.hold('newcomer', device === 'keyboard' ? 6 : 4);
    });

    test('Thursday: marks a failed rollout bad and the quick ones good, and opens the report', async ({
      page,
    }) => {
      await page.goto(address(`/review?team=week-by-${device}`));
      const hand = new Hand(page, device);
      const title = page.getByRole('heading', { name: /^To review/ });
      await expect(title).toContainText('To review 60');
      const save = page.getByRole('button', { name: /^Save/ });
      await hand.act(page.getByRole('button', { name: 'Bad' }), 'b');
      await page.getByRole('textbox', { name: 'Comment', exact: true }).fill('probe failed');
      await hand.act(save, 'Control+Enter');
      await expect(title).toContainText('To review 59');
      await hand.act(page.getByRole('button', { name: /^Select 40 quick successes/ }), 'a');
      await hand.act(page.getByRole('button', { name: 'Good' }), 'g');
      await hand.act(save, 'Control+Enter');
      await expect(title).toContainText('To review 19');
      await hand.act(page.getByRole('link', { name: /^Last 7 days/ }), 'e');
      await expect(page).toHaveURL(/\/review\/report/);
      hand.hold('Thursday', 6);
    });
  });
}
