import { type PodItem } from '@/lib/api/pods';
import { type PodTrack } from '@/lib/api/earlier-incarnation';
import { type RevisionItem } from '@/lib/api/revisions';
import { type TimelineRevision } from '@/lib/timeline/lanes';
import { podProfiles } from '@/lib/timeline/pod-profile';
import { podTimes } from '@/lib/timeline/pod-times';
import { versionsOf } from '@/lib/view/image-name';

/** Revisions as the drawing needs them: with the times that their pods prove, and the label at the end of a lane. */
export function timelineRevisions(
  revisions: readonly RevisionItem[],
  pods: readonly PodItem[],
  track: PodTrack | undefined,
  nowMs: number,
): TimelineRevision[] {
  const times = podTimes(pods);
  const profiles = podProfiles(track, revisions, nowMs);
  const versions = versionsOf(revisions);
  return revisions.map((revision, index) => ({
    ...revision,
    version: versions[index] ?? '',
    note: revision.retained ? (revision.prunedNext ? 'pruned next' : 'not live') : 'archived',
    profile: profiles.get(revision.id) ?? [],
    runningSinceMs: times.get(revision.id)?.runningSinceMs ?? null,
    unreadySinceMs: times.get(revision.id)?.unreadySinceMs ?? null,
  }));
}
