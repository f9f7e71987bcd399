import { expect, test } from 'vitest';
import { keepPreviousRows } from '@/components/queries/paged-query';

test('keeps rows until the answer to other filters is there, but no empty list', () => {
  const some = { pages: [{ items: [] }, { items: ['a'] }] };
  expect(keepPreviousRows(some)).toBe(some);
  expect(keepPreviousRows({ pages: [{ items: [] }] })).toBeUndefined();
  expect(keepPreviousRows(undefined)).toBeUndefined();
});
