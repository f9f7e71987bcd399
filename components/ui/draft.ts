'use client';

import { useCallback, useState } from 'react';
import { readStored, store } from '@/components/ui/browser-storage';

const PREFIX = 'draft.';
/** A longer text is not stored: saving must not slow down typing. */
const DRAFT_CHARS_MAX = 1_000_000;

/**
 * An unsent text, stored in this browser for the viewer under a name until it is sent or cleared, so that leaving or reloading the
 * page does not lose it. Signing out removes it. An empty text is removed.
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
  return readStored(PREFIX + name);
}

export function saveDraft(name: string, text: string): void {
  // Where it cannot be stored, the text lives as long as the page.
  store(PREFIX + name, text === '' || text.length > DRAFT_CHARS_MAX ? null : text);
}
