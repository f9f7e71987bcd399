import { expect } from 'vitest';
import { z } from 'zod';

/** An answer by its schema, which has to name all of it: a member that it does not name is private. */
export function parseAnswer<S extends z.core.$ZodType>(schema: S, answer: unknown): z.output<S> {
  const parsed = z.parse(schema, answer);
  expect(parsed).toEqual(answer);
  return parsed;
}
