import fc from 'fast-check';
import { expect, test } from 'vitest';
import { causeOfRollback, reasonInCause } from '@/lib/history/change-cause';

test('the change cause of a rollback names its revision, and whether admission makes another one of it', () => {
  const rollback = { to: '42', isAltered: false, from: '43', reason: ' 43 loses baskets ' };
  expect(causeOfRollback(rollback)).toBe('rollback to revision 42 (was 43): 43 loses baskets');
  expect(causeOfRollback({ ...rollback, isAltered: true, reason: '' })).toBe(
    'rollback to revision 42, altered by admission (was 43)',
  );
});

test('the reason is what a person wrote, whatever stands before it', () => {
  const name = fc.oneof(fc.nat().map(String), fc.stringMatching(/^[a-z][a-z0-9.-]{0,20}[a-z0-9]$/));
  const rollback = fc.record({
    to: fc.tuple(name, fc.constantFrom('', ' of an earlier object')).map((parts) => parts.join('')),
    isAltered: fc.boolean(),
    from: fc.option(name),
    reason: fc.string(),
  });
  fc.assert(
    fc.property(rollback, (given) => {
      expect(reasonInCause(causeOfRollback(given))).toBe(given.reason.trim());
    }),
  );
  expect(reasonInCause('rollback to revision 3 because of x')).toBe('rollback to revision 3 because of x');
});
