import type { JsonObject } from '@/lib/kube/json';
import { boundedName } from '@/lib/rollout/bounded';
import { type KruiseRollout, ruleOf } from '@/lib/rollout/openkruise/parse';
import { findKruisePods } from '@/lib/rollout/openkruise/revisions';
import { type KruiseContext, readKruiseContext, type KruiseStage } from '@/lib/rollout/openkruise/context';
import type { Traffic } from '@/lib/api/rollout-fields';
import type { RoutedTraffic, RouteReading, RouteRef } from '@/lib/rollout/routed-traffic';
import type { RolloutInput } from '@/lib/rollout/system';
import { numberAt, objectAt, objectsAt, textAt } from '@/lib/kube/read';

const SERVICE = type('services', '', ['v1'], 'Service');
const INGRESS = type('ingresses', 'networking.k8s.io', ['v1'], 'Ingress');
const HTTP_ROUTE = type('httproutes', 'gateway.networking.k8s.io', ['v1', 'v1beta1'], 'HTTPRoute');

/** Traffic objects, of the kinds that a RolloutHistory can contain. */
export const ROUTE_TYPES: readonly RouteRef['type'][] = [SERVICE, INGRESS, HTTP_ROUTE];

/** Ingress controllers that read a canary from annotations; the others have objects of their own. */
const CANARY_PREFIXES = ['nginx', 'alb', 'mse'].map((name) => `${name}.ingress.kubernetes.io/canary`);
/** Labels by which OpenKruise restricts a Service to one revision. */
const REVISION_LABELS = ['pod-template-hash', 'controller-revision-hash'];
const ACTIVE_STAGES: readonly KruiseStage[] = ['inStep', 'paused', 'rollingBack', 'completing'];

interface Routes {
  service: string | null;
  ingress: string | null;
  httpRoute: string | null;
  /** Of kinds that are not read. */
  others: readonly { kind: string; name: string }[];
}

/**
 * The objects that show how requests are shared out: the canary that OpenKruise creates for an Ingress, the
 * HTTPRoute that it edits, the Service whose selector it restricts.
 * https://github.com/openkruise/rollouts/blob/master/pkg/trafficrouting/manager.go
 */
export function routeRefs(input: RolloutInput<KruiseRollout>): RouteRef[] {
  const context = readKruiseContext(input);
  if (!ACTIVE_STAGES.includes(context.stage)) return [];
  const { service, ingress, httpRoute } = routesOf(context);
  return [
    ...(service === null ? [] : [{ type: SERVICE, name: service }]),
    ...(ingress === null ? [] : [{ type: INGRESS, name: `${ingress}-canary` }]),
    ...(httpRoute === null ? [] : [{ type: HTTP_ROUTE, name: httpRoute }]),
  ];
}

/** From the objects read, in the order of {@link routeRefs}. Null where nothing shares requests out. */
export function routedTraffic(
  input: RolloutInput<KruiseRollout>,
  readings: readonly RouteReading[],
): RoutedTraffic | null {
  const context = readKruiseContext(input);
  const routes = routesOf(context);
  if (!ACTIVE_STAGES.includes(context.stage) || !isRouted(routes)) return null;
  const byKind = new Map(routeRefs(input).map((ref, index) => [ref.type.kind, readings[index]]));
  const [other] = routes.others;
  if (other !== undefined)
    return unknownTraffic(`it is set by ${other.kind} ${other.name}, which Shiplog does not read`);
  const ingress = byKind.get('Ingress');
  if (ingress?.state === 'unreadable') return unknownTraffic(ingress.reason);
  const byIngress =
    ingress?.state === 'found' ? trafficOfIngress(`${routes.ingress}-canary`, ingress.object) : null;
  if (byIngress !== null) return byIngress;
  const httpRoute = byKind.get('HTTPRoute');
  if (httpRoute?.state === 'unreadable') return unknownTraffic(httpRoute.reason);
  const byRoute =
    httpRoute?.state === 'found' && routes.service !== null
      ? trafficOfHttpRoute(httpRoute.object, routes.httpRoute ?? '', routes.service)
      : null;
  return byRoute ?? trafficOfService(context, routes.service ?? '', byKind.get('Service'));
}

