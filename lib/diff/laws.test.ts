import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyChanges } from '@/lib/diff/testing/apply';
import type { TemplateDiff } from '@/lib/diff/change';
import type { ChangeKind } from '@/lib/api/diff-values';
import { compareInSlices } from '@/lib/diff/diff';
import { diffTemplates } from '@/lib/diff/testing/diff-templates';
import { GROUP_TEMPLATE, POD_TEMPLATE } from '@/lib/diff/structs';
import { normalizeTemplate, semanticText } from '@/lib/diff/normalize';
import type { Field, Struct } from '@/lib/kube/fields';
import { isJsonObject, type Json, type JsonObject, parseJson } from '@/lib/kube/json';
import { runToEnd } from '@/lib/kube/slices';

const word = fc.constantFrom('a', 'b', 'c', '', 'nginx:1.27', 'x-1');
const scalar = fc.oneof(
  { weight: 4, arbitrary: word },
  fc.constantFrom<Json>(0, 1, 30, 420, true, false, null),
);
const quantity = fc.constantFrom<Json>(
  '0',
  '1',
  '1000m',
  1,
  '0.5',
  '500m',
  '1Gi',
  '1024Mi',
  '1024',
  '1Ki',
  'odd',
);
const unknown = fc.oneof(
  { weight: 3, arbitrary: scalar },
  fc.array(scalar, { maxLength: 2 }),
  fc.array(fc.dictionary(fc.constantFrom('name', 'key', 'v'), scalar, { maxKeys: 3 }), { maxLength: 3 }),
  fc.constantFrom<Json>({}, { a: {} }, parseJson('{"n":9007199254740993}')),
);

/** Fields that most objects should have; the others come at random. */
const USUAL: Readonly<Record<string, readonly string[]>> = {
  GroupTemplate: ['leaderWorkerTemplate'],
  LeaderWorkerTemplate: ['workerTemplate', 'size'],
  PodTemplateSpec: ['spec', 'metadata'],
  PodSpec: ['containers'],
  Container: ['name', 'env'],
  EnvVar: ['name'],
  Volume: ['name'],
};

/** Objects of a Go struct: few fields at a time, small domains, so that two of them often share parts. */
function ofStruct(struct: Struct, depth: number): fc.Arbitrary<JsonObject> {
  const fields = [...struct.fields].filter(([, field]) => depth > 0 || !('of' in field) || field.of === null);
  const usual = fields.filter(([name]) => USUAL[struct.name]?.includes(name));
  return fc
    .tuple(fc.subarray(fields, { maxLength: Math.min(3, fields.length) }), fc.nat(4))
    .chain(([picked, odd]) =>
      fc.record(
        Object.fromEntries([
          ...(odd === 0
            ? [['future', unknown] as const]
            : usual.map(([name, field]) => [name, ofField(field, depth - 1)] as const)),
          ...picked.map(([name, field]) => [name, ofField(field, depth - 1)] as const),
        ]),
      ),
    );
}

function ofField(field: Field, depth: number): fc.Arbitrary<Json> {
  switch (field.shape) {
    case 'scalar':
    case 'opaque':
      return scalar;
    case 'intOrString':
      return fc.constantFrom<Json>(0, 80, '80', '');
    case 'quantity':
      return quantity;
    case 'map':
      return fc.dictionary(
        fc.constantFrom('cpu', 'memory', 'app', '__proto__', 'pod-template-hash'),
        field.of === 'quantity' ? quantity : scalar,
        { maxKeys: 3 },
      );
    case 'struct':
      return fc.oneof({ weight: 6, arbitrary: ofStruct(field.of, depth) }, unknown);
    case 'list':
      return fc.array(field.of === null ? scalar : ofStruct(field.of, depth), { maxLength: 4 });
    default:
      return field satisfies never;
  }
}

const ofPods = ofStruct(POD_TEMPLATE, 6);
const ofGroups = ofStruct(GROUP_TEMPLATE, 7).map(({ leaderWorkerTemplate, ...rest }) => ({
  ...rest,
  leaderWorkerTemplate: isJsonObject(leaderWorkerTemplate) ? leaderWorkerTemplate : {},
}));

const container = fc.record<JsonObject>(
  {
    name: fc.constantFrom('app', 'proxy', 'log'),
    image: word,
    restartPolicy: fc.constantFrom('Always', 'Never'),
    env: fc.array(fc.record({ name: word, value: word }), { maxLength: 2 }),
  },
  { requiredKeys: ['name'] },
);
/** Containers, init containers and native sidecars of few names, so that they often leave one list for the other. */
const ofSidecars = fc
  .tuple(fc.array(container, { maxLength: 3 }), fc.array(container, { maxLength: 3 }))
  .map(([containers, initContainers]): JsonObject => ({ spec: { containers, initContainers } }));

