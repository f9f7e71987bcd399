import { useState } from 'react';
import { readStored, store } from '@/components/ui/browser-storage';
import type { VerdictItem } from '@/lib/api/review';
import { formatList } from '@/lib/format/text';

type VerdictName = VerdictItem['verdict'];
export type VerdictTally = Readonly<Partial<Record<string, VerdictName>>>;

const NAME = 'verdicts';

/** Verdicts given in this tab, by record, for the summary at the end of the queue. */
export function useVerdictTally() {
  const [tally, setTally] = useState<VerdictTally>(readTally);
  function count(id: string, verdict: VerdictName) {
    setTally((before) => {
      const next = { ...before, [id]: verdict };
      // Where it cannot be stored, the count lives as long as the page.
      store(NAME, JSON.stringify(next), 'session');
      return next;
    });
  }
  return { tally, count };
}

/** "12 good, 2 bad and 1 follow-up"; null where none was given. */
export function tallyText(tally: VerdictTally): string | null {
  const given = Object.values(tally);
  const parts = (['good', 'bad', 'followUp'] as const).flatMap((verdict) => {
    const number = given.filter((name) => name === verdict).length;
    if (number === 0) return [];
    return verdict === 'followUp' ? `${number} follow-up${number === 1 ? '' : 's'}` : `${number} ${verdict}`;
  });
  return parts.length === 0 ? null : formatList(parts);
}

function readTally(): VerdictTally {
  try {
    const stored: unknown = JSON.parse(readStored(NAME, 'session') ?? '{}');
    return typeof stored === 'object' && stored !== null ? (stored as VerdictTally) : {};
  } catch {
    return {};
  }
}
