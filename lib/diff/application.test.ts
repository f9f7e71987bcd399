import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyChanges } from '@/lib/diff/testing/apply';
import { diffTemplates } from '@/lib/diff/testing/diff-templates';
import { semanticText } from '@/lib/diff/normalize';
import type { JsonObject } from '@/lib/kube/json';
import { applicationSpec } from '@/lib/workloads/testing/application';

function body(application: JsonObject, otherMembers: JsonObject = {}): JsonObject {
  return { application, ...otherMembers };
}

const web = applicationSpec('1');
const [component] = web.components as JsonObject[];

function describeChanges(before: JsonObject, after: JsonObject): string[] {
  return diffTemplates(before, after).changes.map(
    ({ kind, containerKind, container, label, beforeText, afterText }) =>
      `${kind} ${containerKind} ${container}: ${label} | ${beforeText} → ${afterText}`,
  );
}

describe('describes what changed in an Application', () => {
  it.each<[string, JsonObject, JsonObject, string[], string]>([
    [
      'by component',
      body(web),
      body({
        components: [
          {
            ...component,
            properties: { image: 'shop/web:2', env: [{ name: 'LOG_LEVEL', value: 'debug' }] },
            traits: [{ type: 'scaler', properties: { replicas: 5 } }, { type: 'ingress' }],
          },
        ],
      }),
      [
        'changed component web: image | web:1 → web:2',
        'changed component web: env LOG_LEVEL | info → debug',
        'changed component web: trait scaler replicas | 2 → 5',
        'added component web: trait ingress | null → ingress',
      ],
      'web image 1 → 2; web trait scaler replicas 2 → 5; web env LOG_LEVEL info → debug; web trait ingress added',
    ],
    [
      'by what comes and goes as a whole',
      body({ ...web, policies: [{ name: 'places', type: 'topology' }] }),
      body({ components: [...(web.components as JsonObject[]), { name: 'queue', type: 'helm' }] }),
      [
        'added component queue: component queue | null → helm',
        'removed policy places: policy places | topology → null',
      ],
      'component queue added; policy places removed',
    ],
    [
      'by step of the workflow',
      body({ ...web, workflow: { mode: { steps: 'DAG' }, steps: [{ name: 'deploy', type: 'deploy' }] } }),
      body({
        ...web,
        workflow: { steps: [{ name: 'deploy', type: 'deploy', properties: { auto: false } }] },
      }),
      [
        'added step deploy: properties | null → {"auto":false}',
        'removed workflow : mode | {"steps":"DAG"} → null',
      ],
      'workflow step deploy properties added; workflow mode removed',
    ],
    [
      'by definition, where nothing of the Application itself changed',
      body(web, { definitions: { component: { webservice: { schematic: { cue: { template: 'a' } } } } } }),
      body(web, { definitions: { component: { webservice: { schematic: { cue: { template: 'b' } } } } } }),
      ['changed definition webservice (component): template | a → b'],
      'definition webservice (component) template a → b',
    ],
  ])('%s', (_how, before, after, changes, summary) => {
    expect(describeChanges(before, after).sort()).toEqual([...changes].sort());
    expect(diffTemplates(before, after).summary).toBe(summary);
  });

  it('shows what a removed component loses, and nothing that applies only to pod templates', () => {
    const diff = diffTemplates(body(web), body({ components: [] }));
    expect(diff.changes).toMatchObject([
      { kind: 'removed', risk: { code: 'component_removed' }, restarts: false },
    ]);
  });

  it('warns of an image that may be another one tomorrow', () => {
    const moving = {
      ...component,
      properties: { ...(component?.properties as JsonObject), image: 'shop/web:latest' },
    };
    const [change] = diffTemplates(body(web), body({ components: [moving] })).changes;
    expect(change?.risk).not.toBeNull();
  });
});

it('holds the laws of every diff, for any Application', () => {
  const name = fc.constantFrom('web', 'queue', 'db');
  const properties = fc.dictionary(
    fc.constantFrom('image', 'env', 'ports', 'x'),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const entry = fc.record(
    { name, type: fc.string(), properties, traits: fc.array(fc.record({ type: name, properties })) },
    { requiredKeys: [] },
  );
  const application = fc.record(
    {
      components: fc.array(entry),
      policies: fc.array(entry),
      workflow: fc.record({ steps: fc.array(entry) }),
    },
    { requiredKeys: [] },
  );
  const any = fc
    .record(
      { application, definitions: fc.dictionary(name, fc.dictionary(name, properties)) },
      { requiredKeys: ['application'] },
    )
    .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);
  fc.assert(
    fc.property(any, any, (a, b) => {
      const diff = diffTemplates(a, b);
      expect(diffTemplates(a, a).changes).toEqual([]);
      expect(diff.equal).toBe(semanticText(a) === semanticText(b));
      expect(semanticText(applyChanges(a, diff.changes))).toBe(semanticText(b));
    }),
    { numRuns: 40 },
  );
});
