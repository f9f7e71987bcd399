import { type JsonObject, canonicalJson } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { explainRolloutHistory } from '@/lib/rollout/openkruise/explain-rollout-history';
import { parseRolloutHistory } from '@/lib/rollout/openkruise/rollout-history';
import { parseKruiseRollout, type KruiseRollout } from '@/lib/rollout/openkruise/parse';
import { rolloutObject, statusOf } from '@/lib/rollout/openkruise/testing/objects';
import type { Line } from '@/lib/rollout/openkruise/testing/timelines';
import type {
  ControllerRecordInput,
  ControllerRecordView,
  ControllerRecord,
} from '@/lib/rollout/controller-record';
import { semanticText } from '@/lib/diff/normalize';
import { template } from '@/lib/workloads/testing/objects';

export interface HistoryParts {
  name: string;
  id?: string | null;
  /** Seconds after midnight. */
  created?: number;
  phase?: string;
  /** Pods of each step; absent: as created at the start, without content. */
  pods?: readonly number[];
  image?: string;
  spec?: JsonObject;
  labels?: Record<string, string>;
}

/** A RolloutHistory as OpenKruise creates it at the start of a rollout, or completes it at the end. */
export function historyObject(parts: HistoryParts): KubeObject {
  const { name, id = 'v2', created = 0, phase, pods, image = 'v2' } = parts;
  const labels: Record<string, string> =
    id === null
      ? {}
      : { 'rollouts.kruise.io/rollout-id': id, 'rollouts.kruise.io/rollout-name': 'checkout-ro' };
  const empty: JsonObject = {
    rollout: { name: '', rolloutID: '' },
    service: { name: '' },
    trafficRouting: {},
    workload: { name: '' },
  };
  const steps = (pods ?? []).map((): JsonObject => ({ replicas: 1 }));
  const full: JsonObject = {
    rollout: { name: 'checkout-ro', rolloutID: id ?? '', data: { strategy: { canary: { steps } } } },
    service: { name: 'checkout' },
    trafficRouting: { ingress: { name: 'checkout', data: {} } },
    workload: {
      apiVersion: 'apps.kruise.io/v1alpha1',
      kind: 'CloneSet',
      name: 'checkout',
      data: {
        replicas: 5,
        template: {
          ...template(image),
          metadata: { ...(template(image).metadata as JsonObject), creationTimestamp: null },
        },
      },
    },
  };
  const canarySteps = (pods ?? []).map((count, index): JsonObject => ({
    canaryStepIndex: index + 1,
    ...(count > 0 && {
      pods: Array.from({ length: count }, (_, pod): JsonObject => ({
        name: `pod-${index + 1}-${pod}`,
        ip: '10.0.0.1',
        nodeName: 'node-1',
      })),
    }),
  }));
  return {
    apiVersion: 'rollouts.kruise.io/v1alpha1',
    kind: 'RolloutHistory',
    metadata: {
      name,
      namespace: 'shop',
      uid: `uid-${name}`,
      resourceVersion: '1',
      creationTimestamp: new Date(Date.UTC(2026, 10, 21, 0, 0, created)).toISOString().replace('.000', ''),
      labels: { ...labels, ...parts.labels },
    },
    spec: { ...(pods === undefined ? empty : full), ...parts.spec },
    ...((phase ?? (pods === undefined ? undefined : 'completed')) !== undefined && {
      status: { phase: phase ?? 'completed', ...(pods !== undefined && { canarySteps }) },
    }),
  };
}

export function recordOf(parts: HistoryParts): ControllerRecord {
  return parseRolloutHistory(historyObject(parts), semanticText);
}

export function liveRollout(line: Line): ControllerRecordInput<KruiseRollout>['rollout'] {
  return { state: 'found', object: parseKruiseRollout(rolloutObject({ status: statusOf(line) })) };
}

/** The findings about each of the records of one Rollout. */
export function explainAll(
  records: readonly ControllerRecord[],
  rollout: ControllerRecordInput<KruiseRollout>['rollout'],
  facts: ControllerRecordInput['facts'] = null,
): ControllerRecordView[] {
  return records.map((entry) => explainRolloutHistory({ record: entry, siblings: records, rollout, facts }));
}

export function codes({ state, findings }: ControllerRecordView): string {
  return [state, ...findings.map(({ code }) => code)].join(' ');
}

export const jsonSize = (value: unknown) =>
  canonicalJson(JSON.parse(JSON.stringify(value)) as JsonObject).length;
