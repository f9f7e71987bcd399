import { type JsonObject, canonicalJson } from '@/lib/kube/json';
import {
  type ArchivedActivation,
  type ArchivedRevision,
  type RolloutRecord,
  type WorkloadLife,
} from '@/lib/ledger/record';
import { meaningText } from '@/lib/ledger/meaning';
import { type Recording } from '@/server/archive/archive';
import { hashOfText } from '@/server/archive/bodies';
import { semanticIdOf } from '@/server/cluster/ingest';

export const START_MS = Date.parse('2026-03-02T09:00:00Z');
const HOUR_MS = 3_600_000;

/** The time so many hours after the start of the samples. */
export function hour(number: number): string {
  return new Date(START_MS + number * HOUR_MS).toISOString();
}

export function sampleLife(name = 'cart', change: Partial<WorkloadLife> = {}): WorkloadLife {
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
  return meaningText(semanticIdOf(sampleBody(name, number)));
}

export function sampleRevision(
  life: WorkloadLife,
  number: number,
  change: Partial<ArchivedRevision> = {},
): ArchivedRevision {
  return {
    workloadUid: life.uid,
    id: `${life.uid}-rs-${number}`,
    hash: hashOf(life.name, number),
    numbers: [number],
    name: `${life.name}-${number}`,
    changeCause: null,
    images: [{ container: life.name, image: imageOf(life.name, number) }],
    createdAt: hour(number),
    firstSeenAt: hour(number),
    prunedAt: null,
    ...change,
  };
}

export function sampleActivation(
  life: WorkloadLife,
  index: number,
  change: Partial<ArchivedActivation> = {},
): ArchivedActivation {
  return {
    workloadUid: life.uid,
    index,
    revision: { number: index, id: `${life.uid}-rs-${index}`, hash: hashOf(life.name, index) },
    from: hour(index),
    fromNotAfter: null,
    to: null,
    ...change,
  };
}

/** The rollout from revision `index` - 1 to `index`, an hour after the one before. */
export function sampleRecord(
  life: WorkloadLife,
  index: number,
  change: Partial<RolloutRecord> = {},
): RolloutRecord {
  const { cluster, resource, kind, namespace, name, uid, labels } = life;
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
    release: null,
    spans: [],
    samples: [{ at: hour(index), byRevision: [[hashOf(name, index), 1, 0]] }],
    events: [],
    pinned: false,
    ...change,
  };
}

/** Everything of one life up to revision and activation `last`. */
export function sampleRecording(life: WorkloadLife, last: number): Recording {
  const numbers = Array.from({ length: last }, (_, index) => index + 1);
  return {
    life,
    revisions: numbers.map((number) => ({
      revision: sampleRevision(life, number),
      body: sampleBody(life.name, number),
    })),
    activations: numbers.map((number) =>
      sampleActivation(life, number, { to: number < last ? hour(number + 1) : null }),
    ),
    records: numbers.map((number) => sampleRecord(life, number)),
  };
}
