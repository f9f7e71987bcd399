import { expect, it } from 'vitest';
import { type JsonObject, parseJson } from '@/lib/kube/json';
import { canonicalise } from '@/sandbox/api/canonical';
import { schemaOf } from '@/sandbox/api/schema';

function containerOf(container: JsonObject): JsonObject {
  const { object } = canonicalise(schemaOf('Pod'), {
    spec: { containers: [{ name: 'c', image: 'web:1', ...container }] },
  });

  return ((object.spec as JsonObject).containers as JsonObject[])[0] ?? {};
}

it.each([
  ['1000m', '1'],
  ['0.5', '500m'],
  ['1024Mi', '1Gi'],
  ['1024', '1024'],
  ['1e3', '1e3'],
  ['0.0001', '1m'],
  ['0.0015', '2m'],
])('writes the amount %s as %s', (amount, text) => {
  expect(containerOf({ resources: { requests: { cpu: amount } } }).resources).toEqual({
    requests: { cpu: text },
  });
});

it('drops what means the same as absent, and nothing else', () => {
  const container = containerOf({
    args: [],
    stdin: false,
    workingDir: '',
    env: [{ name: 'A', value: '' }],
    securityContext: { runAsNonRoot: false },
    readinessProbe: null,
  });

  expect(container).toMatchObject({ env: [{ name: 'A' }], securityContext: { runAsNonRoot: false } });
  for (const key of ['args', 'stdin', 'workingDir', 'readinessProbe']) expect(container[key]).toBeUndefined();
});

it('rejects a value of another shape than its field', () => {
  const read = (spec: JsonObject) => () => canonicalise(schemaOf('Deployment'), { spec });

  expect(read({ replicas: 'x' })).toThrow('DeploymentSpec.spec.replicas of type int32');
  expect(read({ template: [] })).toThrow('cannot unmarshal array');
  expect(read({ template: { metadata: { labels: { a: 1 } } } })).toThrow('cannot unmarshal number');
  expect(() => containerOf({ resources: { limits: { cpu: 'much' } } })).toThrow('quantities must match');
});

it('accepts an integer beyond 2^53 where upstream has 64 bits for it, and nowhere else', () => {
  const read = (name: string, number: string) =>
    canonicalise(
      name === 'replicas' ? schemaOf('Deployment') : schemaOf('Pod'),
      parseJson(`{"spec":{"${name}":${number}}}`) as JsonObject,
    );

  const { object } = read('terminationGracePeriodSeconds', '9007199254740993');
  expect(JSON.stringify(object)).toContain(':9007199254740993');
  expect(() => read('replicas', '9007199254740993')).toThrow('cannot unmarshal number');
  expect(() => read('terminationGracePeriodSeconds', '9007199254740993.5')).toThrow('of type int64');
});

it('is its own canonical form', () => {
  const draft = {
    metadata: { name: 'web' },
    spec: { template: { spec: { containers: [{ name: 'c', image: 'x' }] } } },
  };
  for (const schema of [
    schemaOf('Deployment'),
    schemaOf('StatefulSet'),
    schemaOf('DaemonSet'),
    schemaOf('ReplicaSet'),
  ]) {
    const { object } = canonicalise(schema, draft);
    expect(canonicalise(schema, object).object).toEqual(object);
  }
});
