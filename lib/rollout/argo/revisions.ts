import { formatRevision, type Revision } from '@/lib/history/revision';
import { type ArgoContext } from '@/lib/rollout/argo/context';
import { releaseRevisionOf } from '@/lib/rollout/release-revision';
import { type ReleaseRevision } from '@/lib/api/rollouts';

export interface ArgoReleaseRevisions {
  stable: ReleaseRevision | null;
  updated: ReleaseRevision | null;
}

/**
 * The revision that serves, and the desired one: by the hashes of the status, or by the spec before it is
 * read.
 */
export function argoReleaseRevisions({
  rollout,
  stage,
  stable,
  current,
  facts,
}: ArgoContext): ArgoReleaseRevisions {
  const { stableHash, currentHash } = rollout;
  const isAhead = stage === 'behind' || stage === 'initial';
  const target = facts?.history.target ?? null;
  const isPending = isAhead && facts !== null && target === null && rollout.reference === null;
  return {
    stable: stableHash === null ? null : releaseRevisionOf(stableHash, stable),
    updated:
      stage === 'idle'
        ? null
        : isPending
          ? {
              hash: null,
              id: null,
              number: null,
              name: null,
              pending: true,
              images: facts.workload.images.map(({ container, image }) => ({ container, image })),
            }
          : isAhead && target !== null
            ? releaseRevisionOf(null, target)
            : currentHash === null
              ? null
              : releaseRevisionOf(currentHash, current),
  };
}

/** The name of the desired revision in a sentence. */
export function formatUpdatedRevision({ current, rollout }: ArgoContext): string {
  return formatRevisionOr(current, rollout.currentHash, 'the new revision');
}

export function formatStableRevision({ stable, rollout }: ArgoContext): string {
  return formatRevisionOr(stable, rollout.stableHash, 'the stable revision');
}

function formatRevisionOr(revision: Revision | null, hash: string | null, otherwise: string): string {
  if (revision !== null) return `revision ${formatRevision(revision)}`;
  return hash === null ? otherwise : `revision ${hash}`;
}
