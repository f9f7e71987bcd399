import { type Locator, type Page, type Request } from '@playwright/test';
import { atMost, type Figure, kilobytes, plain } from '@/bench/figure';
import { newPage } from '@/bench/fleet-page';
import { seedGroups, setAt } from '@/bench/group-objects';
import { releaseAt, seedReleases } from '@/bench/rollout-objects';
import { type Stage } from '@/bench/stage';
import { scaleDeployment } from '@/e2e/controlplane/seed-scale';

const AIM_BYTES = 220 * 1024;
/** What is fetched ahead, for a dialog or the next page, has come by then. */
const AFTERWARDS_MS = 3_000;

interface Visit {
  name: string;
  path: string;
  /** In sight: the page can be used. */
  usable: (page: Page) => Locator;
}

/** Script as it travels, on a visit with nothing in the browser's cache. */
export async function measurePageWeight(stage: Stage): Promise<Figure[]> {
  const { url } = await stage.server();
  const cluster = await stage.cluster();
  await Promise.all([seedReleases(cluster, 1), seedGroups(cluster, 1)]);
  await untilRead(`${url}/api/rollouts/${releasePath()}`);
  await untilRead(`${url}/api${groupsPath()}`);
  const figures: Figure[] = [];
  for (const visit of visits()) {
    const { untilUsable, afterwards } = await weigh(stage, url, visit);
    figures.push(
      atMost(`JavaScript of ${visit.name}, compressed`, untilUsable, AIM_BYTES, kilobytes),
      plain(`… with what it fetches ahead`, kilobytes(afterwards)),
    );
  }
  return figures;
}

function visits(): Visit[] {
  const { namespace, name } = scaleDeployment(7);
  const workload = `/workloads/deployments.apps/${namespace}/${name}`;
  return [
    { name: 'the fleet', path: '/', usable: (page) => page.getByRole('table').getByRole('link').first() },
    {
      name: 'a workload',
      path: workload,
      usable: (page) => page.getByRole('table', { name: `Revisions of ${name}` }),
    },
    {
      name: 'a comparison',
      path: `${workload}/compare?from=9&to=10`,
      usable: (page) => page.getByRole('heading', { level: 1 }),
    },
    { name: 'the timeline', path: '/timeline?from=30d', usable: (page) => page.getByRole('search') },
    {
      name: 'the releases',
      path: '/rollouts',
      usable: (page) => page.getByRole('table').getByRole('link').first(),
    },
    {
      name: 'a release',
      path: `/rollouts/${releasePath()}`,
      usable: (page) => page.getByRole('list', { name: 'Steps' }),
    },
    {
      name: 'a LeaderWorkerSet',
      path: groupsPath(),
      usable: (page) => page.getByRole('table', { name: /^Pods of .* by group$/ }),
    },
    { name: 'the records', path: '/records', usable: (page) => page.getByRole('search') },
    {
      name: 'the review',
      path: '/review',
      usable: (page) =>
        page.getByRole('region', { name: 'Record under review' }).getByRole('heading').first(),
    },
  ];
}

function releasePath(): string {
  const { namespace, name } = releaseAt(0);
  return `rollouts.rollouts.kruise.io/${namespace}/${name}`;
}

function groupsPath(): string {
  const { namespace, name } = setAt(0);
  return `/workloads/leaderworkersets.leaderworkerset.x-k8s.io/${namespace}/${name}`;
}

/** Definitions that come while the server runs are found by it within a minute. */
async function untilRead(url: string): Promise<void> {
  while (!(await fetch(url)).ok) await new Promise((resolve) => setTimeout(resolve, 500));
}

async function weigh(
  stage: Stage,
  url: string,
  { path, usable }: Visit,
): Promise<{ untilUsable: number; afterwards: number }> {
  const page = await newPage(stage);
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
