import { useState } from 'react';
import { Button } from '@/components/ui/button';

/** Rows that a page draws without stalling. */
const STEP = 500;

/** The first of a long list, and the button that shows more of it; null when all of it is shown. */
export function useShownPart<T>(all: readonly T[]): { shown: readonly T[]; more: React.ReactNode } {
  const [count, setCount] = useState(STEP);
  const rest = all.length - count;
  const more =
    rest > 0 ? (
      <p className="flex items-center gap-3 py-3 text-small text-ink-2">
        {count} of {all.length.toLocaleString('en-US')} shown
        <Button size="small" onClick={() => setCount(count + STEP)}>
          Show {Math.min(STEP, rest)} more
        </Button>
      </p>
    ) : null;
  return { shown: rest > 0 ? all.slice(0, count) : all, more };
}
