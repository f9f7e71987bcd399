import type { Locator, Page, Request } from '@playwright/test';
import { atMost, type Metric, kilobytes, plain } from '@/bench/support/figure';
import { newPage } from '@/bench/support/fleet-page';
import { seedGroups, setAt } from '@/bench/support/group-objects';
import { rolloutAt, seedRollouts } from '@/bench/support/rollout-objects';
import type { BenchEnvironment } from '@/bench/support/environment';
import { signedIn } from '@/e2e/support/local-key';
import { scaleDeployment } from '@/e2e/controlplane/seed-scale';

const AIM_BYTES = 205 * 1024;
/** Prefetched chunks, for a dialog or the next page, have arrived by then. */
const AFTERWARDS_MS = 3_000;

interface Visit {
  name: string;
  path: string;
  /** Visible: the page is usable. */
  usable: (page: Page) => Locator;
}

/** Compressed script, on a visit with an empty browser cache. */
export async function measurePageWeight(environment: BenchEnvironment): Promise<Metric[]> {
  const { url } = await environment.server();
  const cluster = await environment.cluster();
  await Promise.all([seedRollouts(cluster, 1), seedGroups(cluster, 1)]);
  await untilRead(`${url}/api/rollouts/${rolloutPagePath()}`);
  await untilRead(`${url}/api${groupsPath()}`);
  const figures: Metric[] = [];
  for (const visit of visits()) {
    const { untilUsable, afterwards } = await weigh(environment, url, visit);
    figures.push(
      atMost(`JavaScript of ${visit.name}, compressed`, untilUsable, AIM_BYTES, kilobytes),
      plain(`… with prefetched scripts`, kilobytes(afterwards)),
    );
  }
  return figures;
}

function visits(): Visit[] {
  const { namespace, name } = scaleDeployment(7);
  const workload = `/workloads/deployments.apps/${namespace}/${name}`;
  // prettier-ignore
  return [
    { name: 'Workloads', path: '/', usable: (page) => page.getByRole('table').getByRole('link').first() },
    { name: 'a workload', path: workload, usable: (page) => page.getByRole('table', { name: `Rollouts of ${name}` }) },
    { name: 'a comparison', path: `${workload}/compare?from=9&to=10`, usable: (page) => page.getByRole('heading', { level: 1 }) },
    { name: 'Timeline', path: '/timeline?from=30d', usable: (page) => page.getByRole('search') },
    { name: 'Rollouts', path: '/rollouts', usable: (page) => page.getByRole('table').getByRole('link').first() },
    { name: 'a rollout', path: `/rollouts/${rolloutPagePath()}`, usable: (page) => page.getByRole('list', { name: 'Steps' }) },
    {
      name: 'a LeaderWorkerSet',
      path: groupsPath(),
      usable: (page) => page.getByRole('table', { name: /^Pods of .* by group$/ }),
    },
    { name: 'History', path: '/records', usable: (page) => page.getByRole('search') },
    { name: 'Review', path: '/review', usable: (page) => page.getByRole('region', { name: 'Record under review' }).getByRole('heading').first() },
  ];
}

function rolloutPagePath(): string {
  const { namespace, name } = rolloutAt(0);
  return `rollouts.rollouts.kruise.io/${namespace}/${name}`;
}

function groupsPath(): string {
  const { namespace, name } = setAt(0);
  return `/workloads/leaderworkersets.leaderworkerset.x-k8s.io/${namespace}/${name}`;
}

/** A running server finds new definitions within a minute. */
async function untilRead(url: string): Promise<void> {
  while (!(await fetch(url, { headers: signedIn })).ok)
    await new Promise((resolve) => setTimeout(resolve, 500));
}

async function weigh(
  environment: BenchEnvironment,
  url: string,
  { path, usable }: Visit,
): Promise<{ untilUsable: number; afterwards: number }> {
  const page = await newPage(environment);
  const scripts: Request[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(request);
  });
  await page.goto(url + path);
  await usable(page).waitFor();
  await page.waitForLoadState('load');
  const needed = [...scripts];
  await page.waitForTimeout(AFTERWARDS_MS);
  const result = { untilUsable: await bytesOf(needed), afterwards: await bytesOf(scripts) };
  await page.context().close();
  return result;
}

async function bytesOf(requests: readonly Request[]): Promise<number> {
  let total = 0;
  for (const request of requests) {
    const answer = await request.response();
    if (answer?.status() !== 200) throw new Error(`${request.url()} was not answered.`);
    total += (await request.sizes()).responseBodySize;
  }
  return total;
}
