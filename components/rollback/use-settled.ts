'use client';

import { useEffect, useState } from 'react';

/** Longer than the pause between two digits, shorter than waiting is felt. */
const SETTLE_MS = 250;

/** The value once it has stayed the same for a moment; so that not every digit asks the API server for a dry run. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
