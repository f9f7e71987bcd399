import { expect, expectAccessible, expectNoSidewaysScroll, kubectl, test } from '@/e2e/browser/page';

const checkout = '/workloads/deployments.apps/shop/checkout';

test('shows the state, and lists the revisions that kubectl lists', async ({ page }) => {
  await page.goto(`${checkout}?list=revisions`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(/Stalled.*revision \d+/);
  const shown = page.getByRole('table', { name: 'Revisions of checkout' }).getByRole('rowheader');
  const numbers = kubectl('-n', 'shop', 'rollout', 'history', 'deployment/checkout').match(/^\d+/gm) ?? [];
  await expect(shown).toHaveCount(numbers.length);
  const first = await shown.first().textContent();
  expect(first).toContain(numbers.at(-1));
});

test('shows why a pod blocks, with its last lines', async ({ page }) => {
  await page.goto(checkout);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('exits with code 1');
  await expect(page.getByRole('region', { name: 'Failing pods' })).toContainText('BackOff');
  const pods = kubectl(
    ...['-n', 'shop', 'get', 'pods', '-l', 'app.kubernetes.io/name=checkout'],
    ...[
      '-o',
      'jsonpath={range .items[?(@.status.containerStatuses[0].ready==false)]}{.metadata.name}{"\\n"}{end}',
    ],
  );
  const pod = pods.split('\n')[0] ?? '';
  const logs = kubectl('-n', 'shop', 'logs', pod, '--previous', '--tail=1').trim();
  expect(logs).toBeTruthy();
  await expect(page.getByText(logs ?? '', { exact: false }).first()).toBeVisible();
});

test('compares two revisions chosen by keys, and stores the choice in the address', async ({ page }) => {
  await page.goto(checkout);
  const rows = page.getByRole('table', { name: 'Rollouts of checkout' });
  await expect(rows.getByRole('checkbox').first()).toBeVisible();
  for (const key of ['j', 'Space', 'j', 'Space']) await page.keyboard.press(key);
  await expect(rows.getByRole('checkbox', { checked: true })).toHaveCount(2);
  await expect(page).toHaveURL(/from=.*to=/);
  await page.keyboard.press('c');
  await expect(page).toHaveURL(/\/compare\?/);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('image');
  await page.getByRole('button', { name: /YAML/ }).first().click();
  await expect(page.getByText('imagePullPolicy').first()).toBeVisible();
  await expectAccessible(page);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('image');
  await page.goBack();
  await expect(page).toHaveURL(new RegExp(`${checkout}(\\?.*)?$`));
});

test('reports a workload that is deleted while its page is open, and still shows its data', async ({
  page,
}) => {
  const create = ['create', 'deployment', 'short-lived', '--image=registry.example.com/shop/short:1'];
  kubectl('-n', 'shop', ...create);
  await page.goto('/workloads/deployments.apps/shop/short-lived');
  await expect(page.getByRole('table', { name: 'Rollouts of short-lived' })).toBeVisible();
  kubectl('-n', 'shop', 'delete', 'deployment/short-lived', '--wait=false');
  await expect(page.getByText(/deleted/i).first()).toBeVisible();
  await expect(page.getByRole('table', { name: 'Rollouts of short-lived' })).toBeVisible();
});

test('says that there is no such workload', async ({ page }) => {
  await page.goto('/workloads/deployments.apps/shop/never-was');
  await expect(page.getByText(/Deployment shop\/never-was was not found/)).toBeVisible();
});

test('shows hostile text as plain text', async ({ page }) => {
  const cause = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
  kubectl('-n', 'shop', 'create', 'deployment', 'hostile', '--image=registry.example.com/shop/hostile:1');
  kubectl('-n', 'shop', 'rollout', 'status', 'deployment/hostile', '--timeout=30s');
  kubectl('-n', 'shop', 'annotate', 'deployment/hostile', `kubernetes.io/change-cause=${cause}`);
  await page.goto('/workloads/deployments.apps/shop/hostile');
  await expect(page.getByText(cause).first()).toBeVisible();
  expect(await page.title()).toContain('hostile');
});

for (const path of [
  checkout,
  '/workloads/statefulsets.apps/payments/ledger-db',
  '/workloads/daemonsets.apps/edge/node-agent',
]) {
  test(`${path} fits a phone`, async ({ page }) => {
    await page.goto(path);
    await expect(page.getByRole('region', { name: 'Timeline' }).getByRole('group').first()).toBeVisible();
    await page.setViewportSize({ width: 360, height: 740 });
    await expect(page.getByRole('button', { name: /^Roll back to/ })).toBeVisible();
    await expectNoSidewaysScroll(page);
  });
}
