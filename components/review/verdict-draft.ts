import { useState } from 'react';
import { saveDraft, readDraft } from '@/components/ui/draft';
import type { VerdictItem } from '@/lib/api/review';

export interface VerdictDraft {
  verdict: VerdictItem['verdict'] | null;
  comment: string;
  person: string;
  /** As typed. */
  due: string;
  /** Version of the review when the draft was begun; null where there was no review. */
  seen: number | null;
}

export const emptyDraft: VerdictDraft = { verdict: null, comment: '', person: '', due: '', seen: null };

/** The unsaved verdict and text of a reviewer for a record, while `version` is the current one of its review. */
export function useVerdictDraft(recordId: string, version: number) {
  const name = `${recordId}.verdict`;
  const [draft, setDraft] = useState(() => parseDraft(readDraft(name)));
  function save(next: VerdictDraft) {
    setDraft(next);
    const isEmpty = next.verdict === null && next.comment === '' && next.person === '';
    saveDraft(name, isEmpty ? '' : JSON.stringify(next));
  }
  return {
    draft,
    change: (change: Partial<VerdictDraft>) => save({ ...draft, seen: draft.seen ?? version, ...change }),
    forget: () => save(emptyDraft),
  };
}

/** The day that many days from today, in the viewer's time zone: `2026-01-31`. */
export function inDays(days: number, now = new Date()): string {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 12);
  const part = (value: number) => String(value).padStart(2, '0');
  return `${day.getFullYear()}-${part(day.getMonth() + 1)}-${part(day.getDate())}`;
}

const THURSDAY = 4;
/** A nearer Thursday leaves too little time. */
const DUE_DAYS_MIN = 3;

/** When a follow-up is due unless the reviewer says otherwise: next Thursday, or the one after where that is too near. */
export function defaultDueDay(now = new Date()): string {
  const days = (THURSDAY - now.getDay() + 7) % 7;
  return inDays(days < DUE_DAYS_MIN ? days + 7 : days, now);
}

/**
 * By hand, because a schema library would weigh more than the form. A draft of another version of Shiplog is read as
 * far as possible.
 */
function parseDraft(text: string | null): VerdictDraft {
  if (text === null) return emptyDraft;
  let stored: Partial<Record<keyof VerdictDraft, unknown>> | null;
  try {
    stored = JSON.parse(text) as typeof stored;
  } catch {
    return emptyDraft;
  }
  const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
  const verdicts = ['good', 'bad', 'followUp'] as const;
  return {
    verdict: verdicts.find((verdict) => verdict === stored?.verdict) ?? null,
    comment: textOf(stored?.comment),
    person: textOf(stored?.person),
    due: textOf(stored?.due),
    seen: typeof stored?.seen === 'number' ? stored.seen : null,
  };
}
