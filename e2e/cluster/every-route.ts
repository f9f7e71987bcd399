import { routes } from '@/lib/api/routes';
import { partsOfKey } from '@/lib/route-key';

/** Every route of the API, with a name for each parameter that nothing has. */
export const everyRoute = Object.keys(routes).map((key) => {
  const { method, template } = partsOfKey(key);
  return { key, method, template, path: template.replace(/\{\w+\}/g, 'x') };
});

export const everyRead = everyRoute.filter(({ method }) => method === 'GET');
