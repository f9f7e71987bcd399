import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import { injectedKeys, withoutInjected } from '@/lib/argo/template';

const HASH = 'rollouts-pod-template-hash';

const keys = fc.uniqueArray(fc.constantFrom('app', 'role', 'track', 'a/b', '__proto__', 'length', ''), {
  minLength: 0,
});
const term = fc.record({
  topologyKey: fc.constant('kubernetes.io/hostname'),
  labelSelector: fc.record({
    matchExpressions: fc.array(
      fc.record({ key: fc.constantFrom('app', 'tier'), operator: fc.constant('Exists') }),
    ),
  }),
});
const injectedTerm: JsonObject = {
  topologyKey: 'kubernetes.io/hostname',
  labelSelector: { matchExpressions: [{ key: HASH, operator: 'NotIn', values: ['h1'] }] },
};
const places = [
  'requiredDuringSchedulingIgnoredDuringExecution',
  'preferredDuringSchedulingIgnoredDuringExecution',
];

function mapOf(names: readonly string[], value: string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, value]));
}

test('an undo strips exactly what was injected, whatever the template had before', () => {
  fc.assert(
    fc.property(
      keys,
      keys,
      keys,
      keys,
      fc.array(term),
      fc.constantFrom(...places),
      (own, injected, notes, more, terms, place) => {
        const ownLabels = own.filter((key) => !injected.includes(key));
        const ownNotes = notes.filter((key) => !more.includes(key));
        const wrap = (each: JsonObject): JsonObject =>
          place === places[0] ? each : { weight: 1, podAffinityTerm: each };
        const affinityOf = (list: readonly JsonObject[]): JsonObject =>
          list.length === 0 ? {} : { affinity: { podAntiAffinity: { [place]: list.map(wrap) } } };
        const written: JsonObject = {
          metadata: {
            ...(ownLabels.length > 0 && { labels: mapOf(ownLabels, 'own') }),
            ...(ownNotes.length > 0 && { annotations: mapOf(ownNotes, 'own') }),
          },
          spec: { containers: [], ...affinityOf(terms) },
        };
        const recorded: JsonObject = {
          metadata: {
            labels: { ...mapOf(ownLabels, 'own'), ...mapOf(injected, 'role'), [HASH]: 'h1' },
            ...(ownNotes.length + more.length > 0 && {
              annotations: { ...mapOf(ownNotes, 'own'), ...mapOf(more, 'role') },
            }),
          },
          spec: { containers: [], ...affinityOf([...(terms as JsonObject[]), injectedTerm]) },
        };
        const before = JSON.stringify(recorded);
        const ephemeral = JSON.stringify({
          labels: mapOf(injected, 'role'),
          annotations: mapOf(more, 'role'),
        });
        const listed = injectedKeys({ 'rollout.argoproj.io/ephemeral-metadata': ephemeral });
        expect(withoutInjected(recorded, listed)).toEqual(written);
        expect(JSON.stringify(recorded)).toBe(before);
      },
    ),
  );
});

test('a template without injected keys stays unchanged, and an annotation that is no list names no key', () => {
  const template: JsonObject = {
    metadata: { labels: {}, annotations: { note: 'kept' } },
    spec: { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [] } } },
  };
  for (const text of ['', 'null', '[]', '{"labels":3}', '{'])
    expect(
      withoutInjected(template, injectedKeys({ 'rollout.argoproj.io/ephemeral-metadata': text })),
    ).toEqual(template);
});
