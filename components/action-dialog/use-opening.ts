import { useState } from 'react';

/** Counts the openings of a dialog: as its key, every opening starts with fresh state. */
export function useOpening(open: boolean): number {
  const [opening, setOpening] = useState(0);
  const [wasOpen, setWasOpen] = useState(false);
  if (open !== wasOpen) {
    setWasOpen(open);
    if (open) setOpening(opening + 1);
  }
  return opening;
}
