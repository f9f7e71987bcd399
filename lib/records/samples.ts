import type { ObservedRevision } from '@/lib/records/observation';
import type { PodSample } from '@/lib/api/record';
import { ms } from '@/lib/records/times';

/** Enough for a chart; a rollout of thousands of pods has more changes than pixels. */
const SAMPLES_MAX = 500;

type CountedRevision = Pick<ObservedRevision, 'hash' | 'pods' | 'ready'>;

/**
 * The series with one more observation of the pods. Without a change only the end moves, so that its length
 * is the number of changes, and its last sample shows until when the pods were watched.
 */
export function addSample(
  samples: readonly PodSample[],
  at: string,
  revisions: readonly CountedRevision[],
): readonly PodSample[] {
  const sample = { at, byRevision: countByHash(revisions) };
  const last = samples.at(-1);
  const before = samples.at(-2);
  if (last?.at === at) return thinSamples([...samples.slice(0, -1), sample]);
  const isSteady =
    last !== undefined && before !== undefined && isSameCount(last, sample) && isSameCount(before, sample);
  return thinSamples([...(isSteady ? samples.slice(0, -1) : samples), sample]);
}

/** Those that were taken by `end`. */
export function samplesUntil(samples: readonly PodSample[], end: string): readonly PodSample[] {
  return samples.filter(({ at }) => ms(at) <= ms(end));
}

/** Whether the later series contains a change. */
export function isChanged(before: readonly PodSample[], after: readonly PodSample[]): boolean {
  const last = before.at(-1);
  const newest = after.at(-1);
  if (last === undefined || newest === undefined) return before.length !== after.length;
  return !isSameCount(last, newest);
}

function countByHash(revisions: readonly CountedRevision[]): PodSample['byRevision'] {
  const counts = new Map<string, [string, number, number]>();
  for (const { hash, pods, ready } of revisions) {
    if (pods === 0) continue;
    const [, total, sum] = counts.get(hash) ?? [hash, 0, 0];
    counts.set(hash, [hash, total + pods, sum + ready]);
  }
  return [...counts.values()];
}

function isSameCount(a: PodSample, b: PodSample): boolean {
  return JSON.stringify(a.byRevision) === JSON.stringify(b.byRevision);
}

/** Removes every second one; the ends stay. */
function thinSamples(samples: readonly PodSample[]): readonly PodSample[] {
  if (samples.length <= SAMPLES_MAX) return samples;
  return samples.filter((_, index) => index % 2 === 0 || index >= samples.length - 2);
}
