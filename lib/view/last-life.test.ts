import { expect, test } from 'vitest';
import { AppError } from '@/lib/errors';
import { lastLifeOf } from '@/lib/view/last-life';

test('a workload that is gone is known by its last life, anything else by none', () => {
  const lives = [
    { uid: 'b', from: '2026-09-01T00:00:00Z', to: '2026-09-02T00:00:00Z' },
    { uid: 'a', from: '2026-08-01T00:00:00Z', to: '2026-08-02T00:00:00Z' },
  ];
  expect(lastLifeOf(new AppError('not_found', 'gone', { lives }))).toBe('b');
  expect(lastLifeOf(new AppError('forbidden', 'no', { lives }))).toBeNull();
  for (const odd of [undefined, [], 'x', [null], [{ uid: 1 }]])
    expect(lastLifeOf(new AppError('not_found', 'gone', { lives: odd }))).toBeNull();
});
