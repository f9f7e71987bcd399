import type { Revision } from '@/lib/history/revision';
import type { RolloutRevision } from '@/lib/api/rollouts';

/** What the system calls `hash`, with its revision in the workload's history, where that is known. */
export function rolloutRevisionOf(hash: string | null, revision: Revision | null): RolloutRevision {
  return {
    hash,
    id: revision?.id ?? null,
    number: revision?.number ?? null,
    name: revision?.name ?? null,
    pending: false,
    images: revision?.source.images.map(({ container, image }) => ({ container, image })) ?? [],
  };
}
