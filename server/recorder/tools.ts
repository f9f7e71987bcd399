import 'server-only';
import { semanticIdOf } from '@/server/shared/semantic-id';
import { hash } from 'node:crypto';
import { isRestart } from '@/lib/history/restart';
import type { RevisionHistory } from '@/lib/history/revision';
import { versionedMeaning } from '@/lib/records/template-meaning';
import type { RecordingTools } from '@/lib/records/observation';
import type { RevisionRef } from '@/lib/api/incarnation';
import { formatList } from '@/lib/format/text';
import type { Template, TemplateFacts } from '@/lib/history/workload';
import type { ClusterCache } from '@/server/cluster/cache';
import type { Mask } from '@/server/shared/mask';
import type { ChangeSummaries, ChangeSummary } from '@/server/views/change-summaries';

/** A template that the cluster no longer has. */
export interface PastTemplate {
  hash: string;
  template: Template;
}

/**
 * Access to the revisions of one workload; `unrecorded` finds a template that no source object of it has, and `past` is
 * the last target, where only the archive has it. They throw `ComparisonPending` where templates are large.
 */
export function createTools(
  history: RevisionHistory,
  cache: ClusterCache,
  summaries: Pick<ChangeSummaries, 'betweenNow' | 'compareNow'>,
  mask: Mask,
  unrecorded: (hash: string) => TemplateFacts | undefined,
  past?: PastTemplate,
): RecordingTools {
  const sourceOf = (ref: RevisionRef): TemplateFacts | undefined =>
    ref.id === null ? unrecorded(ref.hash) : history.revisions.find(({ id }) => id === ref.id)?.source;
  const summaryOf = (from: RevisionRef, after: TemplateFacts): ChangeSummary | null => {
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
      const images = formatList((after?.images ?? []).map(({ image }) => image));
      return mask.text(to.number === 1 ? `starts with ${images}` : `changes unknown; runs ${images}`);
    },
    imagesOf: (pending) => mask.images(sourceOf(pending)?.images ?? []),
    meaning: (ref) => {
      const id = sourceOf(ref)?.semanticId ?? (ref.hash === past?.hash ? semanticIdOf(past.template) : null);
      return id === null ? null : versionedMeaning(id);
    },
    isRestart: (from, to) => {
      const before = sourceOf(from);
      const after = sourceOf(to);
      if (after === undefined) return false;
      return before === undefined ? summaryOf(from, after)?.restartOnly === true : isRestart(before, after);
    },
  };
}

/** The same for the same activation, for every recorder and every time. */
export function recordId(cluster: string, uid: string, activation: number): string {
  return hash('sha256', JSON.stringify([cluster, uid, activation]), 'base64url').slice(0, 22);
}
