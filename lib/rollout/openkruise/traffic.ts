import { type JsonObject } from '@/lib/kube/json';
import { word } from '@/lib/rollout/bounded';
import { type KruiseRollout, ruleOf } from '@/lib/rollout/openkruise/parse';
import { podsOfRelease } from '@/lib/rollout/openkruise/pods';
import { releaseRevisions } from '@/lib/rollout/openkruise/revisions';
import { type Situation, situationOf, type Stage } from '@/lib/rollout/openkruise/situation';
import { type Traffic } from '@/lib/rollout/rollout';
import { type RoutedTraffic, type RouteReading, type RouteRef } from '@/lib/rollout/routed-traffic';
import { type RolloutInput } from '@/lib/rollout/system';
import { numberAt, objectAt, objectsAt, textAt } from '@/lib/workloads/read';

const SERVICE = type('services', '', ['v1'], 'Service');
const INGRESS = type('ingresses', 'networking.k8s.io', ['v1'], 'Ingress');
const HTTP_ROUTE = type('httproutes', 'gateway.networking.k8s.io', ['v1', 'v1beta1'], 'HTTPRoute');

/** What leads requests to pods, of the kinds that a RolloutHistory has a place for. */
export const ROUTE_TYPES: readonly RouteRef['type'][] = [SERVICE, INGRESS, HTTP_ROUTE];

/** Ingress controllers that take a canary from annotations; the others have objects of their own. */
const CANARY_PREFIXES = ['nginx', 'alb', 'mse'].map((name) => `${name}.ingress.kubernetes.io/canary`);
/** Labels by which OpenKruise narrows a Service down to one revision. */
const REVISION_LABELS = ['pod-template-hash', 'controller-revision-hash'];
const ON: readonly Stage[] = ['inStep', 'paused', 'rollingBack', 'completing'];

interface Routes {
  service: string | null;
  ingress: string | null;
  httpRoute: string | null;
  /** Of kinds that are not read. */
  others: readonly { kind: string; name: string }[];
}

/**
 * What has to be read to tell how the requests are shared out: the canary that OpenKruise makes beside an Ingress, the
 * HTTPRoute that it edits, the Service that it narrows down.
 * https://github.com/openkruise/rollouts/blob/master/pkg/trafficrouting/manager.go
 */
export function routeRefs(input: RolloutInput<KruiseRollout>): RouteRef[] {
  const situation = situationOf(input);
  if (!ON.includes(situation.stage)) return [];
  const { service, ingress, httpRoute } = routesOf(situation);
  return [
    ...(service === null ? [] : [{ type: SERVICE, name: service }]),
    ...(ingress === null ? [] : [{ type: INGRESS, name: `${ingress}-canary` }]),
    ...(httpRoute === null ? [] : [{ type: HTTP_ROUTE, name: httpRoute }]),
  ];
}

/** Of what has been read, in the order of {@link routeRefs}. Null where nothing shares requests out. */
export function routedTraffic(
  input: RolloutInput<KruiseRollout>,
  readings: readonly RouteReading[],
): RoutedTraffic | null {
  const situation = situationOf(input);
  const routes = routesOf(situation);
  if (!ON.includes(situation.stage) || !isRouted(routes)) return null;
  const byKind = new Map(routeRefs(input).map((ref, index) => [ref.type.kind, readings[index]]));
  const [other] = routes.others;
  if (other !== undefined) return unknown(`${other.kind} ${other.name} sets it, which Shiplog does not read`);
  const ingress = byKind.get('Ingress');
  if (ingress?.state === 'unreadable') return unknown(ingress.reason);
  const byIngress = ingress?.state === 'found' ? ofIngress(`${routes.ingress}-canary`, ingress.object) : null;
  if (byIngress !== null) return byIngress;
  const httpRoute = byKind.get('HTTPRoute');
  if (httpRoute?.state === 'unreadable') return unknown(httpRoute.reason);
  const byRoute =
    httpRoute?.state === 'found' && routes.service !== null
      ? ofHttpRoute(httpRoute.object, routes.httpRoute ?? '', routes.service)
      : null;
  return byRoute ?? ofService(situation, routes.service ?? '', byKind.get('Service'));
}

/** Of the Rollout, and of the TrafficRouting that it goes by. */
function routesOf({ rollout, beside }: Situation): Routes {
  const routing = beside.find((entry) => entry.kind === 'TrafficRouting');
  const routes = [...rollout.routes, ...(routing?.routes ?? [])];
  const named = (kind: string) => routes.find((route) => route.kind === kind)?.name ?? null;
  return {
    service: named('Service'),
    ingress: named('Ingress'),
    httpRoute: named('HTTPRoute'),
    others: routes.filter(({ kind }) => !['Service', 'Ingress', 'HTTPRoute'].includes(kind)),
  };
}

function isRouted({ service, ingress, httpRoute, others }: Routes): boolean {
  return service !== null || ingress !== null || httpRoute !== null || others.length > 0;
}

