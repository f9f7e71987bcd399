'use client';

import { useDeferredValue, useEffect, useState } from 'react';

/** Browsers refuse more than a few changes of the address a second, and each is a question to the server. */
const TYPING_MS = 250;

/** What is typed shows at once and is told once the typing rests. */
export function Settled({
  value,
  onSettle,
  children,
}: {
  value: string;
  onSettle: (value: string) => void;
  children: (typed: string, type: (value: string) => void) => React.ReactNode;
}) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  const settled = useDeferredValue(typed);
  useEffect(() => {
    if (settled === value) return;
    const timer = setTimeout(() => onSettle(settled), TYPING_MS);
    return () => clearTimeout(timer);
  }, [settled, value, onSettle]);
  return children(typed, setTyped);
}
