'use client';

import { useCallback, useState } from 'react';

const PREFIX = 'shiplog.draft.';
/** A longer text is not stored: saving must not slow down typing. */
const DRAFT_CHARS_MAX = 1_000_000;

/**
 * An unsent text, stored in this browser under a name until it is sent or cleared, so that leaving or reloading the
 * page does not lose it. An empty text is removed.
 */
export function useDraft(name: string, initial = ''): [string, (text: string) => void] {
  const [text, setText] = useState(() => readDraft(name) ?? initial);
  const change = useCallback(
    (next: string) => {
      setText(next);
      saveDraft(name, next === initial ? '' : next);
    },
    [name, initial],
  );
  return [text, change];
}

export function readDraft(name: string): string | null {
  try {
    return typeof window === 'undefined' ? null : window.localStorage.getItem(PREFIX + name);
  } catch {
    // Storage is unavailable: the text lives as long as the page.
    return null;
  }
}

export function saveDraft(name: string, text: string): void {
  try {
    if (text === '' || text.length > DRAFT_CHARS_MAX) window.localStorage.removeItem(PREFIX + name);
    else window.localStorage.setItem(PREFIX + name, text);
  } catch {
    // As above; a full storage must not prevent typing either.
  }
}