const marked = fc.constantFrom<JsonObject>({}, { $patch: 'replace' });
const role = fc
  .tuple(fc.constantFrom('prefill', 'decode', 'router'), fc.nat(3), ofStruct(POD_TEMPLATE, 4), unknown)
  .map(([name, replicas, template, future]): JsonObject => ({ name, replicas, template, future }));
const state = fc.record<JsonObject>(
  {
    template: fc.tuple(ofStruct(POD_TEMPLATE, 4), marked).map(([body, mark]) => ({ ...body, ...mark })),
    roles: fc.tuple(fc.array(role, { maxLength: 3 }), marked).map(([roles, mark]) => [mark, ...roles]),
    maxUnavailable: fc.constantFrom<Json>(1, '1', '10%', 0),
    resources: fc.record({ limits: fc.dictionary(fc.constantFrom('cpu', 'memory'), quantity) }),
    future: unknown,
    mounts: fc.array(fc.record({ mountPath: word, readOnly: scalar }), { maxLength: 3 }),
  },
  { requiredKeys: [] },
);
/** What unknown controllers may record: parts of a spec, members of their own, or a bare list. */
const ofData = fc.oneof(
  state.map((spec): JsonObject => ({ data: { spec } })),
  state.map((data): JsonObject => ({ data })),
  fc.array(role, { maxLength: 3 }).map((data): JsonObject => ({ data: { data } })),
  unknown.map((data): JsonObject => ({ data })),
);

/** Two templates that share most of their parts. */
function relativesOf(template: fc.Arbitrary<JsonObject>) {
  return fc
    .tuple(template, template, fc.integer({ min: 0, max: 3 }))
    .map(([a, b, seed]) => [a, mix(a, b, seed)] as const);
}

function mix(a: Json | undefined, b: Json | undefined, seed: number): JsonObject {
  return mixValue(a, b, seed) as JsonObject;
}

function mixValue(a: Json | undefined, b: Json | undefined, seed: number): Json | undefined {
  if (isJsonObject(a) && isJsonObject(b)) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((key) => key !== '__proto__');
    return Object.fromEntries(
      keys.map((key, index) => [
        key,
        (index + seed) % 3 === 0 ? b[key] : mixValue(a[key], b[key], seed + index),
      ]),
    );
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    const both = [...a, ...b].filter((_, index) => (index + seed) % 4 !== 0);
    return seed % 2 === 0 ? both : both.reverse();
  }
  return seed % 2 === 0 ? (a ?? b) : b;
}

const MIRROR: Readonly<Record<ChangeKind, ChangeKind>> = {
  added: 'removed',
  removed: 'added',
  changed: 'changed',
  moved: 'moved',
};

