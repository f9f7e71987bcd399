import 'server-only';
import { hash } from 'node:crypto';
import { isRestart } from '@/lib/history/restart';
import { type History } from '@/lib/history/revision';
import { type LedgerTools } from '@/lib/ledger/observation';
import { type RevisionRef } from '@/lib/ledger/record';
import { listed } from '@/lib/workloads/words';
import { type TemplateFacts } from '@/lib/workloads/workload';
import { type ClusterCache } from '@/server/cluster/cache';
import { type Summaries } from '@/server/reads/summaries';

/** What the observer asks about the revisions of one workload; `unrecorded` finds a template that no source object of it carries. */
export function toolsFor(
  history: History,
  cache: ClusterCache,
  summaries: Pick<Summaries, 'between'>,
  unrecorded: (hash: string) => TemplateFacts | undefined,
): LedgerTools {
  const sourceOf = (ref: RevisionRef): TemplateFacts | undefined =>
    ref.id === null ? unrecorded(ref.hash) : history.revisions.find(({ id }) => id === ref.id)?.source;
  return {
    recordId: ({ cluster, uid }, activation) => recordId(cluster, uid, activation),
    summary: (from, to) => {
      const after = sourceOf(to);
      const before = from === null ? undefined : sourceOf(from);
      if (before !== undefined && after !== undefined) {
        const summary = summaries.between(cache, before, after);
        if (summary !== null) return summary.text;
      }
      const images = listed((after?.images ?? []).map(({ image }) => image));
      return to.number === 1 ? `starts with ${images}` : `what changed is not known; runs ${images}`;
    },
    imagesOf: (pending) =>
      (sourceOf(pending)?.images ?? []).map(({ container, image }) => ({ container, image })),
    isRestart: (from, to) => {
      const before = sourceOf(from);
      const after = sourceOf(to);
      return before !== undefined && after !== undefined && isRestart(before, after);
    },
  };
}

/** The same for the same activation, whoever records it and however often. */
export function recordId(cluster: string, uid: string, activation: number): string {
  return hash('sha256', JSON.stringify([cluster, uid, activation]), 'base64url').slice(0, 22);
}
