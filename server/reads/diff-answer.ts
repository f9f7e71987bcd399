import { type ChangeItem, type Diff, type EchoItem, type TakenBackItem } from '@/lib/api/diff';
import { type Change, type TemplateDiff } from '@/lib/diff/change';
import { echoSentence, takenBackSentence } from '@/lib/ledger/echo-words';
import { type Echo } from '@/lib/ledger/echoes';
import { type TakenBack } from '@/lib/ledger/takes-back';

/** What the archive adds to a diff. */
export interface DiffEchoes {
  /** One for each change of the diff, in its order; null where a change has none. */
  changes: readonly (Echo | null)[];
  takesBack: TakenBack | null;
  /** Why nothing is told of earlier rollouts, where it could not be found out. */
  note?: string;
}

/** A diff as the API gives it: without what only applying it needs, and with its echoes where they are known. */
export function diffAnswer(
  diff: TemplateDiff,
  echoes: DiffEchoes | null = null,
): Omit<Diff, 'from' | 'to' | 'yaml'> {
  const { equal, rawEqual, summary, restartOnly, explanation, changes, tooLarge, noise } = diff;
  return {
    equal,
    rawEqual,
    summary,
    restartOnly,
    takesBack: takenBackAnswer(echoes?.takesBack ?? null),
    echoNote: echoes?.note ?? null,
    explanation,
    tooLarge,
    changes: changes.map((change, index) => changeAnswer(change, echoes?.changes[index] ?? null)),
    noise: noise.map(({ path, before, after, reason }) => ({
      path,
      before: before ?? null,
      after: after ?? null,
      reason,
    })),
  };
}

export function takenBackAnswer(taken: TakenBack | null): TakenBackItem | null {
  return taken === null ? null : { ...taken, sentence: takenBackSentence(taken) };
}

function changeAnswer(
  { pointer: _pointer, vanishes: _vanishes, place: _place, order: _order, before, after, ...change }: Change,
  echo: Echo | null,
): ChangeItem {
  return { ...change, before: before ?? null, after: after ?? null, echo: echoAnswer(echo) };
}

function echoAnswer(echo: Echo | null): EchoItem | null {
  return echo === null ? null : { ...echo, sentence: echoSentence(echo) };
}
