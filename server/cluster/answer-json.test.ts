import fc from 'fast-check';
import { expect, test } from 'vitest';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import { isDeeper, parseJson } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { ANSWER_DEPTH_MAX, parseAnswer } from '@/server/cluster/answer-json';
import { BodyStore } from '@/server/cluster/body-store';
import { ingestAnySource, ingestWorkload, SemanticIds } from '@/server/cluster/ingest';
import { parseObjectList } from '@/server/cluster/object-list';
import { parseWatchEvent } from '@/server/cluster/watch-event';

/** The API server accepts as many levels. */
const LEVELS = 9_900;

const nested = (levels: number, inner = '1') =>
  `${'{"a":['.repeat(levels / 2)}${inner}${']}'.repeat(levels / 2)}`;

const metadata = (name: string, kind: string) =>
  `{"name":"${name}","namespace":"shop","uid":"uid-${name}","resourceVersion":"1",` +
  `"creationTimestamp":"2026-01-01T00:00:00Z","ownerReferences":[{"apiVersion":"apps/v1","kind":"${kind}",` +
  `"name":"db","uid":"uid-db","controller":true}]}`;

const template = (image: string, more = '') =>
  `{"spec":{"containers":[{"name":"app","image":"${image}"}]${more}}}`;

/** With a number that is preserved literally, for which the engine itself recurses. */
const revision = (name: string, more = '') =>
  `{"metadata":${metadata(name, 'StatefulSet')},"revision":1,` +
  `"data":{"weight":1.50,"spec":{"template":${template('db:1', more)}}}}`;

const replicaSet = (name: string, more = '') =>
  `{"metadata":${metadata(name, 'Deployment')},"spec":{"replicas":1,"template":${template('db:1', more)}}}`;

const list = (kind: string, items: string[]) =>
  `{"apiVersion":"apps/v1","kind":"${kind}List","metadata":{"resourceVersion":"7"},"items":[${items.join(',')}]}`;

function ingesting() {
  const bodies = new BodyStore();
  return { bodies, semantic: new SemanticIds(bodies) };
}

function take(object: KubeObject, context = ingesting()) {
  const sources = workloadKinds.map(({ source }) => source);
  const ofKind = [...new Set(sources)].filter(({ resource }) => resource.kind === object.kind);
  return { source: ingestAnySource(ofKind, object, context), bodies: context.bodies };
}

test.each([
  ['ControllerRevision', revision],
  ['ReplicaSet', replicaSet],
] as const)(
  'an object with a %s nested thousands of levels deep is listed, unreadable, and costs no other object',
  (kind, make) => {
    const text = list(kind, [make('deep', `,"x":${nested(LEVELS)}`), make('flat')]);
    const context = ingesting();
    const [deep, flat] = parseObjectList(text).items.map((item) => take(item, context).source);
    if (deep === undefined || flat === undefined) throw new Error('an object of the list is missing');
    expect([deep.name, deep.images, deep.fault]).toEqual(['deep', [], undefined]);
    expect(context.bodies.read(deep.bodyId)).toBeUndefined();
    expect(context.bodies.problemOf(deep.bodyId)).toBe(
      'It cannot be decoded: it is nested deeper than 200 levels.',
    );
    expect(deep.semanticId).toBe(deep.bodyId);
    expect(flat.images).toMatchObject([{ container: 'app', image: 'db:1' }]);
    expect(context.bodies.problemOf(flat.bodyId)).toBeNull();
  },
);

test('preserves the literal numbers of the other objects in a list', () => {
  const text = list('ControllerRevision', [revision('deep', `,"x":${nested(LEVELS)}`), revision('flat')]);
  for (const { data } of parseObjectList(text).items) expect(JSON.stringify(data)).toContain('"weight":1.50');
});

test('a watch continues after an object that is nested too deep', () => {
  const object = revision('deep', `,"x":${nested(LEVELS)}`).replace('{', '{"kind":"ControllerRevision",');
  const event = parseWatchEvent(`{"type":"ADDED","object":${object}}`);
  if (event.type !== 'put') throw new Error(`the event is ${event.type}`);
  const { source, bodies } = take(event.object);
  expect(bodies.problemOf(source.bodyId)).toContain('nested deeper than 200 levels');
});

test.each(['spec', 'status'])('walks a workload with a %s that is nested too deep', (member) => {
  const kind = workloadKinds.find(({ resource }) => resource.kind === 'Deployment');
  if (kind === undefined) throw new Error('there are no Deployments');
  const parts = { status: '{}', spec: `{"template":${template('db:1')}}` };
  const bodies = { ...parts, [member]: parts[member as 'spec'].replace('{', `{"x":${nested(LEVELS)},`) };
  const text = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":${metadata('db', 'X')},"spec":${bodies.spec},"status":${bodies.status.replace(',}', '}')}}`;
  const workload = ingestWorkload(kind, parseAnswer(text) as unknown as KubeObject, ingesting());
  expect(isDeeper(workload.spec, ANSWER_DEPTH_MAX) || isDeeper(workload.status, ANSWER_DEPTH_MAX)).toBe(
    false,
  );
  expect(workload.images).toMatchObject([{ container: 'app', image: 'db:1' }]);
});

test('replaces anything deeper than the limit with null, however it is written', () => {
  const leaf = fc.constantFrom('1', '1.50', '"]}"', '"\\"[{"', '[]', '{}', 'null');
  fc.assert(
    fc.property(leaf, fc.integer({ min: 120, max: 130 }), fc.boolean(), (inner, halves, isPrecise) => {
      const pieces = [nested(2 * halves, inner), isPrecise ? '2.50' : '2', nested(2 * halves, inner)];
      const answer = parseAnswer(`[${pieces.join(',')}]`);
      expect(isDeeper(answer, ANSWER_DEPTH_MAX)).toBe(false);
      const isWhole = !isDeeper(parseJson(`[${pieces.join(',')}]`), ANSWER_DEPTH_MAX);
      if (isWhole) expect(JSON.stringify(answer)).toBe(`[${pieces.join(',')}]`);
    }),
  );
});

test('both ways to cut give the same result', () => {
  const inner = (number: string) => `[${nested(LEVELS, '"]"')},${number},{"b":${nested(260)}}]`;
  const [slow, quick] = ['1.50', '1'].map((number) => JSON.stringify(parseAnswer(inner(number))));
  expect(slow?.replace('1.50', '1')).toBe(quick);
});

test('rejects an answer that is no JSON, however deep it is', () => {
  expect(() => parseAnswer(`[1.50,${'['.repeat(LEVELS)}`)).toThrow(SyntaxError);
});