function ofIngress(name: string, ingress: JsonObject): RoutedTraffic {
  const annotations = objectAt(ingress, 'metadata', 'annotations') ?? {};
  const prefix = CANARY_PREFIXES.find((key) => annotations[key] === 'true');
  if (prefix === undefined)
    return unknown(`Ingress ${name} is there, and no annotation that Shiplog reads makes it a canary`);
  const at = (suffix: string) => word(annotations, `${prefix}-${suffix}`);
  const header = at('by-header');
  const cookie = at('by-cookie');
  const rules = [
    ...(header === null ? [] : [headerRule(header, at('by-header-value'), at('by-header-pattern'))]),
    ...(cookie === null ? [] : [`cookie ${cookie} = always`]),
  ];
  if (rules.length > 0)
    return { traffic: { kind: 'matches', rules }, evidence: `Ingress ${name} takes such requests.` };
  const weight = Number(at('weight') ?? '0');
  const total = Number(at('weight-total') ?? '100');
  if (!Number.isFinite(weight) || !(total > 0))
    return unknown(`Ingress ${name} has a weight that is no number`);
  return weightOf((weight * 100) / total, `Ingress ${name} has the weight ${weight} of ${total}.`);
}

function headerRule(name: string, value: string | null, pattern: string | null): string {
  return pattern === null ? `header ${name} = ${value ?? 'always'}` : `header ${name} ~ ${pattern}`;
}

/** Null where it does not lead to the new revision, so that the Service decides. */
function ofHttpRoute(route: JsonObject, name: string, service: string): RoutedTraffic | null {
  const shares = objectsAt(route, 'spec', 'rules')
    .map((rule) => ({ rule, ...sharesOf(rule, service) }))
    .filter(({ stable, canary }) => stable + canary > 0);
  const leading = shares.filter(({ canary }) => canary > 0);
  const [first] = leading;
  if (first === undefined) return null;
  if (shares.length > leading.length && leading.every(({ stable }) => stable === 0)) {
    const rules = leading.flatMap(({ rule }) => objectsAt(rule, 'matches').map(ruleOf));
    const evidence = `HTTPRoute ${name} sends such requests to the new revision.`;
    return { traffic: { kind: 'matches', rules }, evidence };
  }
  const percents = new Set(shares.map(({ canary, stable }) => (canary * 100) / (canary + stable)));
  if (percents.size > 1) return unknown(`the rules of HTTPRoute ${name} share requests out differently`);
  const { canary, stable } = first;
  return weightOf(
    (canary * 100) / (canary + stable),
    `HTTPRoute ${name} has the weights ${stable} and ${canary}.`,
  );
}

/** Of the backends of one rule; a weight that is not written is 1. */
function sharesOf(rule: JsonObject, service: string): { stable: number; canary: number } {
  const weightOfBackend = (name: string) => {
    const backend = objectsAt(rule, 'backendRefs').find((entry) => entry.name === name);
    return backend === undefined ? 0 : Math.max(0, numberAt(backend, 'weight') ?? 1);
  };
  return { stable: weightOfBackend(service), canary: weightOfBackend(`${service}-canary`) };
}

/** Where nothing else shares requests out, all that the Service selects get them. */
function ofService(situation: Situation, name: string, reading: RouteReading | undefined): RoutedTraffic {
  if (reading === undefined) return unknown('its plan names no Service');
  if (reading.state === 'unreadable') return unknown(reading.reason);
  if (reading.state === 'missing') return unknown(`there is no Service ${name}`);
  const selector = objectAt(reading.object, 'spec', 'selector');
  const hash = REVISION_LABELS.map((label) => textAt(selector, label)).find((value) => value !== undefined);
  if (hash !== undefined) return ofRevision(situation, name, hash);
  const { fresh, all } = readyPods(situation);
  if (all === 0) return unknown(`no pod of Service ${name} is ready`);
  const evidence = `Service ${name} selects the pods of both revisions, so that requests are shared out over them: ${fresh} of ${all} that are ready are new.`;
  return weightOf((fresh * 100) / all, evidence);
}

function ofRevision({ progress }: Situation, name: string, hash: string): RoutedTraffic {
  if (hash === progress?.stableRevision)
    return weightOf(0, `Service ${name} selects the stable pods alone, and nothing leads to the new ones.`);
  if (hash === progress?.podTemplateHash) return weightOf(100, `Service ${name} selects the new pods alone.`);
  return unknown(`Service ${name} selects the pods of another revision, ${hash}`);
}

function readyPods(situation: Situation): { fresh: number; all: number } {
  const { bySteps, unassigned } = podsOfRelease(situation, releaseRevisions(situation));
  const fresh = [...bySteps.values(), unassigned].flat().filter(({ ready }) => ready).length;
  const owners =
    situation.facts === null ? situation.auxiliaries : [situation.facts, ...situation.auxiliaries];
  const ready = owners.flatMap(({ pods }) => pods.filter((pod) => pod.ready && pod.deletedAt === null));
  return { fresh, all: new Set(ready.map(({ uid }) => uid)).size };
}

function weightOf(percent: number, evidence: string): RoutedTraffic {
  const traffic: Traffic = { kind: 'weight', percent: Math.round(percent) };
  return { traffic, evidence };
}

function unknown(reason: string): RoutedTraffic {
  return { traffic: null, evidence: `Not known: ${reason}.` };
}

function type(plural: string, group: string, versions: readonly string[], kind: string): RouteRef['type'] {
  return { id: group === '' ? plural : `${plural}.${group}`, plural, group, versions, kind };
}
