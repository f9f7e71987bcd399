import { expect, expectAccessible, expectNoSidewaysScroll, kubectl, test } from '@/e2e/browser/page';

const thumbnails = '/workloads/deployments.apps/shop/thumbnails';

/** One write each, so that the change cause belongs to the change. */
function roll(cause: string, memory: string): void {
  const patch = {
    metadata: { annotations: { 'kubernetes.io/change-cause': cause } },
    spec: {
      template: { spec: { containers: [{ name: 'thumbnails', resources: { limits: { memory } } }] } },
    },
  };
  kubectl('-n', 'shop', 'patch', 'deployment/thumbnails', '-p', JSON.stringify(patch));
  kubectl('-n', 'shop', 'rollout', 'status', 'deployment/thumbnails', '--timeout=90s');
}

test('names why a limit was raised that is lowered now, with a link to the record', async ({ page }) => {
  const image = '--image=registry.example.com/shop/thumbnails:1.0';
  kubectl('-n', 'shop', 'create', 'deployment', 'thumbnails', image);
  roll('A limit', '768Mi');
  roll('OOM kills under load', '1Gi');
  roll('Nodes are full', '832Mi');
  await page.goto(`${thumbnails}/compare?from=3&to=live`);
  const row = page.getByRole('row', { name: /memory limit/ });
  await expect(row).toContainText('Revision 3 raised it from 768Mi to 1Gi for “OOM kills under load”');
  await page.goto(`${thumbnails}/compare?from=live&to=2`);
  await expect(row).toContainText(
    'Restores the value from before revision 3, which raised it for “OOM kills under load”',
  );
  await expect(
    page.getByText('Reverts revision 3 (“OOM kills under load”) and 1 later rollout'),
  ).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 800 });
  await expectNoSidewaysScroll(page);
  await row.getByRole('link', { name: 'revision 3' }).click();
  await expect(page).toHaveURL(/\/records\//);
  await expect(page.getByText('OOM kills under load').first()).toBeVisible();
});
