import { useState } from 'react';
import { keepDraft, readDraft } from '@/components/ui/draft';
import { type VerdictItem } from '@/lib/api/records';

export interface VerdictDraft {
  verdict: VerdictItem['verdict'] | null;
  comment: string;
  person: string;
  /** As it was typed. */
  due: string;
  /** Version of the review that stood when it was begun; null where nothing is. */
  seen: number | null;
}

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

/** By hand, since a library for it would weigh more than the form. What another version has left is read as far as it goes. */
function parseDraft(text: string | null): VerdictDraft {
  if (text === null) return empty;
  let kept: Partial<Record<keyof VerdictDraft, unknown>> | null;
  try {
    kept = JSON.parse(text) as typeof kept;
  } catch {
    return empty;
  }
  const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
  const known = ['good', 'bad', 'followUp'] as const;
  return {
    verdict: known.find((verdict) => verdict === kept?.verdict) ?? null,
    comment: textOf(kept?.comment),
    person: textOf(kept?.person),
    due: textOf(kept?.due),
    seen: typeof kept?.seen === 'number' ? kept.seen : null,
  };
}
