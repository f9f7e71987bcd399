import { useCallback, useState } from 'react';
import type { Selection } from '@/components/list/selection';
import { readDraft, saveDraft } from '@/components/ui/draft';

/** A selection that this browser remembers under a name, so that it is there after going back. */
export function useRememberedSelection(name: string): Selection {
  const [at, setAt] = useState(() => readDraft(name) ?? '');
  const select = useCallback(
    (key: string) => {
      setAt(key);
      saveDraft(name, key);
    },
    [name],
  );
  return { at, select, leave: select };
}
