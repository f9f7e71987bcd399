import { z } from 'zod';

/**
 * An answer by its schema. Throws where it is not as described; a member that the schema does not name is private, and
 * must not be in an answer at all.
 */
export function parseAnswer<S extends z.core.$ZodType>(
  schema: S,
  answer: unknown,
  name = 'The answer',
): z.output<S> {
  const { data, error } = z.safeParse(schema, answer);
  if (error !== undefined) throw new Error(`${name} is not as described: ${z.prettifyError(error)}`);
  const paths = differencesOf(answer, data);
  if (paths.length > 0) throw new Error(`${name} has members without a description: ${paths.join(', ')}`);
  return data;
}

/** The paths where two values differ; a member that is undefined is absent. */
function differencesOf(value: unknown, other: unknown, at = ''): string[] {
  if (Object.is(value, other)) return [];
  if (!isComposite(value) || !isComposite(other)) return [at];
  const names = new Set([...Object.keys(value), ...Object.keys(other)]);
  return [...names].flatMap((name) => differencesOf(value[name], other[name], `${at}.${name}`));
}

function isComposite(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