function countKinds({ changes }: TemplateDiff, mirrored: boolean): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of changes) {
    const key = mirrored ? MIRROR[kind] : kind;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

const RUNS = { numRuns: 200 };

describe.each([
  { of: 'pods', template: ofPods },
  { of: 'pods with sidecars', template: ofSidecars },
  { of: 'groups of pods', template: ofGroups },
  { of: 'whatever a controller records', template: ofData },
])('a diff of templates of $of', ({ template }) => {
  const relatives = relativesOf(template);

  test('is empty between a template and itself', () => {
    fc.assert(
      fc.property(template, (a) => {
        expect(diffTemplates(a, parseJson(JSON.stringify(a)) as JsonObject)).toMatchObject({
          equal: true,
          rawEqual: true,
          changes: [],
          noise: [],
        });
      }),
      RUNS,
    );
  });

  test('is empty exactly when both mean the same', () => {
    fc.assert(
      fc.property(relatives, ([a, b]) => {
        const diff = diffTemplates(a, b);
        expect(diff.equal).toBe(semanticText(a) === semanticText(b));
        expect(diff.equal).toBe(diff.changes.length === 0);
        expect(diff.equal || !diff.rawEqual).toBe(true);
        const { equal, rawEqual } = diff;
        expect(runToEnd(compareInSlices(a, b))).toEqual({ equal, rawEqual });
      }),
      RUNS,
    );
  });

  test('applied to one side gives the other', () => {
    fc.assert(
      fc.property(relatives, ([a, b]) => {
        expect(semanticText(applyChanges(a, diffTemplates(a, b).changes))).toBe(semanticText(b));
      }),
      RUNS,
    );
  });

  test('is the same between their normal forms', () => {
    fc.assert(
      fc.property(relatives, ([a, b]) => {
        const { changes, summary } = diffTemplates(a, b);
        expect(diffTemplates(normalizeTemplate(a), normalizeTemplate(b))).toMatchObject({ changes, summary });
      }),
      RUNS,
    );
  });

  test('in reverse has the same changes, mirrored', () => {
    fc.assert(
      fc.property(relatives, ([a, b]) => {
        expect(countKinds(diffTemplates(b, a), true)).toEqual(countKinds(diffTemplates(a, b), false));
      }),
      RUNS,
    );
  });

  test('leaves both sides unchanged and has a text for every change', () => {
    fc.assert(
      fc.property(relatives, ([a, b]) => {
        const [textA, textB] = [JSON.stringify(a), JSON.stringify(b)];
        const { changes, summary } = diffTemplates(a, b);
        expect([JSON.stringify(a), JSON.stringify(b)]).toEqual([textA, textB]);
        expect(summary).not.toBe('');
        for (const change of changes) {
          expect(change.label).not.toBe('');
          expect(change.beforeText === null).toBe(change.before === undefined);
          expect(change.afterText === null).toBe(change.after === undefined);
          expect(change.beforeText).not.toBe(change.afterText);
        }
      }),
      RUNS,
    );
  });
});

test('describes every difference in what a controller records', () => {
  fc.assert(
    fc.property(relativesOf(ofData), ([a, b]) => {
      const { changes, noise, rawEqual } = diffTemplates(a, b);
      expect(changes.length + noise.length > 0).toBe(!rawEqual);
    }),
    RUNS,
  );
});

test('a container is never removed from one list and added as a sidecar to the other', () => {
  const names = fc.uniqueArray(fc.constantFrom('app', 'proxy', 'log'), { minLength: 1 });
  fc.assert(
    fc.property(
      names,
      fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
      word,
      word,
      (all, sides, a, b) => {
        const pod = (isSidecar: (index: number) => boolean, image: string): JsonObject => {
          const of = (sidecars: boolean) => all.filter((_, index) => isSidecar(index) === sidecars);
          const sidecars = of(true).map((name) => ({ name, image, restartPolicy: 'Always' }));
          return {
            spec: { containers: of(false).map((name) => ({ name, image })), initContainers: sidecars },
          };
        };
        const changed = all.filter((_, index) => sides[index] === true);
        const [before, after] = [pod(() => false, a), pod((index) => sides[index] === true, b)];
        for (const { changes } of [diffTemplates(before, after), diffTemplates(after, before)]) {
          const types = changes.filter(({ label }) => label === 'type');
          expect(types.map((change) => change.container).sort()).toEqual(changed.sort());
          expect(
            changes.every(({ kind, label }) => (kind !== 'removed' && kind !== 'added') || label === 'image'),
          ).toBe(true);
        }
      },
    ),
  );
});

test('lists whose entries have keys only move when they are permuted', () => {
  const entries = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 2 });
  const permuted = entries.chain((names) =>
    fc.tuple(fc.constant(names), fc.shuffledSubarray(names, { minLength: names.length })),
  );
  const lists: Readonly<Record<string, (names: string[]) => JsonObject>> = {
    env: (names) => ({
      containers: [{ name: 'app', env: names.map((name) => ({ name, value: `${name}!` })) }],
    }),
    initContainers: (names) => ({ initContainers: names.map((name) => ({ name, image: name })) }),
    volumes: (names) => ({ volumes: names.map((name) => ({ name, secret: { secretName: name } })) }),
    tolerations: (names) => ({ tolerations: names.map((key) => ({ key, operator: 'Exists' })) }),
    volumeMounts: (names) => ({
      containers: [
        { name: 'app', volumeMounts: names.map((path) => ({ name: 'one', mountPath: `/${path}` })) },
      ],
    }),
    capabilities: (names) => ({
      containers: [{ name: 'app', securityContext: { capabilities: { add: names } } }],
    }),
  };
  fc.assert(
    fc.property(permuted, fc.constantFrom(...Object.values(lists)), ([names, order], build) => {
      const { changes, equal } = diffTemplates({ spec: build(names) }, { spec: build(order) });
      expect(changes.every(({ kind }) => kind === 'moved')).toBe(true);
      expect(equal).toBe(names.join() === order.join());
    }),
  );
});
