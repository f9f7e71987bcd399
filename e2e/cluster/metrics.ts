import type { Shiplog } from '@/e2e/support/shiplog';

/** Gauges of `/metrics` by name, without those with labels. */
export async function readMetrics(shiplog: Shiplog): Promise<Record<string, number>> {
  const answer = await shiplog.fetch('/metrics');
  const lines = (await answer.text()).matchAll(/^([a-z_]+)(?:\{cluster="[^"]*"\})? (\S+)$/gm);
  return Object.fromEntries([...lines].map(([, name, value]) => [name ?? '', Number(value)]));
}
