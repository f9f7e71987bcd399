import { expect, test } from 'vitest';
import { action } from '@/components/action-dialog/testing/fixtures';
import { actionTitle } from '@/components/action-dialog/action-title';

test.each([
  ['Approve batch 3', 'Approving batch 3.', 'Approved batch 3.', 'Approval of batch 3 was rejected.'],
  ['Promote step 2', 'Promoting step 2.', 'Promoted step 2.', 'Promotion of step 2 was rejected.'],
])('names the result of %s as its button does', (label, going, done, refused) => {
  const given = action({ action: 'approve', step: { from: 3, to: 4 }, label });
  expect(actionTitle({ ...given, state: 'following' })).toBe(going);
  expect(actionTitle({ ...given, state: 'done' })).toBe(done);
  expect(actionTitle({ ...given, state: 'refused' })).toBe(refused);
});

test.each([
  ['abort', 'Aborted prices.'],
  ['retry', 'Retried prices.'],
  ['pause', 'Paused prices.'],
] as const)('uses the verb of the button for an action named by a verb alone: %s', (name, done) => {
  expect(actionTitle(action({ action: name, name: 'prices', state: 'done' }))).toBe(done);
});

test('shows an action of unknown end neither as in progress nor as done', () => {
  const given = action({ state: 'following', to: 42, endedAt: '2026-03-02T10:00:00Z' });
  expect(actionTitle(given)).toBe('Rollback to rev 42: outcome unknown.');
});
