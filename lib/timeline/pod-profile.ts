import type { PodTrack } from '@/lib/api/earlier-incarnation';
import type { RevisionItem } from '@/lib/api/revisions';
import type { RolloutSummary } from '@/lib/api/records';
import type { PodItem } from '@/lib/api/pods';

/** Pods of one revision that stayed the same for a while. Times in milliseconds since 1970. */
export interface PodInterval {
  fromMs: number;
  toMs: number;
  pods: number;
  ready: number;
}

type Activated = Pick<RevisionItem, 'id' | 'activations'>;

/**
 * Pods over time by revision id, oldest first. Samples are taken while a rollout is in progress; after it its
 * target revision keeps the last sample until the next one begins.
 */
export function podProfiles(
  track: PodTrack | undefined,
  revisions: readonly Activated[],
  nowMs: number,
): ReadonlyMap<string, readonly PodInterval[]> {
  const profiles = new Map<string, PodInterval[]>();
  const targets = targetsOf(revisions);
  const rollouts = (track?.rollouts ?? []).filter(({ samples }) => samples.length > 0);
  rollouts.forEach(({ record, samples }, index) => {
    const target = targets.get(record);
    const next = Date.parse(rollouts[index + 1]?.samples[0]?.at ?? '');
    const unchangedUntilMs = Number.isNaN(next) ? nowMs : next;
    samples.forEach(({ at, pods }, sampleIndex) => {
      const fromMs = Date.parse(at);
      const after = samples[sampleIndex + 1];
      for (const { revisionId, pods: count, ready } of pods) {
        if (revisionId === null || count === 0) continue;
        const isUnchanged = revisionId === target?.revisionId || (target?.open ?? false);
        const toMs = after === undefined ? (isUnchanged ? unchangedUntilMs : fromMs) : Date.parse(after.at);
        if (toMs > fromMs) append(profiles, revisionId, { fromMs, toMs, pods: count, ready });
      }
    });
  });
  return profiles;
}

function targetsOf(revisions: readonly Activated[]): Map<string, { revisionId: string; open: boolean }> {
  const targets = new Map<string, { revisionId: string; open: boolean }>();
  for (const { id, activations } of revisions) {
    for (const { record } of activations) {
      if (record !== null) targets.set(record.id, { revisionId: id, open: isOpen(record) });
    }
  }
  return targets;
}

function isOpen({ outcome }: RolloutSummary): boolean {
  return outcome === null;
}

function append(profiles: Map<string, PodInterval[]>, id: string, interval: PodInterval): void {
  const known = profiles.get(id);
  const last = known?.at(-1);
  if (known === undefined) profiles.set(id, [interval]);
  else if (last?.toMs === interval.fromMs && last.pods === interval.pods && last.ready === interval.ready) {
    last.toMs = interval.toMs;
  } else known.push(interval);
}

/** The profile between two times, in order and without overlap; unsampled time is omitted. */
export function intervalsWithin(
  profile: readonly PodInterval[],
  fromMs: number,
  toMs: number,
): readonly PodInterval[] {
  return profile
    .filter((each) => each.fromMs < toMs && each.toMs > fromMs)
    .map((each) => ({ ...each, fromMs: Math.max(each.fromMs, fromMs), toMs: Math.min(each.toMs, toMs) }));
}

/** The times that the pods of one revision prove, in milliseconds since 1970. */
interface PodTimes {
  runningSinceMs: number | null;
  unreadySinceMs: number | null;
}

/** Its problem exists from the beginning: such a pod has never been ready. */
const neverReady = new Set(['imagePull', 'configError', 'unschedulable', 'volume', 'init', 'notStarted']);

/** Times per revision id. An existing pod has existed since its creation; deleted ones left no trace. */
export function podTimes(pods: readonly PodItem[]): Map<string, PodTimes> {
  const times = new Map<string, PodTimes>();
  for (const pod of pods) {
    if (pod.revisionId === null) continue;
    const known = times.get(pod.revisionId);
    times.set(pod.revisionId, {
      runningSinceMs: earliest(known?.runningSinceMs ?? null, Date.parse(pod.createdAt)),
      unreadySinceMs: earliest(known?.unreadySinceMs ?? null, pod.ready ? null : unreadySince(pod)),
    });
  }
  return times;
}

function unreadySince({ block, createdAt }: PodItem): number | null {
  if (block === null) return null;
  if (neverReady.has(block.kind)) return Date.parse(createdAt);
  return block.since === null ? null : Date.parse(block.since);
}

function earliest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
