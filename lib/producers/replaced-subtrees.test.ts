import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import { recordedData } from '@/lib/kube/recorded-data';

import { findReplacedSubtrees, addSubtrees } from '@/lib/producers/replaced-subtrees';
import { withCurrentReplicas } from '@/lib/producers/replicas';
import { objectsAt, valueAt } from '@/lib/kube/read';
import { applyPatch } from '@/lib/workloads/testing/patch';

const key = fc.constantFrom('a', 'b', 'c', 'x/y', '~z');
const leaf = fc.oneof(fc.constantFrom<Json>('1', 2, true, [], {}), fc.array(fc.dictionary(key, fc.nat(3))));
const plain = fc.oneof(
  leaf,
  fc.dictionary(key, fc.oneof(leaf, fc.dictionary(key, leaf, { maxKeys: 2 })), { maxKeys: 3 }),
);
const spec = fc.dictionary(key, plain, { maxKeys: 3 });

/** A spec in which every leaf lies in a replaced subtree, with those subtrees by their paths. */
interface Marked {
  spec: JsonObject;
  parts: [string[], Json][];
}

const marked = fc
  .uniqueArray(fc.tuple(fc.array(key, { minLength: 1, maxLength: 3 }), plain), { maxLength: 3 })
  .map((all): Marked => {
    const parts: Marked['parts'] = [];
    const root: JsonObject = {};
    for (const [path, value] of all) {
      const body = isJsonObject(value) || Array.isArray(value) ? value : { v: value };
      const isApart = parts.every(([other]) => !startsWith(other, path) && !startsWith(path, other));
      if (!isApart) continue;
      parts.push([path, body]);
      set(
        root,
        path,
        Array.isArray(body) ? [{ $patch: 'replace' }, ...body] : { ...body, $patch: 'replace' },
      );
    }
    return { spec: root, parts };
  })
  .filter(({ parts }) => parts.length > 0);

function startsWith(path: readonly string[], begin: readonly string[]): boolean {
  return begin.every((name, index) => path[index] === name);
}

function set(root: JsonObject, path: readonly string[], value: Json): void {
  const [first = '', ...rest] = path;
  if (rest.length === 0) root[first] = value;
  else {
    const inner = root[first];
    const object = isJsonObject(inner) ? inner : {};
    root[first] = object;
    set(object, rest, value);
  }
}

test('the patch writes exactly what was recorded to its places, and leaves everything else', () => {
  fc.assert(
    fc.property(spec, marked, (present, recorded) => {
      const { subtrees, obstacles } = findReplacedSubtrees(recordedData({ spec: recorded.spec }));
      expect(obstacles).toEqual([]);
      expect(subtrees).toHaveLength(recorded.parts.length);
      const hasPlaces = recorded.parts.every(([path]) =>
        path.slice(0, -1).every((_, index) => {
          const above = valueAt(present, ...path.slice(0, index + 1));
          return above === undefined || isJsonObject(above);
        }),
      );
      fc.pre(hasPlaces);
      const operations = addSubtrees(present, subtrees);
      expect(operations).toHaveLength(subtrees.length);
      const { spec: after } = applyPatch({ spec: present }, operations);
      for (const [path, value] of recorded.parts) expect(valueAt(after, ...path)).toEqual(value);
      for (const [name, value] of Object.entries(present)) {
        if (recorded.parts.some(([path]) => path[0] === name)) continue;
        expect(valueAt(after, name)).toEqual(value);
      }
      expect(JSON.stringify(after)).not.toContain('$patch');
    }),
    { numRuns: 500 },
  );
});

test('replicas of roles stay as they are now, and a recreated role begins with one', () => {
  const name = fc.constantFrom('prefill', 'decode', 'router', 'cache');
  const roles = fc
    .uniqueArray(name)
    .chain((names) =>
      fc.tuple(
        ...names.map((own) =>
          fc.record({ name: fc.constant(own), replicas: fc.integer({ min: 0, max: 9 }) }),
        ),
      ),
    );
  fc.assert(
    fc.property(roles, fc.uniqueArray(name), (now, then) => {
      const present = recordedData({ spec: { roles: now as Json[] } });
      const rule = { keepsReplicasOf: { list: 'roles', otherwise: 1 } };
      const recorded = { path: ['roles'], value: then.map((own) => ({ name: own, image: '1' })) };
      const { value } = withCurrentReplicas(rule, present, recorded);
      expect(objectsAt({ value }, 'value').map((role) => [role.name, role.replicas])).toEqual(
        then.map((own) => [own, now.find((role) => role.name === own)?.replicas ?? 1]),
      );
    }),
  );
});

test.each<[string, Json, string]>([
  ['no part of a spec', { resource: {} }, 'no_spec_patch'],
  ['more than a spec', { spec: { template: { $patch: 'replace' } }, metadata: {} }, 'no_spec_patch'],
  ['a bare list', { data: [] }, 'no_spec_patch'],
  ['a member without a mark', { spec: { replicas: 3, template: { $patch: 'replace' } } }, 'unmarked'],
  ['an empty object', { spec: { template: {} } }, 'unmarked'],
  ['a list without a mark', { spec: { roles: [{ name: 'a' }] } }, 'unmarked'],
  ['a deletion', { spec: { template: { $patch: 'delete' } } }, 'directive'],
  ['a deletion inside', { spec: { template: { $patch: 'replace', a: { $patch: 'delete' } } } }, 'directive'],
  ['a list to merge', { spec: { template: { $patch: 'replace', '$setElementOrder/env': [] } } }, 'directive'],
  ['the whole spec', { spec: { $patch: 'replace', replicas: 3 } }, 'whole_spec'],
])('%s is no list of parts to write', (_, data, code) => {
  expect(findReplacedSubtrees(recordedData(data)).obstacles.map((obstacle) => obstacle.code)).toContain(code);
});
