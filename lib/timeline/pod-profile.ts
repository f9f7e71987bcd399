import { type PodTrack, type RevisionItem, type RolloutMark } from '@/lib/api/workloads';

/** Pods of one revision that stayed the same for a while. Times in milliseconds since 1970. */
export interface PodStretch {
  fromMs: number;
  toMs: number;
  pods: number;
  ready: number;
}

type Activated = Pick<RevisionItem, 'id' | 'activations'>;

/**
 * Pods over time by revision id, oldest first. Samples are taken while a rollout goes on; after it the revision that it
 * led to keeps what it had, until the next one begins.
 */
export function podProfiles(
  track: PodTrack | undefined,
  revisions: readonly Activated[],
  nowMs: number,
): ReadonlyMap<string, readonly PodStretch[]> {
  const profiles = new Map<string, PodStretch[]>();
  const targets = targetsOf(revisions);
  const rollouts = (track?.rollouts ?? []).filter(({ samples }) => samples.length > 0);
  rollouts.forEach(({ record, samples }, index) => {
    const target = targets.get(record);
    const next = Date.parse(rollouts[index + 1]?.samples[0]?.at ?? '');
    const heldUntil = Number.isNaN(next) ? nowMs : next;
    samples.forEach(({ at, pods }, place) => {
      const fromMs = Date.parse(at);
      const after = samples[place + 1];
      for (const { revisionId, pods: count, ready } of pods) {
        if (revisionId === null || count === 0) continue;
        const keeps = revisionId === target?.revisionId || (target?.open ?? false);
        const toMs = after === undefined ? (keeps ? heldUntil : fromMs) : Date.parse(after.at);
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

function isOpen({ outcome }: RolloutMark): boolean {
  return outcome === null;
}

function append(profiles: Map<string, PodStretch[]>, id: string, stretch: PodStretch): void {
  const known = profiles.get(id);
  const last = known?.at(-1);
  if (known === undefined) profiles.set(id, [stretch]);
  else if (last?.toMs === stretch.fromMs && last.pods === stretch.pods && last.ready === stretch.ready) {
    last.toMs = stretch.toMs;
  } else known.push(stretch);
}

/** What a profile says between two times, in order and without overlap; what it does not tell is left out. */
export function stretchesWithin(
  profile: readonly PodStretch[],
  fromMs: number,
  toMs: number,
): readonly PodStretch[] {
  return profile
    .filter((each) => each.fromMs < toMs && each.toMs > fromMs)
    .map((each) => ({ ...each, fromMs: Math.max(each.fromMs, fromMs), toMs: Math.min(each.toMs, toMs) }));
}
