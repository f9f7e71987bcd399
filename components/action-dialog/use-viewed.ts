'use client';

import { useState } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';

/** One version of an object that the viewer reads and decides on. */
export interface Viewed<Subject> {
  /** When the dialog was opened. */
  first: Subject;
  subject: Subject;
  now: Subject;
  /** How often the viewer reloaded it. */
  refreshCount: number;
  refresh: () => void;
  /** Makes the current one the viewed one. */
  reload: () => void;
}

/**
 * The current object and the viewed one; null until it has loaded. Only the viewer makes the current one the viewed
 * one.
 */
export function useViewed<Subject>({ data, refetch }: UseQueryResult<Subject>): Viewed<Subject> | null {
  const now = data;
  const [viewed, setViewed] = useState<Pick<Viewed<Subject>, 'first' | 'subject' | 'refreshCount'> | null>(
    null,
  );
  if (viewed === null && now !== undefined) setViewed({ first: now, subject: now, refreshCount: 0 });
  if (viewed === null || now === undefined) return null;

  const reload = async () => {
    const fresh = (await refetch()).data ?? now;
    setViewed((last) => last && { ...last, subject: fresh, refreshCount: last.refreshCount + 1 });
  };

  return { ...viewed, now, refresh: () => void refetch(), reload: () => void reload() };
}
