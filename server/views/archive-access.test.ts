import { expect, test } from 'vitest';
import type { ReadContext } from '@/server/views/context';
import { requireArchive } from '@/server/views/archive-access';

test('where the archive is not open, answers with the recorder’s reason', () => {
  const context = { archive: null, archiveProblem: () => 'The disk is full.' } as unknown as ReadContext;
  expect(() => requireArchive(context)).toThrow(/^Nothing is recorded\. The disk is full\. Workloads/);
  expect(() => requireArchive({ ...context, archiveProblem: () => null })).toThrow(/has not opened its/);
});
