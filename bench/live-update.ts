import type { Page } from '@playwright/test';
import { atMost, type Metric, milliseconds, plain } from '@/bench/support/figure';
import { openFleet } from '@/bench/support/fleet-page';
import { SCALE, type BenchEnvironment } from '@/bench/support/environment';
import { quantile } from '@/bench/support/statistics';
import { scaleDeployment } from '@/e2e/controlplane/seed-scale';

const SAMPLES = 100;
const ROWS_CHANGED = 5;
/** Between two changes, so that each finds an idle page. */
const PAUSE_MS = 600;

/** From the moment before the request of a change until an open fleet page shows it. */
export async function measureLiveUpdate(environment: BenchEnvironment): Promise<Metric[]> {
  const cluster = await environment.seeded();
  const { url } = await environment.server();
  const page = await openFleet(environment, url);
  const names = await visibleNames(page);
  const durations: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const name = names[sample % ROWS_CHANGED] ?? '';
    const { namespace } = scaleDeployment(Number(name.slice('service-'.length)));
    const image = `registry.example.com/${namespace}/${name}:2.0.${sample}-${Date.now().toString(36)}`;
    const shown = watchFor(page, image.slice(image.lastIndexOf(':') + 1));
    const requestedMs = performance.timeOrigin + performance.now();
    await cluster
      .client()
      .patch(
        `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`,
        { spec: { template: { spec: { containers: [{ name, image }] } } } },
        'strategic-merge-patch',
      );
    durations.push((await shown) - requestedMs);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  await page.context().close();
  return [
    atMost(
      `API change to DOM, p99 of ${SAMPLES}, ${SCALE.deployments} rows`,
      quantile(durations, 0.99),
      300,
      milliseconds,
    ),
    plain('API change to DOM, p50', milliseconds(quantile(durations, 0.5))),
  ];
}

/** The first rows: a changed row may move up, but stays visible. */
async function visibleNames(page: Page): Promise<string[]> {
  const texts = await page.getByRole('table').getByRole('link').allTextContents();
  const names = texts.flatMap((text) => /service-\d{5}/.exec(text)?.[0] ?? []);
  if (names.length < ROWS_CHANGED) throw new Error(`Only ${names.length} rows are in sight.`);
  return names.slice(0, ROWS_CHANGED);
}

/** Milliseconds since the epoch at which the text is in the document. */
function watchFor(page: Page, text: string): Promise<number> {
  return page.evaluate(
    (expected) =>
      new Promise<number>((resolve, reject) => {
        const observer = new MutationObserver(() => {
          if (!document.body.textContent.includes(expected)) return;
          observer.disconnect();
          resolve(performance.timeOrigin + performance.now());
        });
        observer.observe(document.body, { childList: true, characterData: true, subtree: true });
        setTimeout(() => reject(new Error(`${expected} did not appear within 10 s.`)), 10_000);
      }),
    text,
  );
}
