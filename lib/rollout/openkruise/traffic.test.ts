import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import { kruiseRolloutSystem } from '@/lib/rollout/openkruise/kruise-system';
import { parseTrafficRouting } from '@/lib/rollout/openkruise/related-objects';
import {
  cloneSetFacts,
  found,
  inputOf,
  line,
  deriveFrom,
  rolloutObject,
  statusOf,
} from '@/lib/rollout/openkruise/testing/objects';
import { type RouteReading, withTraffic } from '@/lib/rollout/routed-traffic';
import type { RolloutInput } from '@/lib/rollout/system';

const status = statusOf(line());
const ingress = { trafficRoutings: [{ service: 'shop', ingress: { name: 'shop' } }] };
const gateway = { trafficRoutings: [{ service: 'shop', gateway: { httpRouteName: 'shop' } }] };

/** Two of five pods are new. */
const facts = cloneSetFacts(
  ['v1', 'v2'],
  [1, 2, 3, 4, 5].map((index) => ({ name: `checkout-${index}`, of: index <= 2 ? 'v2' : 'v1' })),
);
const missing: RouteReading = { state: 'missing' };
const denied: RouteReading = { state: 'unreadable', reason: 'eve may not read it' };
const service = (selector: JsonObject): RouteReading => ({ state: 'found', object: { spec: { selector } } });
const canaryIngress = (annotations: JsonObject): RouteReading => ({
  state: 'found',
  object: { metadata: { annotations } },
});
const route = (...rules: JsonObject[]): RouteReading => ({ state: 'found', object: { spec: { rules } } });
const backends = (stable: number | null, canary: number | null) => ({
  backendRefs: [
    ...(stable === null ? [] : [{ name: 'shop', weight: stable }]),
    ...(canary === null ? [] : [{ name: 'shop-canary', weight: canary }]),
  ],
});

function actual(canary: JsonObject, readings: RouteReading[], rest: Partial<RolloutInput> = found(facts)) {
  return kruiseRolloutSystem.routing.traffic(inputOf(rolloutObject({ canary, status }), rest), readings);
}

