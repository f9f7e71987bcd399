import { type Revision } from '@/lib/history/revision';
import { type Situation } from '@/lib/rollout/argo/situation';
import { markOf } from '@/lib/rollout/revision-mark';
import { type ReleaseRevision } from '@/lib/rollout/rollout';
import { called } from '@/lib/workloads/words';

export interface ReleaseRevisions {
  stable: ReleaseRevision | null;
  updated: ReleaseRevision | null;
}

/** What serves, and what the spec asks for: by the hashes of the status, or as it stands in the spec before that is read. */
export function releaseRevisions({ rollout, stage, stable, current, facts }: Situation): ReleaseRevisions {
  const { stableHash, currentHash } = rollout;
  const isAhead = stage === 'behind' || stage === 'initial';
  const target = facts?.history.target ?? null;
  const isPending = isAhead && facts !== null && target === null && rollout.reference === null;
  return {
    stable: stableHash === null ? null : markOf(stableHash, stable),
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
            ? markOf(null, target)
            : currentHash === null
              ? null
              : markOf(currentHash, current),
  };
}

/** How the revision that the spec asks for is called in a sentence. */
export function updatedWord({ current, rollout }: Situation): string {
  return revisionWord(current, rollout.currentHash, 'the new revision');
}

export function stableWord({ stable, rollout }: Situation): string {
  return revisionWord(stable, rollout.stableHash, 'the stable revision');
}

function revisionWord(revision: Revision | null, hash: string | null, otherwise: string): string {
  if (revision !== null) return `revision ${called(revision)}`;
  return hash === null ? otherwise : `revision ${hash}`;
}
