import { NORMAL_FORM_VERSION } from '@/lib/diff/normalise';
import { type LedgerTools } from '@/lib/ledger/observation';
import { type RevisionRef } from '@/lib/ledger/record';

/** Stands for what a template means by the present rules; `semanticId` is equal for equal ones. */
export function meaningText(semanticId: string): string {
  return `${NORMAL_FORM_VERSION}:${semanticId}`;
}

/** Whether its meaning is known, and by the present rules. */
export function isTold({ meaning }: TemplateRef): boolean {
  return meaning?.startsWith(meaningText('')) === true;
}

/** Stands for a template wherever the template itself is not at hand. */
export type TemplateRef = Pick<RevisionRef, 'hash' | 'meaning'>;

/** The same of what was recorded, without the templates. The archive's statements ask it by `nearestTo` and `isChanged`. */
export function isSameRecorded(a: TemplateRef, b: TemplateRef): boolean {
  return a.hash === b.hash || (a.meaning !== undefined && a.meaning === b.meaning);
}

/** What stands for each template among these by its hash: the same for two that mean the same. */
export function templateKeys(refs: Iterable<TemplateRef | null>): (hash: string) => string {
  const meanings = new Map<string, string>();
  for (const ref of refs) if (ref?.meaning !== undefined) meanings.set(ref.hash, ref.meaning);
  return (hash) => meanings.get(hash) ?? hash;
}

/**
 * Whether two templates ask for the same. The same bytes do; others do where they mean the same: a custom resource keeps
 * what was written, while the ReplicaSet that is made of it has the defaults of the API server. Meanings of two versions
 * of the rules are never equal, so that a newer Shiplog goes by the bytes where it can't tell the meaning anew.
 */
export function isSameTemplate(a: RevisionRef, b: RevisionRef, tools: Pick<LedgerTools, 'meaning'>): boolean {
  if (a.hash === b.hash) return true;
  const meaning = meaningOf(a, tools);
  return meaning !== null && meaning === meaningOf(b, tools);
}

/** To be kept: what the cluster no longer has can't be asked later. */
export function withMeaning(ref: RevisionRef, tools: Pick<LedgerTools, 'meaning'>): RevisionRef {
  const meaning = meaningOf(ref, tools);
  return meaning === null || meaning === ref.meaning ? ref : { ...ref, meaning };
}

function meaningOf(ref: RevisionRef, tools: Pick<LedgerTools, 'meaning'>): string | null {
  return tools.meaning(ref) ?? ref.meaning ?? null;
}
