import type { WorkloadDetail } from '@/lib/api/workloads';
import type { Incarnation } from '@/lib/api/earlier-incarnation';
import type { RevisionItem } from '@/lib/api/revisions';
import { imageVersion } from '@/lib/kube/image';
import { formatRev } from '@/lib/history/revision';

/** "rev 42 (2.18.3)". */
export function revisionTitle(revision: Pick<RevisionItem, 'number' | 'name' | 'images'>): string {
  return formatRev(revision, versionOf(revision.images));
}

/** Version of the first image; empty where it states none. */
export function versionOf(images: readonly { image: string }[]): string {
  return imageVersion(images[0]?.image ?? '');
}

/** The target revision; undefined while no source object holds it. */
export function targetOf(detail: WorkloadDetail): RevisionItem | undefined {
  return detail.revisions.find((revision) => revision.id === detail.workload.targetId);
}

/** Label of the current template: its revision, or "now" while none is recorded. */
export function currentRevisionName(detail: WorkloadDetail): string {
  const target = targetOf(detail);
  return target ? formatRev(target) : 'now';
}

/** What a rollback goes to unless a person chooses; null where nothing proves that it ran well. */
export function suggestedTarget({ defaultTarget }: WorkloadDetail['workload']) {
  return defaultTarget?.unproven === true ? null : defaultTarget;
}

/** A revision of an earlier incarnation of the name. */
export interface IncarnationRevision {
  revision: RevisionItem;
  incarnation: Incarnation;
}

/** The revisions that can be rolled back to, newest first: those in the cluster, then archived ones. */
export function listRollbackTargets({ revisions }: WorkloadDetail): {
  retained: readonly RevisionItem[];
  archived: readonly RevisionItem[];
} {
  const others = revisions.filter(
    ({ target, archived, unreadable }) =>
      !target && archived?.hasTemplate !== false && unreadable === undefined,
  );
  return {
    retained: others.filter((revision) => revision.retained),
    archived: others.filter((revision) => !revision.retained),
  };
}
