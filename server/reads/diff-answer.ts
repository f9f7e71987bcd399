import { type ChangeItem, type Diff } from '@/lib/api/diff';
import { type Change, type TemplateDiff } from '@/lib/diff/change';

/** A diff as the API gives it: without what only applying it needs. */
export function diffAnswer(diff: TemplateDiff): Omit<Diff, 'from' | 'to' | 'yaml'> {
  const { equal, rawEqual, summary, restartOnly, explanation, changes, noise } = diff;
  return {
    equal,
    rawEqual,
    summary,
    restartOnly,
    explanation,
    changes: changes.map(changeAnswer),
    noise: noise.map(({ path, before, after, reason }) => ({
      path,
      before: before ?? null,
      after: after ?? null,
      reason,
    })),
  };
}

function changeAnswer({
  pointer: _pointer,
  vanishes: _vanishes,
  before,
  after,
  ...change
}: Change): ChangeItem {
  return { ...change, before: before ?? null, after: after ?? null };
}
