import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Json, type JsonObject } from '@/lib/kube/json';
import { schemaOf } from '@/sandbox/api/schema';
import { applyStrategicMerge } from '@/sandbox/api/strategic-merge';

const env = (...names: string[]) => names.map((name) => ({ name, value: name.toLowerCase() }));

function pod(container: JsonObject, spec: JsonObject = {}): JsonObject {
  return {
    metadata: { name: 'web' },
    spec: { containers: [{ name: 'main', image: 'web:1', ...container }], ...spec },
  };
}

function merge(
  document: JsonObject,
  patch: JsonObject,
): { metadata: JsonObject; spec: JsonObject; main: JsonObject } {
  const result = applyStrategicMerge(schemaOf('Pod'), document, patch);
  const spec = result.spec as JsonObject;

  return { metadata: result.metadata as JsonObject, spec, main: (spec.containers as JsonObject[])[0] ?? {} };
}

function envNames(list: Json | undefined): string {
  return (list as { name: string }[]).map(({ name }) => name).join('');
}

it('merges lists by the key of the field, and replaces all others', () => {
  const document = pod(
    { ports: [{ containerPort: 80 }], args: ['a'], env: env('A') },
    { tolerations: [{ key: 'old' }] },
  );
  const { spec, main } = merge(document, {
    spec: {
      tolerations: [{ key: 'new' }],
      containers: [
        { name: 'main', args: ['b'], ports: [{ containerPort: 80, name: 'http' }, { containerPort: 81 }] },
        { name: 'sidecar', image: 'x' },
      ],
    },
  });

  expect(main).toMatchObject({
    image: 'web:1',
    args: ['b'],
    env: env('A'),
    ports: [{ containerPort: 80, name: 'http' }, { containerPort: 81 }],
  });
  expect(spec.containers).toHaveLength(2);
  expect(spec.tolerations).toEqual([{ key: 'new' }]);
});

it('deletes by directive and by null, and replaces by directive', () => {
  const document = pod({ env: env('A', 'B') }, { nodeSelector: { a: 'b' }, hostname: 'x' });
  const { spec, main } = merge(document, {
    spec: {
      hostname: null,
      nodeSelector: { $patch: 'replace', c: 'd' },
      containers: [{ name: 'main', env: [{ name: 'A', $patch: 'delete' }] }],
    },
  });

  expect(main.env).toEqual(env('B'));
  expect(spec).toMatchObject({ nodeSelector: { c: 'd' } });
  expect(spec.hostname).toBeUndefined();
});

it.each([
  ['ABC', { env: env('Z'), order: 'ZAC' }, 'ZABC'],
  ['ABC', { env: [], order: 'CA' }, 'BCA'],
  ['ABC', { env: [{ name: 'A', $patch: 'delete' }, ...env('Z')], order: 'ZC' }, 'BZC'],
  ['AB', { env: env('X', 'Y'), order: 'YXA' }, 'YXAB'],
])('orders %s by %j into %s, as upstream does', (before, { env: change, order }, after) => {
  const { main } = merge(pod({ env: env(...before) }), {
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

  expect(envNames(main.env)).toBe(after);
});

it('keeps only the keys that a patch retains', () => {
  const document = pod({}, { volumes: [{ name: 'v', configMap: { name: 'x' } }] });
  const retained = { name: 'v', $retainKeys: ['name', 'emptyDir'], emptyDir: {} };

  expect(merge(document, { spec: { volumes: [retained] } }).spec.volumes).toEqual([
    { name: 'v', emptyDir: {} },
  ]);
  const wrong = { name: 'v', $retainKeys: ['name'], emptyDir: {} };
  expect(() => merge(document, { spec: { volumes: [wrong] } })).toThrow('invalid patch format of retainKeys');
});

it('adds to finalizers and removes from them', () => {
  const document = { ...pod({}), metadata: { name: 'web', finalizers: ['a', 'b'] } };
  const { metadata } = merge(document, {
    metadata: { finalizers: ['c'], '$deleteFromPrimitiveList/finalizers': ['a'] },
  });

  expect(new Set(metadata.finalizers as string[])).toEqual(new Set(['b', 'c']));
});

it('rejects an entry without its key', () => {
  expect(() => merge(pod({}), { spec: { containers: [{ image: 'x' }] } })).toThrow(
    'does not contain declared merge key: name',
  );
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
