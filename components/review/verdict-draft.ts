import { useState } from 'react';
import { z } from 'zod/mini';
import { keepDraft, readDraft } from '@/components/ui/draft';
import { verdicts } from '@/lib/api/records';

const draftSchema = z.object({
  verdict: z.nullable(z.enum(verdicts)),
  comment: z.string(),
  person: z.string(),
  due: z.string(),
  /** Version of the review that stood when it was begun; null where nothing is. */
  seen: z.nullable(z.number()),
});
export type VerdictDraft = z.infer<typeof draftSchema>;

const empty: VerdictDraft = { verdict: null, comment: '', person: '', due: '', seen: null };

/** What a reviewer has chosen and written about a record and not saved yet, while `version` of its review stands. */
export function useVerdictDraft(recordId: string, version: number) {
  const name = `${recordId}.verdict`;
  const [draft, setDraft] = useState(() => parseDraft(readDraft(name)));
  function keep(next: VerdictDraft) {
    setDraft(next);
    const isEmpty = next.verdict === null && next.comment === '' && next.person === '';
    keepDraft(name, isEmpty ? '' : JSON.stringify(next));
  }
  return {
    draft,
    change: (change: Partial<VerdictDraft>) => keep({ ...draft, seen: draft.seen ?? version, ...change }),
    forget: () => keep(empty),
  };
}

/** The day that many days from today, where the viewer is: `2026-01-31`. */
export function inDays(days: number, now = new Date()): string {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 12);
  const part = (value: number) => String(value).padStart(2, '0');
  return `${day.getFullYear()}-${part(day.getMonth() + 1)}-${part(day.getDate())}`;
}

function parseDraft(text: string | null): VerdictDraft {
  if (text === null) return empty;
  try {
    return draftSchema.parse(JSON.parse(text));
  } catch {
    // Of another version.
    return empty;
  }
}
