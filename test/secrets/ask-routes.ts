import { z } from 'zod';
import type { Route } from '@/lib/api/route';
import { routes } from '@/lib/api/routes';
import { fillTemplate, partsOfKey } from '@/lib/route-key';
import { createRouter } from '@/server/http/router';
import type { PlantedShiplog } from '@/test/secrets/planted-shiplog';
import type { SecretMaker } from '@/test/secrets/secret-maker';

const ORIGIN = 'http://localhost:8440';

const objects = [
  { resource: 'deployments.apps', name: 'checkout', pod: 'checkout-3-0' },
  { resource: 'statefulsets.apps', name: 'db', pod: 'db-0' },
  { resource: 'rollouts.argoproj.io', name: 'cart', pod: 'cart-0' },
  { resource: 'rollouts.rollouts.kruise.io', name: 'checkout-ro', pod: 'checkout-3-0' },
  { resource: 'rollouts.standard.oam.dev', name: 'cart-oam', pod: 'none' },
  { resource: 'applications.core.oam.dev', name: 'storefront', pod: 'web-0' },
  { resource: 'rollouthistories.rollouts.kruise.io', name: 'checkout-history', pod: 'none' },
].map((ref) => ({ ...ref, namespace: 'shop' }));

const queries = [
  '',
  '?from=1&to=2&yaml=1',
  '?from=2&to=live',
  '?from=live&to=pod:checkout-3-0',
  '?uid=uid-workload',
  '?format=rollouthistory',
  '?format=csv',
  '?parts=50',
];

/** Sends each route requests about everything; returns those that read and never gave a good answer. */
export async function askRoutes(shiplog: PlantedShiplog, secrets: SecretMaker): Promise<string[]> {
  const serve = createRouter(() => Promise.resolve(shiplog.runtime));
  const ids = await idsOf(shiplog);
  const silent: string[] = [];
  for (const [key, route] of Object.entries(routes as Readonly<Record<string, Route>>)) {
    const { method, template } = partsOfKey(key);
    let isAnswered = false;
    const paths = [...new Set(paramsOf(template, ids).map((params) => fillTemplate(template, params)))];
    for (const path of paths.flatMap((one) =>
      route.body === undefined ? queries.map((query) => one + query) : [one],
    )) {
      const answer = await serve(
        new Request(ORIGIN + path, {
          method,
          headers: {
            ...{ host: 'localhost:8440', origin: ORIGIN, authorization: 'Bearer local-key' },
            'content-type': 'application/json',
          },
          ...(route.body !== undefined && { body: JSON.stringify(bodyOf(route.body, secrets)) }),
        }),
      );
      isAnswered ||= answer.ok;
      shiplog.leave(key, await textOf(answer));
    }
    if (!isAnswered && route.body === undefined) silent.push(key);
  }
  return silent;
}

function paramsOf(template: string, ids: readonly string[]): Record<string, string>[] {
  if (template.includes('{id}')) return ids.map((id) => ({ id, comment: id }));
  if (!template.includes('{name}')) return [{}];
  const revisions = template.includes('{revision}') ? ['1', '2'] : [''];
  return objects.flatMap((ref) => revisions.map((revision) => ({ ...ref, revision })));
}

/** Of the members that the schema has; not every such request is a valid one. */
function bodyOf(schema: z.core.$ZodType, secrets: SecretMaker): object {
  const text = secrets.text();
  const values: Readonly<Record<string, unknown>> = {
    ...{ seen: 'outdated', reason: text, dryRun: secrets.flip(), to: 1, uid: 'uid-checkout-3-0', index: 1 },
    ...{ verdict: 'bad', comment: text, ifVersion: 0, body: text, answers: null, pinned: true },
    path: secrets.line(),
  };
  const { properties = {} } = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' });
  return Object.fromEntries(Object.entries(values).filter(([name]) => name in properties));
}

async function textOf(answer: Response): Promise<string> {
  if (answer.headers.get('content-type')?.startsWith('text/event-stream') !== true) return answer.text();
  const reader = answer.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return new TextDecoder().decode(value);
}

/** Of records and actions. */
async function idsOf({ reads: { archive }, cluster }: PlantedShiplog): Promise<string[]> {
  if (archive == null) return [];
  const { id } = cluster.identity;
  const { items } = await archive.rollouts.search({
    clusters: [{ cluster: id, scopes: null }],
    limit: 100,
    cursor: null,
  });
  const actions = await archive.actions.list({ clusters: [id], limit: 100 });
  return [...items.map(({ record }) => record.id), ...actions.items.map(({ action }) => action.id)];
}
