import { type ObservedRevision } from '@/lib/ledger/observation';
import { type PodSample } from '@/lib/ledger/record';

/** Enough for a chart; a rollout of thousands of pods has more changes than pixels. */
const SAMPLES_MAX = 500;

type Counted = Pick<ObservedRevision, 'hash' | 'pods' | 'ready'>;

/**
 * The series with one more look at the pods. Where nothing changed only the end moves on, so that the series is as
 * long as its changes are many, and its last sample says until when they were watched.
 */
export function addSample(
  samples: readonly PodSample[],
  at: string,
  revisions: readonly Counted[],
): readonly PodSample[] {
  const sample = { at, byRevision: countByHash(revisions) };
  const last = samples.at(-1);
  const before = samples.at(-2);
  if (last?.at === at) return thinned([...samples.slice(0, -1), sample]);
  const isSteady =
    last !== undefined && before !== undefined && isSame(last, sample) && isSame(before, sample);
  return thinned([...(isSteady ? samples.slice(0, -1) : samples), sample]);
}

/** Whether the later series says more than that nothing changed. */
export function hasNews(before: readonly PodSample[], after: readonly PodSample[]): boolean {
  const last = before.at(-1);
  const newest = after.at(-1);
  if (last === undefined || newest === undefined) return before.length !== after.length;
  return !isSame(last, newest);
}

function countByHash(revisions: readonly Counted[]): PodSample['byRevision'] {
  const counts = new Map<string, [string, number, number]>();
  for (const { hash, pods, ready } of revisions) {
    if (pods === 0) continue;
    const [, total, sum] = counts.get(hash) ?? [hash, 0, 0];
    counts.set(hash, [hash, total + pods, sum + ready]);
  }
  return [...counts.values()];
}

function isSame(a: PodSample, b: PodSample): boolean {
  return JSON.stringify(a.byRevision) === JSON.stringify(b.byRevision);
}

/** Every second one goes; the ends stay. */
function thinned(samples: readonly PodSample[]): readonly PodSample[] {
  if (samples.length <= SAMPLES_MAX) return samples;
  return samples.filter((_, index) => index % 2 === 0 || index >= samples.length - 2);
}
