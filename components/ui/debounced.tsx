'use client';

import { useEffect, useState } from 'react';

/** Browsers refuse more than a few changes of the address per second, and each is a request to the server. */
const DEBOUNCE_MS = 250;

/** Typed text is shown at once and reported after a pause in typing. */
export function Debounced({
  value,
  onChange,
  children,
}: {
  value: string;
  onChange: (value: string) => void;
  children: (typed: string, type: (value: string) => void) => React.ReactNode;
}) {
  const [typed, setTyped] = useState(value);
  const [lastValue, setLastValue] = useState(value);
  if (lastValue !== value) {
    setLastValue(value);
    setTyped(value);
  }
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onChange(typed), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return children(typed, setTyped);
}
