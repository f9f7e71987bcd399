import 'server-only';
import { hash } from 'node:crypto';
import { isRestart } from '@/lib/history/restart';
import { type History } from '@/lib/history/revision';
import { meaningText } from '@/lib/ledger/meaning';
import { type LedgerTools } from '@/lib/ledger/observation';
import { type RevisionRef } from '@/lib/ledger/record';
import { listed } from '@/lib/workloads/words';
import { type Template, type TemplateFacts } from '@/lib/workloads/workload';
import { type ClusterCache } from '@/server/cluster/cache';
import { semanticIdOf } from '@/server/cluster/ingest';
import { type Summaries, type Summary } from '@/server/reads/summaries';

/** A template that the cluster no longer has. */
export interface PastTemplate {
  hash: string;
  template: Template;
}

/**
 * What the observer asks about the revisions of one workload; `unrecorded` finds a template that no source object of it
 * carries, and `past` is the last target, where only the archive has it. They throw `Unfinished` where templates are large.
 */
export function toolsFor(
  history: History,
  cache: ClusterCache,
  summaries: Pick<Summaries, 'betweenNow' | 'compareNow'>,
  unrecorded: (hash: string) => TemplateFacts | undefined,
  past?: PastTemplate,
): LedgerTools {
  const sourceOf = (ref: RevisionRef): TemplateFacts | undefined =>
    ref.id === null ? unrecorded(ref.hash) : history.revisions.find(({ id }) => id === ref.id)?.source;
  const summaryOf = (from: RevisionRef, after: TemplateFacts): Summary | null => {
    const before = sourceOf(from);
    if (before !== undefined) return summaries.betweenNow(cache, before, after);
    if (from.hash !== past?.hash) return null;
    return summaries.compareNow(
      { key: past.hash, template: () => past.template },
      { key: after.bodyId, template: () => cache.template(after.bodyId) },
    );
  };
  return {
    recordId: ({ cluster, uid }, activation) => recordId(cluster, uid, activation),
    summary: (from, to) => {
      const after = sourceOf(to);
      const summary = from === null || after === undefined ? null : summaryOf(from, after);
      if (summary !== null) return summary.text;
      const images = listed((after?.images ?? []).map(({ image }) => image));
      return to.number === 1 ? `starts with ${images}` : `what changed is not known; runs ${images}`;
    },
    imagesOf: (pending) =>
      (sourceOf(pending)?.images ?? []).map(({ container, image }) => ({ container, image })),
    meaning: (ref) => {
      const id = sourceOf(ref)?.semanticId ?? (ref.hash === past?.hash ? semanticIdOf(past.template) : null);
      return id === null ? null : meaningText(id);
    },
    isRestart: (from, to) => {
      const before = sourceOf(from);
      const after = sourceOf(to);
      if (after === undefined) return false;
      return before === undefined ? summaryOf(from, after)?.restartOnly === true : isRestart(before, after);
    },
  };
}

/** The same for the same activation, whoever records it and however often. */
export function recordId(cluster: string, uid: string, activation: number): string {
  return hash('sha256', JSON.stringify([cluster, uid, activation]), 'base64url').slice(0, 22);
}
