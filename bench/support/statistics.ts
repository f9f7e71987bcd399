/** The value below which the share `q` of all lies (0.5: the median). Of no values: NaN. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * q;
  const [low, high] = [sorted[Math.floor(place)] ?? NaN, sorted[Math.ceil(place)] ?? NaN];
  return low + (high - low) * (place - Math.floor(place));
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export async function durationMs(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** How long some work took, and the processor time that this process spent meanwhile. */
export interface Spent {
  wallMs: number;
  cpuMs: number;
}

export async function spentOn(work: () => Promise<unknown>): Promise<Spent> {
  const before = process.cpuUsage();
  const wallMs = await durationMs(work);
  const { user, system } = process.cpuUsage(before);
  return { wallMs, cpuMs: (user + system) / 1_000 };
}
