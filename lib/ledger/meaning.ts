import { type LedgerTools } from '@/lib/ledger/observation';
import { type RevisionRef } from '@/lib/ledger/record';

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
