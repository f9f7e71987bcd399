import { expect, it } from 'vitest';
import {
  relatedChangeParts,
  describeRelatedChange,
  describeRevertedRollouts,
} from '@/lib/records/related-change-text';
import type { RelatedRollout } from '@/lib/api/diff';

function rollout(number: number | null, cause: string | null): RelatedRollout {
  return { id: `r${number}`, number, cause, actor: null, at: null };
}

const oom = rollout(41, 'OOM kills under load');
const savings = rollout(43, 'Save money');

it('a sentence states what happens to which rollout and why that one was made', () => {
  expect(describeRelatedChange({ kind: 'reverts', rollout: oom, deed: 'raised', repeats: null })).toBe(
    'Reverts revision 41, which raised it for “OOM kills under load”',
  );
  expect(describeRelatedChange({ kind: 'reverts', rollout: savings, deed: 'lowered', repeats: oom })).toBe(
    'Reverts revision 43, which lowered it for “Save money”; revision 41 made the same change for “OOM kills under load”',
  );
  expect(
    describeRelatedChange({ kind: 'counters', rollout: oom, deed: 'raised', before: '512Mi', after: '1Gi' }),
  ).toBe('Revision 41 raised it from 512Mi to 1Gi for “OOM kills under load”');
  expect(describeRelatedChange({ kind: 'repeats', rollout: oom, deed: 'changed', revertedBy: savings })).toBe(
    'Repeats revision 41, which changed it for “OOM kills under load”; revision 43 reverted that for “Save money”',
  );
  expect(describeRelatedChange({ kind: 'returns', rollout: oom, deed: 'removed' })).toBe(
    'Restores the value from before revision 41, which removed it for “OOM kills under load”',
  );
});

it('a return to an earlier template counts the rollouts after the first that it reverts', () => {
  expect(describeRevertedRollouts({ rollout: oom, others: 0 })).toBe(
    'Reverts revision 41 (“OOM kills under load”)',
  );
  expect(describeRevertedRollouts({ rollout: rollout(null, null), others: 2 })).toBe(
    'Reverts an earlier rollout and 2 later rollouts',
  );
});

it('every rollout that is named links to its record', () => {
  const parts = relatedChangeParts({ kind: 'repeats', rollout: oom, deed: 'changed', revertedBy: savings });
  expect(parts.filter((part) => part.recordId !== undefined)).toEqual([
    { text: 'revision 41', recordId: 'r41' },
    { text: 'revision 43', recordId: 'r43' },
  ]);
});

it('a cause stays a short quotation on one line, whatever it contains', () => {
  const said = (cause: string) =>
    describeRevertedRollouts({ rollout: rollout(2, cause), others: 0 }).replace('Reverts revision 2', '');
  expect(said('a\n\u202eb\u0007  c')).toBe(' (“a b c”)');
  expect(said(' \n ')).toBe('');
  expect([...said('😀'.repeat(500))]).toHaveLength(' (“”)'.length + 120);
});

it('a command is the means of a change, not its reason', () => {
  const command = rollout(2, 'kubectl set resources deployment/cart');
  expect(describeRelatedChange({ kind: 'returns', rollout: command, deed: 'raised' })).toContain(
    'raised it with “kubectl set resources deployment/cart”',
  );
});
