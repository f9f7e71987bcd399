import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Answer } from '@/lib/api/common';
import { namedMembers } from '@/lib/api/named-members';
import { rolloutRecordSchema } from '@/lib/api/record';
import { arbitraryOf } from '@/test/arbitrary-document';

const part = z.object({ name: z.string(), secret: z.string().optional() });
const stored = z.object({
  id: z.string(),
  secret: z.string(),
  parts: z.array(part),
  kind: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('a'), secret: z.string() }),
    z.object({ kind: z.literal('b') }),
  ]),
});
const answer = stored.pick({ id: true }).extend({
  parts: z.array(part.pick({ name: true })),
  kind: z
    .discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })])
    .nullable(),
});

test('an answer holds nothing that its schema does not name, at any depth', () => {
  const check = (value: Answer<typeof stored>) => {
    const named = namedMembers(answer, value);
    expect(JSON.stringify(named)).not.toContain('"secret"');
    expect(named).toStrictEqual(answer.parse(value));
  };
  fc.assert(fc.property(arbitraryOf(stored), check));
});

test('what a schema names is the same, whatever it is', () => {
  fc.assert(
    fc.property(arbitraryOf(rolloutRecordSchema), (record) => {
      expect(namedMembers(rolloutRecordSchema, record)).toStrictEqual(record);
    }),
  );
});