/** Of the Rollout, and of the TrafficRouting that it refers to. */
function routesOf({ rollout, relatedObjects }: KruiseContext): Routes {
  const routing = relatedObjects.find((entry) => entry.kind === 'TrafficRouting');
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

function trafficOfIngress(name: string, ingress: JsonObject): RoutedTraffic {
  const annotations = objectAt(ingress, 'metadata', 'annotations') ?? {};
  const prefix = CANARY_PREFIXES.find((key) => annotations[key] === 'true');
  if (prefix === undefined)
    return unknownTraffic(`Ingress ${name} has no canary annotation that Shiplog reads`);
  const annotationAt = (suffix: string) => boundedName(annotations, `${prefix}-${suffix}`);
  const header = annotationAt('by-header');
  const cookie = annotationAt('by-cookie');
  const rules = [
    ...(header === null
      ? []
      : [headerRule(header, annotationAt('by-header-value'), annotationAt('by-header-pattern'))]),
    ...(cookie === null ? [] : [`cookie ${cookie} = always`]),
  ];
  if (rules.length > 0)
    return {
      traffic: { kind: 'matches', rules },
      evidence: `Ingress ${name} routes these requests to the canary.`,
    };
  const weight = Number(annotationAt('weight') ?? '0');
  const total = Number(annotationAt('weight-total') ?? '100');
  if (!Number.isFinite(weight) || !(total > 0))
    return unknownTraffic(`the weight of Ingress ${name} is not a number`);
  return weightOf((weight * 100) / total, `Ingress ${name} has weight ${weight} of ${total}.`);
}

function headerRule(name: string, value: string | null, pattern: string | null): string {
  return pattern === null ? `header ${name} = ${value ?? 'always'}` : `header ${name} ~ ${pattern}`;
}

/** Null where it does not route to the new revision, so that the Service decides. */
function trafficOfHttpRoute(route: JsonObject, name: string, service: string): RoutedTraffic | null {
  const shares = objectsAt(route, 'spec', 'rules')
    .map((rule) => ({ rule, ...sharesOf(rule, service) }))
    .filter(({ stable, canary }) => stable + canary > 0);
  const leading = shares.filter(({ canary }) => canary > 0);
  const [first] = leading;
  if (first === undefined) return null;
  if (shares.length > leading.length && leading.every(({ stable }) => stable === 0)) {
    const rules = leading.flatMap(({ rule }) => objectsAt(rule, 'matches').map(ruleOf));
    const evidence = `HTTPRoute ${name} routes these requests to the new revision.`;
    return { traffic: { kind: 'matches', rules }, evidence };
  }
  const percents = new Set(shares.map(({ canary, stable }) => (canary * 100) / (canary + stable)));
  if (percents.size > 1) return unknownTraffic(`the rules of HTTPRoute ${name} have different weights`);
  const { canary, stable } = first;
  return weightOf(
    (canary * 100) / (canary + stable),
    `HTTPRoute ${name} has weights ${stable} (stable) and ${canary} (canary).`,
  );
}

/** Of the backends of one rule; a missing weight is 1. */
function sharesOf(rule: JsonObject, service: string): { stable: number; canary: number } {
  const weightOfBackend = (name: string) => {
    const backend = objectsAt(rule, 'backendRefs').find((entry) => entry.name === name);
    return backend === undefined ? 0 : Math.max(0, numberAt(backend, 'weight') ?? 1);
  };
  return { stable: weightOfBackend(service), canary: weightOfBackend(`${service}-canary`) };
}

/** Where nothing else shares requests out, all pods that the Service selects get them. */
function trafficOfService(
  context: KruiseContext,
  name: string,
  reading: RouteReading | undefined,
): RoutedTraffic {
  if (reading === undefined) return unknownTraffic('the Rollout names no Service');
  if (reading.state === 'unreadable') return unknownTraffic(reading.reason);
  if (reading.state === 'missing') return unknownTraffic(`Service ${name} not found`);
  const selector = objectAt(reading.object, 'spec', 'selector');
  const hash = REVISION_LABELS.map((label) => textAt(selector, label)).find((value) => value !== undefined);
  if (hash !== undefined) return trafficOfRevision(context, name, hash);
  const { fresh: updatedCount, all } = readyPods(context);
  if (all === 0) return unknownTraffic(`Service ${name} has no ready pods`);
  const evidence = `Service ${name} selects the pods of both revisions: ${updatedCount} of ${all} ready pods are new.`;
  return weightOf((updatedCount * 100) / all, evidence);
}

function trafficOfRevision({ progress }: KruiseContext, name: string, hash: string): RoutedTraffic {
  if (hash === progress?.stableRevision) return weightOf(0, `Service ${name} selects only the stable pods.`);
  if (hash === progress?.podTemplateHash) return weightOf(100, `Service ${name} selects only the new pods.`);
  return unknownTraffic(`Service ${name} selects the pods of another revision, ${hash}`);
}

function readyPods(context: KruiseContext): { fresh: number; all: number } {
  const { bySteps, unassigned } = findKruisePods(context);
  const updatedCount = [...bySteps.values(), unassigned].flat().filter(({ ready }) => ready).length;
  const owners = context.facts === null ? context.auxiliaries : [context.facts, ...context.auxiliaries];
  const ready = owners.flatMap(({ pods }) => pods.filter((pod) => pod.ready && pod.deletedAt === null));
  return { fresh: updatedCount, all: new Set(ready.map(({ uid }) => uid)).size };
}

function weightOf(percent: number, evidence: string): RoutedTraffic {
  const traffic: Traffic = { kind: 'weight', percent: Math.round(percent) };
  return { traffic, evidence };
}

function unknownTraffic(reason: string): RoutedTraffic {
  return { traffic: null, evidence: `Unknown: ${reason}.` };
}

function type(plural: string, group: string, versions: readonly string[], kind: string): RouteRef['type'] {
  return { id: group === '' ? plural : `${plural}.${group}`, plural, group, versions, kind };
}
