import { expect, test } from 'vitest';
import { AppError } from '@/lib/errors';
import { lastIncarnationUid } from '@/lib/view/last-incarnation';

test('a deleted workload is identified by its last incarnation, any other workload by none', () => {
  const incarnations = [
    { uid: 'b', from: '2026-09-01T00:00:00Z', to: '2026-09-02T00:00:00Z' },
    { uid: 'a', from: '2026-08-01T00:00:00Z', to: '2026-08-02T00:00:00Z' },
  ];
  expect(lastIncarnationUid(new AppError('not_found', 'gone', { incarnations }))).toBe('b');
  expect(lastIncarnationUid(new AppError('forbidden', 'no', { incarnations }))).toBeNull();
  for (const odd of [undefined, [], 'x', [null], [{ uid: 1 }]])
    expect(lastIncarnationUid(new AppError('not_found', 'gone', { incarnations: odd }))).toBeNull();
});
