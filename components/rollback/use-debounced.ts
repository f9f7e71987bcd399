'use client';

import { useEffect, useState } from 'react';

/** Longer than the pause between two digits, too short to be noticed. */
const DEBOUNCE_MS = 250;

/** The value once it has not changed for a moment, so that not every digit causes a dry run. */
export function useDebounced<Value>(value: Value): Value {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return debounced;
}