describe('how requests are actually shared out', () => {
  it('is read from the canary of an Ingress, the HTTPRoute itself and the Service, during a rollout', () => {
    const refsOf = (canary: JsonObject, state = status) =>
      kruiseRolloutSystem.routing
        .refs(inputOf(rolloutObject({ canary, status: state })))
        .map(({ type, name }) => `${type.id} ${name}`);
    expect(refsOf(ingress)).toEqual(['services shop', 'ingresses.networking.k8s.io shop-canary']);
    expect(refsOf(gateway)).toEqual(['services shop', 'httproutes.gateway.networking.k8s.io shop']);
    expect(refsOf({})).toEqual([]);
    expect(
      refsOf(ingress, statusOf(line({ phase: 'Healthy', succeeded: 'True', state: 'Completed' }))),
    ).toEqual([]);
  });

  it.each([
    ['a weight', { canary: 'true', 'canary-weight': '35' }, { kind: 'weight', percent: 35 }],
    [
      'a weight of another total',
      { canary: 'true', 'canary-weight': '50', 'canary-weight-total': '1000' },
      { kind: 'weight', percent: 5 },
    ],
    [
      'a header',
      { canary: 'true', 'canary-by-header': 'user', 'canary-by-header-value': 'staff' },
      { kind: 'matches', rules: ['header user = staff'] },
    ],
    [
      'a cookie',
      { canary: 'true', 'canary-by-cookie': 'beta' },
      { kind: 'matches', rules: ['cookie beta = always'] },
    ],
    ['no canary', {}, null],
    ['a weight that is none', { canary: 'true', 'canary-weight': 'much' }, null],
  ])('follows the annotations of an Ingress: %s', (_, annotations, traffic) => {
    const prefixed = Object.fromEntries(
      Object.entries(annotations).map(([key, value]) => [`nginx.ingress.kubernetes.io/${key}`, value]),
    );
    const told = actual(ingress, [service({}), canaryIngress(prefixed)]);
    expect(told?.traffic).toEqual(traffic);
    expect(told?.evidence).toContain('Ingress shop-canary');
  });

  it.each([
    ['weights', [backends(80, 20)], { kind: 'weight', percent: 20 }],
    ['weights in every rule alike', [backends(3, 1), backends(75, 25)], { kind: 'weight', percent: 25 }],
    ['weights that differ', [backends(80, 20), backends(50, 50)], null],
    [
      'a rule of its own',
      [
        { matches: [{ headers: [{ name: 'user', value: 'staff' }] }], ...backends(null, 1) },
        backends(1, null),
      ],
      { kind: 'matches', rules: ['header user = staff'] },
    ],
  ])('follows the rules of an HTTPRoute: %s', (_, rules, traffic) => {
    expect(actual(gateway, [service({}), route(...rules)])?.traffic).toEqual(traffic);
  });

  it.each([
    ['the stable revision', { 'pod-template-hash': 'v1' }, 0],
    ['the new revision', { 'controller-revision-hash': 'v2' }, 100],
    ['both, by their ready pods', { app: 'shop' }, 40],
  ])('without a canary and a weight, follows the selector of the Service: %s', (_, selector, percent) => {
    expect(actual(ingress, [service(selector), missing])?.traffic).toEqual({ kind: 'weight', percent });
    expect(actual(gateway, [service(selector), route(backends(1, null))])?.traffic).toEqual({
      kind: 'weight',
      percent,
    });
  });

  it('is not known where an object can’t be read, is of another kind, or selects something else', () => {
    const unknown = [
      actual(ingress, [service({}), denied]),
      actual(gateway, [service({}), denied]),
      actual(ingress, [denied, missing]),
      actual(ingress, [missing, missing]),
      actual(ingress, [service({ 'pod-template-hash': 'v0' }), missing]),
      actual(ingress, [service({}), missing], {}),
      actual(
        {
          trafficRoutings: [
            { service: 'shop', customNetworkRefs: [{ kind: 'VirtualService', name: 'shop' }] },
          ],
        },
        [service({})],
      ),
    ];
    expect(unknown.map((told) => told?.traffic)).toEqual(unknown.map(() => null));
    expect(unknown.every((told) => told?.evidence.startsWith('Unknown: '))).toBe(true);
  });

  it('comes from the TrafficRouting that a Rollout refers to', () => {
    const rollout = rolloutObject({
      status,
      metadata: { annotations: { 'rollouts.kruise.io/trafficrouting': 'shared' } },
    });
    const routing = parseTrafficRouting({
      apiVersion: 'rollouts.kruise.io/v1alpha1',
      kind: 'TrafficRouting',
      metadata: { ...rolloutObject().metadata, name: 'shared' },
      spec: { objectRef: [{ service: 'shop', ingress: { name: 'shop' } }], strategy: { weight: 10 } },
    });
    const input = inputOf(rollout, { ...found(facts), relatedObjects: [routing] });
    expect(kruiseRolloutSystem.routing.refs(input).map(({ name }) => name)).toEqual(['shop', 'shop-canary']);
    const readings = [
      service({}),
      canaryIngress({
        'nginx.ingress.kubernetes.io/canary': 'true',
        'nginx.ingress.kubernetes.io/canary-weight': '10',
      }),
    ];
    expect(kruiseRolloutSystem.routing.traffic(input, readings)?.traffic).toEqual({
      kind: 'weight',
      percent: 10,
    });
  });

  it('is shown at the current step, next to the planned one, and nowhere else', () => {
    const rollout = deriveFrom(rolloutObject({ canary: ingress, status }), found(facts));
    const told = withTraffic(rollout, {
      traffic: { kind: 'weight', percent: 5 },
      evidence: 'Somebody looked.',
    });
    expect(told.steps.map(({ traffic }) => traffic.actual)).toEqual([
      { kind: 'weight', percent: 5 },
      null,
      null,
    ]);
    expect(told.steps[0]?.traffic.planned).toEqual({ kind: 'weight', percent: 20 });
  });
});
