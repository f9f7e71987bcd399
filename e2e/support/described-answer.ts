import type { Route } from '@/lib/api/route';
import { routes } from '@/lib/api/routes';
import { matchesTemplate, partsOfKey } from '@/lib/route-key';
import { parseAnswer } from '@/test/parse-answer';

/** Throws where an answer is not as the table of routes describes it, see `parseAnswer`. */
export function assertDescribed(method: string, path: string, answer: unknown): void {
  const route = routeOf(method, path);
  if (route !== undefined) parseAnswer(route.answer, answer, `${method} ${path}`);
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
