import { canonicalJson, type JsonObject } from '@/lib/kube/json';
import type { Outcome } from '@/lib/api/record-values';
import type { RolloutRecord } from '@/lib/api/record';
import type { WorkloadIncarnation } from '@/lib/api/incarnation';
import type { Archive, IncarnationRecording } from '@/server/archive/archive';
import type { Lease } from '@/server/archive/lease';
import { hashOfText } from '@/server/archive/revisions';

export const RECORDS = 100_000;
export const SAMPLES_EACH = 10;
const WORKLOADS = 2_000;
const RECORDS_PER_WORKLOAD = RECORDS / WORKLOADS;
/** Workloads that are written in one transaction. */
const BATCH_SIZE = 25;
const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;

export const CLUSTER = 'cluster';
export const NOW_MS = Date.parse('2026-09-17T12:00:00Z');

export const namespaces = Array.from({ length: 40 }, (_, index) => `team-${index}`);
export const people = Array.from({ length: 60 }, (_, index) => `person.${index}`);
const words =
  'faster checkout search ranking memory limit after kills under load new cache prices rounding retry timeout security patch library upgrade experiment banner login session basket invoice export nightly index shard replica tracing metrics dashboard alert rota holiday traffic region failover certificate rotation cleanup feature flag rollback hotfix weekly rollout'.split(
    ' ',
  );
const outcomes: readonly (Outcome | null)[] = [
  ...Array.from({ length: 88 }, () => 'completed' as const),
  ...Array.from({ length: 4 }, () => 'rolledBack' as const),
  ...Array.from({ length: 4 }, () => 'superseded' as const),
  ...Array.from({ length: 3 }, () => 'failed' as const),
  'unknown',
];

