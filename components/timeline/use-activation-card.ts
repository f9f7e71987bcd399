'use client';

import { useEffect, useRef, useState } from 'react';
import { type ActivationBar } from '@/lib/timeline/lanes';

/** An activation with the position of its bars, in pixels of the drawing. */
export interface ShownActivation {
  laneId: string;
  activation: ActivationBar;
  left: number;
  right: number;
  bottom: number;
}

/** Long enough to cross a bar, or to reach the card from it, without flicker. */
const PEEK_MS = 140;

/**
 * The activation whose card is shown. Hovering shows the card while the pointer is on the bar or on the card; opening
 * it (press, Enter) shows it until it is closed.
 */
export function useActivationCard() {
  const [card, setCard] = useState<{ shown: ShownActivation; kept: boolean } | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  function later(change: () => void) {
    clearTimeout(timer.current);
    timer.current = setTimeout(change, PEEK_MS);
  }

  return {
    card,
    peek: (shown: ShownActivation) =>
      later(() => setCard((now) => (now?.kept ? now : { shown, kept: false }))),
    stay: () => clearTimeout(timer.current),
    leave: () => later(() => setCard((now) => (now?.kept ? now : null))),
    open: (shown: ShownActivation) => {
      clearTimeout(timer.current);
      setCard({ shown, kept: true });
    },
    close: () => {
      clearTimeout(timer.current);
      setCard(null);
    },
  };
}
