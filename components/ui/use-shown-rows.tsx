import { useState } from 'react';
import { Button } from '@/components/ui/button';

/** Rows that a page draws without a delay. */
const ROWS_PER_STEP = 500;

/** The first rows of a long list, and the button that shows more; null when all are shown. */
export function useShownRows<T>(all: readonly T[]): { shown: readonly T[]; more: React.ReactNode } {
  const [count, setCount] = useState(ROWS_PER_STEP);
  const hiddenCount = all.length - count;
  const more =
    hiddenCount > 0 ? (
      <p className="flex items-center gap-3 py-3 text-small text-ink-2">
        {count} of {all.length.toLocaleString('en-US')} shown
        <Button size="small" onClick={() => setCount(count + ROWS_PER_STEP)}>
          Show {Math.min(ROWS_PER_STEP, hiddenCount)} more
        </Button>
      </p>
    ) : null;
  return { shown: hiddenCount > 0 ? all.slice(0, count) : all, more };
}