/** Numbers that look random and are the same in every run. */
export function createRandom(seed: number): (sides: number) => number {
  let state = seed >>> 0;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

export function nameOf(workload: number): string {
  return `service-${workload}`;
}

export function idOf(workload: number, activation: number): string {
  return `${nameOf(workload)}.${activation}`;
}

/** The year of one workload: a rollout a week, each with its template, steps, pods and samples. */
function recordingOf(workload: number): IncarnationRecording {
  const roll = createRandom(workload + 1);
  const incarnation: WorkloadIncarnation = {
    cluster: CLUSTER,
    resource: workload % 5 === 0 ? 'statefulsets.apps' : 'deployments.apps',
    kind: workload % 5 === 0 ? 'StatefulSet' : 'Deployment',
    namespace: namespaces[workload % namespaces.length] ?? '',
    name: nameOf(workload),
    uid: `uid-${workload}`,
    createdAt: at(NOW_MS - YEAR_MS),
    deletedAt: null,
    labels: { app: nameOf(workload), 'app.kubernetes.io/part-of': `product-${workload % 12}` },
  };
  const bodies = Array.from({ length: RECORDS_PER_WORKLOAD + 1 }, (_, number) => bodyOf(workload, number));
  const hashes = bodies.map((body) => hashOfText(canonicalJson(body)));
  const numbers = Array.from({ length: RECORDS_PER_WORKLOAD }, (_, index) => index + 1);
  const begun = numbers.map(
    (number) => NOW_MS - YEAR_MS + (number * YEAR_MS) / (RECORDS_PER_WORKLOAD + 1) + roll(3 * DAY_MS),
  );
  const refOf = (number: number) => ({
    number,
    id: `${incarnation.uid}-${number}`,
    hash: hashes[number] ?? '',
  });
  return {
    incarnation,
    revisions: numbers.map((number) => ({
      revision: {
        workloadUid: incarnation.uid,
        id: refOf(number).id,
        hash: refOf(number).hash,
        numbers: [number],
        name: `${incarnation.name}-${number}`,
        changeCause: null,
        images: imagesOf(workload, number),
        createdAt: at(begun[number - 1] ?? 0),
        firstSeenAt: at(begun[number - 1] ?? 0),
        prunedAt: number < RECORDS_PER_WORKLOAD - 10 ? at(NOW_MS) : null,
      },
      body: bodies[number] ?? null,
    })),
    activations: numbers.map((number) => ({
      workloadUid: incarnation.uid,
      index: number,
      revision: refOf(number),
      from: at(begun[number - 1] ?? 0),
      fromNotAfter: null,
      to: number < RECORDS_PER_WORKLOAD ? at(begun[number] ?? 0) : null,
    })),
    records: numbers.map((number) =>
      recordOf(
        incarnation,
        workload,
        number,
        begun[number - 1] ?? 0,
        number > 1 ? refOf(number - 1) : null,
        refOf(number),
        roll,
      ),
    ),
  };
}

/** Writes that many records, each workload's at once. A multiple of 50. */
export async function fillArchive(archive: Archive, records = RECORDS): Promise<void> {
  const lease = await acquireLease(archive);
  for (let first = 0; first < records / RECORDS_PER_WORKLOAD; first += BATCH_SIZE) {
    await acquireLease(archive);
    const batch = Array.from({ length: BATCH_SIZE }, (_, at) => recordingOf(first + at));
    await archive.record(lease, batch, Date.now());
  }
  await archive.leases.release(lease);
}

export async function acquireLease(archive: Archive): Promise<Lease> {
  return (await archive.leases.acquire('bench', Date.now(), CLUSTER)) as Lease;
}

function recordOf(
  incarnation: WorkloadIncarnation,
  workload: number,
  number: number,
  startMs: number,
  from: RolloutRecord['from'],
  to: RolloutRecord['to'],
  roll: (sides: number) => number,
): RolloutRecord {
  const { cluster, resource, kind, namespace, name, uid, labels } = incarnation;
  const isOpen = number === RECORDS_PER_WORKLOAD && workload % 100 === 0;
  const lastsMs = 20_000 + roll(600_000);
  const endMs = startMs + lastsMs;
  const pods = 2 + roll(6);
  return {
    id: idOf(workload, number),
    workload: { cluster, resource, kind, namespace, name, uid, labels },
    activation: number,
    from,
    to,
    others: [],
    startedAt: at(startMs),
    startedNotAfter: null,
    endedAt: isOpen ? null : at(endMs),
    outcome: isOpen ? null : (outcomes[roll(outcomes.length)] ?? null),
    unwatched: [],
    actor: { name: people[roll(people.length)] ?? '', source: 'managedFields', manager: 'kubectl-set' },
    actionId: null,
    cause: roll(2) === 0 ? null : Array.from({ length: 5 }, () => words[roll(words.length)]).join(' '),
    summary: `image 1.${number - 1}.0 → 1.${number}.0; memory limit ${roll(4) + 1}Gi → ${roll(4) + 2}Gi`,
    restart: false,
    images: imagesOf(workload, number),
    strategy: 'RollingUpdate, 25% more, 25% fewer',
    desiredPods: pods,
    steps: [1, 2].map((index) => ({
      index,
      name: `Wave ${index}`,
      kind: 'wave',
      planned: `${Math.ceil((pods * index) / 2)} of ${pods} pods`,
      startedAt: at(startMs + ((index - 1) * lastsMs) / 2),
      endedAt: at(startMs + (index * lastsMs) / 2),
      state: 'completed',
      pods: Array.from({ length: Math.ceil(pods / 2) }, (_, pod) => ({
        name: `${name}-${number}-${index}${pod}`,
        uid: `pod-${uid}-${number}-${index}-${pod}`,
        ip: `10.${roll(250)}.${roll(250)}.${roll(250)}`,
        node: `node-${roll(50)}`,
        readyAt: at(startMs + (index * lastsMs) / 2),
        restarts: 0,
      })),
      removed: [],
    })),
    progressiveRollout: null,
    spans: [],
    samples: Array.from({ length: SAMPLES_EACH }, (_, index) => ({
      at: at(startMs + (index * lastsMs) / SAMPLES_EACH),
      byRevision: [
        [from?.hash ?? 'none', Math.max(0, pods - index), Math.max(0, pods - index)],
        [to.hash, Math.min(pods, index), Math.min(pods, Math.max(0, index - 1))],
      ],
    })),
    events: [],
    pinned: false,
  };
}

function imagesOf(workload: number, number: number) {
  return [{ container: 'app', image: `registry.example.com/${nameOf(workload)}:1.${number}.0` }];
}

/** The usual length of a template: some eighty lines of YAML. */
function bodyOf(workload: number, number: number): JsonObject {
  const name = nameOf(workload);
  return {
    metadata: { labels: { app: name, tier: 'web' } },
    spec: {
      serviceAccountName: name,
      containers: [
        {
          name: 'app',
          image: `registry.example.com/${name}:1.${number}.0`,
          env: Array.from({ length: 12 }, (_, index) => ({
            name: `SETTING_${index}`,
            value: `${name}-${index === number % 12 ? number : index}`,
          })),
          ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
          resources: {
            requests: { cpu: '250m', memory: '512Mi' },
            limits: { memory: `${(number % 4) + 1}Gi` },
          },
          readinessProbe: { httpGet: { path: '/readyz', port: 'http' }, periodSeconds: 5 },
          livenessProbe: { httpGet: { path: '/livez', port: 'http' }, periodSeconds: 10 },
          volumeMounts: [{ name: 'config', mountPath: '/etc/app', readOnly: true }],
          securityContext: { runAsNonRoot: true, readOnlyRootFilesystem: true },
        },
      ],
      volumes: [{ name: 'config', configMap: { name: `${name}-config`, defaultMode: 420 } }],
    },
  };
}

function at(ms: number): string {
  return new Date(Math.round(ms)).toISOString();
}
