import { type RecordItem } from '@/lib/api/records';
import { type JsonObject } from '@/lib/kube/json';
import { kindOf } from '@/lib/workloads/table';

type Rollout = Pick<
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
>;

/** Marks the objects that Shiplog wrote. */
export const OWN_LABEL = { 'app.kubernetes.io/managed-by': 'shiplog' } as const;

/**
 * A record in the shape of OpenKruise's RolloutHistory: the parts that a rollout did not have are empty, as upstream
 * leaves them. The labels are Shiplog's own, so that OpenKruise's controller never takes the object for one of its.
 * `template` is what the pods ran, masked; null where it is not known or may not be seen.
 * https://github.com/openkruise/rollouts/blob/master/api/v1alpha1/rollouthistory_types.go
 */
export function rolloutHistoryOf(record: Rollout, template: JsonObject | null): JsonObject {
  const { id, workload, steps, outcome, startedAt } = record;
  return {
    apiVersion: 'rollouts.kruise.io/v1alpha1',
    kind: 'RolloutHistory',
    metadata: {
      name: objectName(workload.name, id),
      namespace: workload.namespace,
      labels: {
        ...OWN_LABEL,
        'shiplog.dev/workload': workload.name.slice(0, 63).replace(/[^A-Za-z0-9]+$/, ''),
        'shiplog.dev/workload-uid': workload.uid,
      },
      annotations: annotationsOf(record),
      ...(startedAt !== null && { creationTimestamp: startedAt }),
    },
    spec: {
      rollout: { name: workload.name, rolloutID: id },
      workload: {
        apiVersion: apiVersionOf(workload.resource),
        kind: workload.kind,
        name: workload.name,
        ...(template !== null && { data: { template } }),
      },
      service: { name: '' },
      trafficRouting: {},
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

/** What the upstream shape has no place for. */
function annotationsOf({ id, from, to, endedAt, outcome, actor, cause, summary }: Rollout): JsonObject {
  const facts: Record<string, string | number | null | undefined> = {
    record: id,
    'from-revision': from?.number,
    'to-revision': to.number,
    'ended-at': endedAt,
    outcome,
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

/** A name as Kubernetes takes it: of small letters, digits and dashes, at most 253. */
function objectName(workload: string, id: string): string {
  const suffix = id
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return `${workload.slice(0, 180)}-${suffix.slice(0, 64).replace(/-$/, '')}`;
}

/** In the oldest version, which every release of the kind's project serves. */
function apiVersionOf(resource: string): string {
  const dot = resource.indexOf('.');
  const version = kindOf(resource)?.resource.versions.at(-1) ?? 'v1';
  return dot === -1 ? version : `${resource.slice(dot + 1)}/${version}`;
}
