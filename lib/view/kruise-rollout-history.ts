import { typeOf } from '@/lib/kube/resource';
import type { RecordItem } from '@/lib/api/records';
import type { JsonObject } from '@/lib/kube/json';
import type { Masked } from '@/lib/masked';
import { MANAGED_BY_SHIPLOG } from '@/lib/rollout/openkruise/resources';
import { kindOf } from '@/lib/workloads/kinds/table';

type ExportedRecord = Pick<
  RecordItem,
  | 'id'
  | 'workload'
  | 'from'
  | 'to'
  | 'startedAt'
  | 'endedAt'
  | 'outcome'
  | 'actor'
  | 'cause'
  | 'summary'
  | 'steps'
  | 'progressiveRollout'
>;

type ExportedRollout = NonNullable<ExportedRecord['progressiveRollout']>;

export type RouteSpecs = ReadonlyMap<string, Masked<JsonObject>>;

/**
 * A record in the format of OpenKruise's RolloutHistory: fields that a rollout did not have are empty, as
 * upstream leaves them. The labels are Shiplog's own, so that OpenKruise's controller never treats the object
 * as its own. `template` is what the pods ran; null where it is unknown or not readable. `routeSpecs` has
 * by their kinds the specs of the routes, as far as they were read.
 * https://github.com/openkruise/rollouts/blob/master/api/v1alpha1/rollouthistory_types.go
 */
export function buildRolloutHistory(
  record: ExportedRecord,
  template: Masked<JsonObject> | null,
  routeSpecs: RouteSpecs = new Map(),
): JsonObject {
  const { workload, steps, outcome, startedAt, progressiveRollout } = record;
  const reference = {
    apiVersion: apiVersionOf(workload.resource),
    kind: workload.kind,
    name: workload.name,
  };
  return {
    apiVersion: 'rollouts.kruise.io/v1alpha1',
    kind: 'RolloutHistory',
    metadata: {
      name: rolloutHistoryName(record),
      namespace: workload.namespace,
      labels: {
        ...MANAGED_BY_SHIPLOG,
        'shiplog.dev/workload': labelValue(workload.name),
        'shiplog.dev/workload-uid': workload.uid,
        ...(progressiveRollout !== null && { 'shiplog.dev/rollout': labelValue(progressiveRollout.name) }),
      },
      annotations: annotationsOf(record),
      ...(startedAt !== null && { creationTimestamp: startedAt }),
    },
    spec: {
      rollout: rolloutOf(record, reference),
      workload: { ...reference, ...(template !== null && { data: { template } }) },
      service: routeReference(progressiveRollout, 'Service', routeSpecs) ?? { name: '' },
      trafficRouting: trafficRoutingOf(progressiveRollout, routeSpecs),
    },
    status: {
      phase: outcome === null ? '' : 'completed',
      canarySteps: steps.map(({ index, pods }) => ({
        canaryStepIndex: index,
        ...(pods.length > 0 && {
          pods: pods.map(({ name, ip, node }) => ({
            name,
            ...(ip !== null && { ip }),
            ...(node !== null && { nodeName: node }),
          })),
        }),
      })),
    },
  };
}

/** The name of a record's object: the same for the same record. */
export function rolloutHistoryName({
  id,
  workload,
}: {
  id: string;
  workload: Pick<ExportedRecord['workload'], 'name'>;
}): string {
  return objectName(workload.name, id);
}

/** With the plan in the version that upstream writes, except blue-green, which that version does not have. */
function rolloutOf(record: ExportedRecord, workloadRef: JsonObject): JsonObject {
  const { id, workload, progressiveRollout: rollout } = record;
  if (rollout === null) return { name: workload.name, rolloutID: id };
  const { style, plan } = rollout;
  const name = style === 'blueGreen' ? 'blueGreen' : 'canary';
  const routing = trafficRoutingsOf(rollout);
  const strategy = {
    steps: plan.map(({ replicas, traffic, pause }) => ({
      ...(traffic?.kind === 'weight' && { weight: traffic.percent }),
      ...(replicas !== null && { replicas: /^\d+$/.test(replicas) ? Number(replicas) : replicas }),
      ...(pause !== null && { pause: pauseOf(pause) }),
    })),
    ...(routing !== null && { trafficRoutings: [routing] }),
  };
  return {
    name: rollout.name,
    rolloutID: rollout.id ?? id,
    data: { objectRef: { workloadRef }, strategy: { [name]: strategy } },
  };
}

function pauseOf(pause: NonNullable<ExportedRollout['plan'][number]['pause']>): JsonObject {
  switch (pause.kind) {
    case 'approval':
      return {};
    case 'none':
      return { duration: 0 };
    case 'time':
      return { duration: pause.seconds };
    default:
      return pause satisfies never;
  }
}

function trafficRoutingsOf(rollout: ExportedRollout): JsonObject | null {
  const service = routeNameOf(rollout, 'Service');
  if (service === null) return null;
  const ingress = routeNameOf(rollout, 'Ingress');
  const httpRouteName = routeNameOf(rollout, 'HTTPRoute');
  return {
    service,
    ...(ingress !== null && { ingress: { name: ingress } }),
    ...(httpRouteName !== null && { gateway: { httpRouteName } }),
  };
}

function trafficRoutingOf(rollout: ExportedRollout | null, routeSpecs: RouteSpecs): JsonObject {
  const ingress = routeReference(rollout, 'Ingress', routeSpecs);
  const httpRoute = routeReference(rollout, 'HTTPRoute', routeSpecs);
  return { ...(ingress !== null && { ingress }), ...(httpRoute !== null && { httpRoute }) };
}

function routeReference(
  rollout: ExportedRollout | null,
  kind: string,
  routeSpecs: RouteSpecs,
): JsonObject | null {
  const name = routeNameOf(rollout, kind);
  if (name === null) return null;
  const data = routeSpecs.get(kind);
  return { name, ...(data !== undefined && { data }) };
}

function routeNameOf(rollout: ExportedRollout | null, kind: string): string | null {
  return rollout?.routes.find((route) => route.kind === kind)?.name ?? null;
}

/** What the upstream format has no field for. */
function annotationsOf({
  id,
  from,
  to,
  endedAt,
  outcome,
  actor,
  cause,
  summary,
  progressiveRollout,
}: ExportedRecord): JsonObject {
  const facts: Record<string, string | number | null | undefined> = {
    record: id,
    'from-revision': from?.number,
    'to-revision': to.number,
    'ended-at': endedAt,
    outcome,
    style: progressiveRollout?.style,
    result: progressiveRollout?.result,
    actor: actor?.name,
    cause,
    summary,
  };
  return Object.fromEntries(
    Object.entries(facts).flatMap(([name, value]) =>
      value === null || value === undefined ? [] : [[`shiplog.dev/${name}`, String(value)]],
    ),
  );
}

/** A name valid in Kubernetes: lowercase letters, digits and dashes, at most 253. */
function objectName(workload: string, id: string): string {
  const suffix = id
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return `${workload.slice(0, 180)}-${suffix.slice(0, 64).replace(/-$/, '')}`;
}

function labelValue(name: string): string {
  return name.slice(0, 63).replace(/[^A-Za-z0-9]+$/, '');
}

/** In the oldest version, which every release of the kind's project serves. */
function apiVersionOf(resource: string): string {
  const { group } = typeOf(resource);
  const version = kindOf(resource)?.resource.versions.at(-1) ?? 'v1';
  return group === '' ? version : `${group}/${version}`;
}
