'use client';

import { useCallback, useState } from 'react';

const PREFIX = 'shiplog.draft.';
/** Typing on a slow disk must not stutter, and a crash must not take more than a word. */
const KEPT_MAX_CHARS = 1_000_000;

/**
 * What somebody has begun to write, kept in this browser under a name until it is sent or emptied, so that neither
 * leaving the page nor reloading it loses a word. An empty text is none.
 */
export function useDraft(name: string, initial = ''): [string, (text: string) => void] {
  const [text, setText] = useState(() => readDraft(name) ?? initial);
  const change = useCallback(
    (next: string) => {
      setText(next);
      keepDraft(name, next === initial ? '' : next);
    },
    [name, initial],
  );
  return [text, change];
}

export function readDraft(name: string): string | null {
  try {
    return typeof window === 'undefined' ? null : window.localStorage.getItem(PREFIX + name);
  } catch {
    // A browser that keeps nothing: what is typed lives as long as the page.
    return null;
  }
}

export function keepDraft(name: string, text: string): void {
  try {
    if (text === '' || text.length > KEPT_MAX_CHARS) window.localStorage.removeItem(PREFIX + name);
    else window.localStorage.setItem(PREFIX + name, text);
  } catch {
    // As above; also a full store, which must not keep anybody from typing.
  }
}
