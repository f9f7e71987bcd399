import { NORMAL_FORM_VERSION } from '@/lib/diff/normalize';
import type { RecordingTools } from '@/lib/records/observation';
import type { RevisionRef } from '@/lib/api/incarnation';

/** Identifies the meaning of a template by the current rules; `semanticId` is equal for equal ones. */
export function versionedMeaning(semanticId: string): string {
  return `${NORMAL_FORM_VERSION}:${semanticId}`;
}

/** Whether its meaning is known, and by the current rules. */
export function hasCurrentMeaning({ meaning }: TemplateRef): boolean {
  return meaning?.startsWith(versionedMeaning('')) === true;
}

/** Identifies a template wherever the template itself is not available. */
export type TemplateRef = Pick<RevisionRef, 'hash' | 'meaning'>;

/**
 * The same for recorded templates, without their bodies. The archive's SQL equivalents are `nearestTo` and
 * `isChanged`.
 */
export function isSameRecordedTemplate(a: TemplateRef, b: TemplateRef): boolean {
  return a.hash === b.hash || (a.meaning !== undefined && a.meaning === b.meaning);
}

/** A key for each of these templates by its hash: the same for two that mean the same. */
export function templateKeys(refs: Iterable<TemplateRef | null>): (hash: string) => string {
  const meanings = new Map<string, string>();
  for (const ref of refs) if (ref?.meaning !== undefined) meanings.set(ref.hash, ref.meaning);
  return (hash) => meanings.get(hash) ?? hash;
}

/**
 * Whether two templates specify the same. The same bytes do; others do where they mean the same: a custom
 * resource keeps the template as written, while its ReplicaSet has the defaults of the API server. Meanings
 * of two versions of the rules are never equal, so a newer Shiplog compares the bytes where it can't derive
 * the meaning again.
 */
export function isSameTemplate(
  a: RevisionRef,
  b: RevisionRef,
  tools: Pick<RecordingTools, 'meaning'>,
): boolean {
  if (a.hash === b.hash) return true;
  const meaning = meaningOf(a, tools);
  return meaning !== null && meaning === meaningOf(b, tools);
}

/** To be saved: a template pruned from the cluster can't be read later. */
export function withMeaning(ref: RevisionRef, tools: Pick<RecordingTools, 'meaning'>): RevisionRef {
  const meaning = meaningOf(ref, tools);
  return meaning === null || meaning === ref.meaning ? ref : { ...ref, meaning };
}

function meaningOf(ref: RevisionRef, tools: Pick<RecordingTools, 'meaning'>): string | null {
  return tools.meaning(ref) ?? ref.meaning ?? null;
}
