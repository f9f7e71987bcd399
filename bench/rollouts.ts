import type { Page } from '@playwright/test';
import { requestSerially } from '@/bench/support/request-serially';
import { newPage } from '@/bench/support/fleet-page';
import { atMost, count, type Metric, kilobytes, milliseconds, plain } from '@/bench/support/figure';
import { ROLLOUTS, rolloutAt, rolloutPath, seedRollouts, statusOf } from '@/bench/support/rollout-objects';
import type { BenchEnvironment } from '@/bench/support/environment';
import { quantile } from '@/bench/support/statistics';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { Shiplog } from '@/e2e/support/shiplog';

const SAMPLES = 50;
/** Between two approvals, so that each finds an idle page. */
const PAUSE_MS = 500;
const LOAD_TIMEOUT_MS = 60_000;
/** The recorder first records what the server finds at its start. */
const SETTLE_MS = 20_000;

/** Rollouts in ten steps on a cluster of their own: answers, and how soon an approval shows. */
export async function measureRollouts(environment: BenchEnvironment): Promise<Metric[]> {
  const cluster = await startControlPlane({ controllers: false, log: environment.log });
  let server: Shiplog | undefined;
  try {
    environment.log(
      `  writing ${ROLLOUTS.rollouts} rollouts with ${count(ROLLOUTS.rollouts * ROLLOUTS.podsEach)} pods …`,
    );
    await seedRollouts(cluster);
    server = await environment.newServer(cluster);
    const { url } = server;
    await untilAllWait(server);
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const list = await requestSerially(() => `${url}/api/rollouts`);
    const all = await requestSerially(() => `${url}/api/rollouts?limit=200`);
    const one = await requestSerially((round) => url + detailPath(round));
    const approvals = await measureApprovals(environment, url, (index) =>
      cluster.client().patch(`${rolloutPath(index)}/status`, { status: statusOf(index, 'StepReady') }),
    );
    // prettier-ignore
    return [
      atMost('List of 50 rollouts, p99', quantile(list.durations, 0.99), 20, milliseconds),
      plain('… p50, and transferred size', `${milliseconds(quantile(list.durations, 0.5))}, ${kilobytes(list.bytes)}`),
      plain('List of 200', `p50 ${milliseconds(quantile(all.durations, 0.5))}, p99 ${milliseconds(quantile(all.durations, 0.99))}`),
      atMost('One rollout, p99', quantile(one.durations, 0.99), 10, milliseconds),
      plain('… p50', milliseconds(quantile(one.durations, 0.5))),
      atMost(`Approval to DOM, p99 of ${SAMPLES}, the Rollouts page`, quantile(approvals, 0.99), 300, milliseconds),
      plain('Approval to DOM, p50', milliseconds(quantile(approvals, 0.5))),
    ];
  } finally {
    await server?.stop();
    await cluster.stop();
  }
}

function detailPath(round: number): string {
  const { namespace, name } = rolloutAt(round % ROLLOUTS.rollouts);
  return `/api/rollouts/rollouts.rollouts.kruise.io/${namespace}/${name}`;
}

async function untilAllWait(server: Shiplog): Promise<void> {
  for (;;) {
    const { counts } = await server.get('/api/rollouts?limit=1');
    if (counts.byState.waiting === ROLLOUTS.rollouts) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** From the moment before a rollout is approved until its row on an open page of all rollouts changes. */
async function measureApprovals(
  environment: BenchEnvironment,
  url: string,
  approve: (index: number) => Promise<unknown>,
): Promise<number[]> {
  const page = await newPage(environment);
  await page.goto(`${url}/rollouts`, { timeout: LOAD_TIMEOUT_MS });
  await page
    .getByRole('link', { name: rolloutAt(0).name })
    .first()
    .waitFor({ timeout: LOAD_TIMEOUT_MS });
  await page.waitForTimeout(2_000);
  const names = new Set(
    (await page.getByRole('table').getByRole('link').allTextContents()).flatMap(
      (text) => /app-\d{3}/.exec(text) ?? [],
    ),
  );
  const indices = Array.from({ length: ROLLOUTS.rollouts }, (_, index) => index).filter((index) =>
    names.has(rolloutAt(index).name),
  );
  const durations: number[] = [];
  for (const index of indices.slice(0, SAMPLES)) {
    const shown = watchRow(page, rolloutAt(index).name);
    const requestedMs = performance.timeOrigin + performance.now();
    await approve(index);
    durations.push((await shown) - requestedMs);
    await page.waitForTimeout(PAUSE_MS);
  }
  await page.context().close();
  return durations;
}

/** Milliseconds since the epoch at which the row of that name has changed or is removed. */
function watchRow(page: Page, name: string): Promise<number> {
  return page.evaluate(
    (expected) =>
      new Promise<number>((resolve, reject) => {
        const textOf = () =>
          [...document.querySelectorAll('tr, [role=row]')].find((row) => row.textContent.includes(expected))
            ?.textContent;
        const before = textOf();
        const observer = new MutationObserver(() => {
          if (textOf() === before) return;
          observer.disconnect();
          resolve(performance.timeOrigin + performance.now());
        });
        observer.observe(document.body, {
          childList: true,
          characterData: true,
          subtree: true,
          attributes: true,
        });
        setTimeout(() => reject(new Error(`The row of ${expected} did not change within 10 s.`)), 10_000);
      }),
    name,
  );
}
