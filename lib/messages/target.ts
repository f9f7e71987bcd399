import { formatCount } from '@/lib/format/text';
import { formatRevision, formatRevisions, type Revision, type RevisionHistory } from '@/lib/history/revision';
import type { WorkloadFacts } from '@/lib/engine/facts';

/** "revision 8"; "the current template" while it has none. */
export function formatTarget({ target }: Pick<RevisionHistory, 'target'>): string {
  return target === null ? 'the current template' : `revision ${formatRevision(target)}`;
}

/** "Revision 42 still serves with 9 of 12 pods."; null when no other revision has a ready pod. */
export function describeServing({
  history,
  counts,
  servingRevision,
}: Pick<WorkloadFacts, 'history' | 'servingRevision'> & {
  counts: { desired: number };
}): string | null {
  const serving = servingRevision == null ? history.revisions : [servingRevision];
  const others = serving.filter((revision) => !revision.target && revision.pods.ready > 0);
  const [first] = others;
  if (first === undefined) return null;
  const ready = others.reduce((sum, revision) => sum + revision.pods.ready, 0);
  const pods = formatCount(counts.desired, 'pod');
  if (others.length === 1) return `Revision ${formatRevision(first)} still serves with ${ready} of ${pods}.`;
  const names = others.map(formatRevision);
  return `Revisions ${names.slice(0, -1).join(', ')} and ${names.at(-1)} still serve with ${ready} of ${pods}.`;
}

export function joinSentences(...sentences: readonly (string | null)[]): string {
  return sentences.filter((sentence) => sentence !== null).join(' ');
}

/** "es-0 and es-1 stay on revision 11"; `on` has the revision of each, undefined where it is unknown. */
export function describeStaying(who: string, on: readonly (Revision | undefined)[]): string {
  return `${who} ${staysOrStay(on)} on ${formatRevisions(on)}`;
}

export function staysOrStay(list: readonly unknown[]): string {
  return list.length === 1 ? 'stays' : 'stay';
}
