import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type JsonObject } from '@/lib/kube/json';
import { schemaOf } from '@/sandbox/api/schema';
import { applyStrategicMerge } from '@/sandbox/api/strategic-merge';

const env = (...names: string[]) => names.map((name) => ({ name, value: name.toLowerCase() }));

function pod(container: JsonObject): JsonObject {
  return {
    metadata: { name: 'web' },
    spec: { containers: [{ name: 'main', image: 'web:1', ...container }] },
  };
}

it.each([
  ['ABC', { env: env('Z'), order: 'ZAC' }, 'ZABC'],
  ['ABC', { env: [], order: 'CA' }, 'BCA'],
  ['ABC', { env: [{ name: 'A', $patch: 'delete' }, ...env('Z')], order: 'ZC' }, 'BZC'],
  ['AB', { env: env('X', 'Y'), order: 'YXA' }, 'YXAB'],
])('orders %s by %j into %s, as upstream does', (before, { env: change, order }, after) => {
  const { spec } = applyStrategicMerge(schemaOf('Pod'), pod({ env: env(...before) }), {
    spec: {
      containers: [
        {
          name: 'main',
          '$setElementOrder/env': [...order].map((name) => ({ name })),
          ...(change.length === 0 ? {} : { env: change }),
        },
      ],
    },
  });

  expect(spec).toMatchObject({ containers: [{ env: [...after].map((name) => ({ name })) }] });
});

it('changes nothing with an empty patch, and nothing more with the same patch again', () => {
  const names = fc.uniqueArray(fc.constantFrom('A', 'B', 'C', 'D'), { maxLength: 4 });
  const container = names.map((list) => ({ env: env(...list) }));

  fc.assert(
    fc.property(container, container, (before, change) => {
      const document = pod(before);
      const patch = { spec: { containers: [{ name: 'main', ...change }] } };
      const once = applyStrategicMerge(schemaOf('Pod'), document, patch);
      expect(applyStrategicMerge(schemaOf('Pod'), document, {})).toEqual(document);
      expect(applyStrategicMerge(schemaOf('Pod'), once, patch)).toEqual(once);
    }),
  );
});
