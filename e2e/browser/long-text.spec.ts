import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, expectNoSidewaysScroll, kubectl, test } from '@/e2e/browser/page';
import { expectTextApart } from '@/e2e/browser/text-overlap';

/** Names of 63 letters, tags of 80, 200 variables, a cause in several directions: nothing may leave its place. */
test.describe.configure({ mode: 'serial' });

const longName = (start: string) => `${start.padEnd(62, '-with-a-name-as-long-as-kubernetes-allows')}z`;

const namespace = longName('team');
const failing = longName('recommendations');
const rolledBack = longName('loyalty');
const CAUSE = `العودة إلى الإصدار 3.12.0 (rollback) 🔥👩‍👩‍👧 <b>not bold</b> https://ci.example.com/${'x'.repeat(900)}`;
const pathOf = (name: string) => `/workloads/deployments.apps/${namespace}/${name}`;

function containersOf(build: string, value: string) {
  const repository = `registry.example.com/${'nested/folders/'.repeat(6)}service`;
  const env = Array.from({ length: 200 }, (_, index) => ({
    name: `A_FEATURE_FLAG_WITH_A_RATHER_LONG_NAME_${index}`,
    value: index % 2 === 0 ? value : 'same',
  }));
  const image = `${repository}:2026.11.23-rc.${build}`;
  return [
    { name: longName('main'), image, env },
    { name: longName('proxy'), image: 'registry.example.com/shop/proxy:1' },
  ];
}

const tagOf = (build: number, end: string) =>
  `${build}-build.20261123194500-sha-9f8e7d6c5b4a39281706f5e4d3c2b1a0${end}`;

function deployment(name: string, replicas: number) {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: containersOf(tagOf(1, ''), 'one') },
      },
    },
  };
}

function ship(name: string, end: string): void {
  const spec = { template: { spec: { containers: containersOf(tagOf(2, end), `two ${CAUSE}`) } } };
  const metadata = { annotations: { 'kubernetes.io/change-cause': CAUSE } };
  const patch = JSON.stringify({ metadata, spec });
  kubectl('-n', namespace, 'patch', `deployment/${name}`, '--type=merge', '-p', patch);
}

test.beforeAll(async ({ request }) => {
  const folder = mkdtempSync(join(tmpdir(), 'shiplog-extreme-'));
  const file = join(folder, 'objects.json');
  const items = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    deployment(failing, 60),
    deployment(rolledBack, 2),
  ];
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  kubectl('create', '--validate=false', '-f', file);
  rmSync(folder, { recursive: true });
  for (const name of [failing, rolledBack])
    kubectl('-n', namespace, 'rollout', 'status', `deployment/${name}`, '--timeout=120s');
  ship(failing, '-crash');
  ship(rolledBack, '');
  kubectl('-n', namespace, 'rollout', 'status', `deployment/${rolledBack}`, '--timeout=120s');
  const api = `${process.env.SHIPLOG_URL}/api${pathOf(rolledBack)}`;
  await expect.poll(async () => (await (await request.get(api)).json()).workload.targetRevision).toBe(2);
  const { workload } = await (await request.get(api)).json();
  const data = { to: '1', seen: workload.seen, reason: CAUSE.slice(0, 900) };
  expect((await request.post(`${api}/rollback`, { data })).ok()).toBe(true);
});

test.afterAll(() => {
  kubectl('delete', `namespace/${namespace}`, '--wait=false');
});

const filter = `?namespace=${namespace}`;
const pages: [title: string, path: string, shown: RegExp][] = [
  ['Workloads', `/${filter}`, /^Needs attention/],
  ['a workload with failing pods', pathOf(failing), /^Failing pods/],
  ['a workload that was rolled back', pathOf(rolledBack), /^Rolled back from rev 2/],
  ['a comparison of 200 variables', `${pathOf(failing)}/compare?from=1&to=2`, /Copy as Markdown/],
  ['Timeline', `/timeline${filter}`, /^In the last hour, \d/],
  ['Rollouts', `/rollouts${filter}`, /Stalled|In progress/],
  ['History', `/records${filter}`, /Later reverted|Completed|Reverts rev/],
  ['Review', `/review${filter}&restarts=1`, /to review|^Verdict|No rollouts/i],
  ['Activity', `/activity`, /Roll back/],
];

for (const [title, path, shown] of pages) {
  test(`${title} keeps every text in its place at 360 and 1024 px`, async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 780 });
    await page.goto(path);
    await expect(page.getByText(shown).filter({ visible: true }).first()).toBeVisible();
    for (const width of [360, 1024]) {
      await page.setViewportSize({ width, height: 780 });
      await expectNoSidewaysScroll(page);
      await expectTextApart(page);
    }
  });
}

for (const width of [360, 1024]) {
  test(`the rollback dialog has its confirm button in the window at ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 780 });
    await page.goto(pathOf(failing));
    await page.getByRole('button', { name: /^Roll back to rev 1/ }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('dry run passed');
    const confirm = dialog.getByRole('button', { name: /^Roll back to rev 1/ });
    await expect(confirm).toBeInViewport({ ratio: 1 });
    await expectNoSidewaysScroll(page);
    await expectTextApart(page);
  });
}
