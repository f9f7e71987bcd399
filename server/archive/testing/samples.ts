import { semanticIdOf } from '@/server/shared/semantic-id';
import { type JsonObject, canonicalJson } from '@/lib/kube/json';
import type { ArchivedActivation, ArchivedRevision, WorkloadIncarnation } from '@/lib/api/incarnation';
import type { RolloutRecord } from '@/lib/api/record';
import { versionedMeaning } from '@/lib/records/template-meaning';
import type { IncarnationRecording } from '@/server/archive/archive';
import { hashOfText } from '@/server/archive/revisions';

export const START_MS = Date.parse('2026-03-02T09:00:00Z');
const HOUR_MS = 3_600_000;

/** The time this many hours after the start of the samples. */
export function hour(number: number): string {
  return new Date(START_MS + number * HOUR_MS).toISOString();
}

export function sampleIncarnation(
  name = 'cart',
  change: Partial<WorkloadIncarnation> = {},
): WorkloadIncarnation {
  return {
    cluster: 'prod',
    resource: 'deployments.apps',
    kind: 'Deployment',
    namespace: 'shop',
    name,
    uid: `uid-${name}`,
    createdAt: hour(0),
    deletedAt: null,
    labels: { 'app.kubernetes.io/part-of': 'store' },
    ...change,
  };
}

export function sampleBody(name: string, number: number): JsonObject {
  const env = [
    { name: 'DB_PASSWORD', value: `correct-horse-${number}` },
    { name: 'MODE', value: 'fast' },
  ];
  return { spec: { containers: [{ name, image: imageOf(name, number), env }] } };
}

export function hashOf(name: string, number: number): string {
  return hashOfText(canonicalJson(sampleBody(name, number)));
}

function imageOf(name: string, number: number): string {
  return `registry.example/shop/${name}:1.${number}`;
}

export function meaningOf(name: string, number: number): string {
  return versionedMeaning(semanticIdOf(sampleBody(name, number)));
}

export function sampleRevision(
  incarnation: WorkloadIncarnation,
  number: number,
  change: Partial<ArchivedRevision> = {},
): ArchivedRevision {
  return {
    workloadUid: incarnation.uid,
    id: `${incarnation.uid}-rs-${number}`,
    hash: hashOf(incarnation.name, number),
    numbers: [number],
    name: `${incarnation.name}-${number}`,
    changeCause: null,
    images: [{ container: incarnation.name, image: imageOf(incarnation.name, number) }],
    createdAt: hour(number),
    firstSeenAt: hour(number),
    prunedAt: null,
    ...change,
  };
}

export function sampleActivation(
  incarnation: WorkloadIncarnation,
  index: number,
  change: Partial<ArchivedActivation> = {},
): ArchivedActivation {
  return {
    workloadUid: incarnation.uid,
    index,
    revision: { number: index, id: `${incarnation.uid}-rs-${index}`, hash: hashOf(incarnation.name, index) },
    from: hour(index),
    fromNotAfter: null,
    to: null,
    ...change,
  };
}

/** The rollout from revision `index` - 1 to `index`, an hour after the previous one. */
export function sampleRecord(
  incarnation: WorkloadIncarnation,
  index: number,
  change: Partial<RolloutRecord> = {},
): RolloutRecord {
  const { cluster, resource, kind, namespace, name, uid, labels } = incarnation;
  const ref = (number: number) => ({
    ...{ number, id: `${uid}-rs-${number}`, hash: hashOf(name, number) },
    meaning: meaningOf(name, number),
  });
  return {
    id: `${uid}.${index}`,
    workload: { cluster, resource, kind, namespace, name, uid, labels },
    activation: index,
    from: index > 1 ? ref(index - 1) : null,
    to: ref(index),
    others: [],
    startedAt: hour(index),
    startedNotAfter: null,
    endedAt: hour(index + 0.25),
    outcome: 'completed',
    unwatched: [],
    actor: { name: 'ann', source: 'managedFields', manager: 'kubectl-set' },
    actionId: null,
    cause: null,
    summary: `Image of ${name} from 1.${index - 1} to 1.${index}`,
    restart: false,
    images: [{ container: name, image: imageOf(name, index) }],
    strategy: 'RollingUpdate, 25% more, 25% fewer',
    desiredPods: 2,
    steps: [
      {
        index: 1,
        name: 'Wave 1',
        kind: 'wave',
        planned: '2 of 2 pods',
        startedAt: hour(index),
        endedAt: hour(index + 0.25),
        state: 'completed',
        pods: [
          {
            name: `${name}-${index}-a`,
            uid: `pod-${uid}-${index}`,
            ip: '10.0.0.1',
            node: 'node-1',
            readyAt: hour(index + 0.1),
            restarts: 0,
          },
        ],
        removed: [],
      },
    ],
    progressiveRollout: null,
    spans: [],
    samples: [{ at: hour(index), byRevision: [[hashOf(name, index), 1, 0]] }],
    events: [],
    pinned: false,
    ...change,
  };
}

/** Everything of one incarnation up to revision and activation `last`. */
export function sampleRecording(incarnation: WorkloadIncarnation, last: number): IncarnationRecording {
  const numbers = Array.from({ length: last }, (_, index) => index + 1);
  return {
    incarnation,
    revisions: numbers.map((number) => ({
      revision: sampleRevision(incarnation, number),
      body: sampleBody(incarnation.name, number),
    })),
    activations: numbers.map((number) =>
      sampleActivation(incarnation, number, { to: number < last ? hour(number + 1) : null }),
    ),
    records: numbers.map((number) => sampleRecord(incarnation, number)),
  };
}
