import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type Route } from '@/lib/api/route';
import { routes } from '@/lib/api/routes';
import { matchesTemplate, partsOfKey } from '@/lib/route-key';

/**
 * Throws where an answer is not as the table of routes describes it. A member that the schema does not name is private,
 * and must not be in an answer at all.
 */
export function assertDescribed(method: string, path: string, answer: unknown): void {
  const route = routeOf(method, path);
  if (route === undefined) return;
  const { data, error } = z.safeParse(route.answer, answer);
  if (error !== undefined)
    throw new Error(`${method} ${path} is not as described: ${z.prettifyError(error)}`);
  if (isDeepStrictEqual(data, answer)) return;
  throw new Error(
    `${method} ${path} has members without a description: ${surplusOf(answer, data).join(', ')}`,
  );
}

function routeOf(method: string, path: string): Route | undefined {
  const segments = path.replace(/\?.*/s, '').split('/');
  const table: Readonly<Record<string, Route>> = routes;
  const key = Object.keys(table).find((candidate) => {
    const route = partsOfKey(candidate);
    return route.method === method && matchesTemplate(route.template.split('/'), segments);
  });
  return key === undefined ? undefined : table[key];
}

/** The paths of members of the first value that the second lacks. */
function surplusOf(value: unknown, described: unknown, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (typeof described !== 'object' || described === null) return [at];
  const known = described as Readonly<Record<string, unknown>>;
  return Object.entries(value).flatMap(([name, member]) =>
    name in known ? surplusOf(member, known[name], `${at}.${name}`) : [`${at}.${name}`],
  );
}
