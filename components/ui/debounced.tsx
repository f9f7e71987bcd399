'use client';

import { useDeferredValue, useEffect, useState } from 'react';

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
  const deferred = useDeferredValue(typed);
  useEffect(() => {
    if (deferred === value) return;
    const timer = setTimeout(() => onChange(deferred), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [deferred, value, onChange]);
  return children(typed, setTyped);
}
