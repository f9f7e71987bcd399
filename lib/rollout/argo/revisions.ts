import { formatRevision, type Revision } from '@/lib/history/revision';
import type { ArgoContext } from '@/lib/rollout/argo/context';
import { pendingRevision, rolloutRevisionOf } from '@/lib/rollout/common-shape';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';

/**
 * The revision that serves, and the desired one: by the hashes of the status, or by the spec before it is
 * read.
 */
export function findArgoRevisions({
  rollout,
  stage,
  stable,
  current,
  facts,
}: ArgoContext): ProgressiveRollout['revisions'] {
  const { stableHash, currentHash } = rollout;
  const isAhead = stage === 'behind' || stage === 'initial';
  const target = facts?.history.target ?? null;
  const isPending = isAhead && facts !== null && target === null && rollout.reference === null;
  return {
    stable: stableHash === null ? null : rolloutRevisionOf(stableHash, stable),
    updated:
      stage === 'idle'
        ? null
        : isPending
          ? pendingRevision(null, null, facts.workload)
          : isAhead && target !== null
            ? rolloutRevisionOf(null, target)
            : currentHash === null
              ? null
              : rolloutRevisionOf(currentHash, current),
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
