import type { WorkloadDetail, WorkloadItem } from '@/lib/api/workloads';
import type { ChangeItem, Diff } from '@/lib/api/diff';
import type { EventItem, PodItem } from '@/lib/api/pods';
import type { RevisionItem } from '@/lib/api/revisions';

/** The current time of all samples. */
export const sampleNowMs = Date.parse('2026-09-17T12:32:00Z');

/** A time that many minutes before the current time of the samples. */
export function minutesAgo(minutes: number): string {
  return new Date(sampleNowMs - minutes * 60_000).toISOString();
}

/** A Deployment that is complete, three pods on revision 5. */
export function sampleItem(overrides: Partial<WorkloadItem> = {}): WorkloadItem {
  const name = overrides.name ?? 'cart';
  return {
    cluster: 'test',
    resource: 'deployments.apps',
    kind: 'Deployment',
    namespace: 'shop',
    name,
    uid: `uid-${name}`,
    state: 'complete',
    message: '3 of 3 ready',
    since: null,
    targetRevision: 5,
    targetId: 'rs-5',
    revisions: { total: 5, live: 1 },
    pods: {
      desired: 3,
      ready: 3,
      byRevision: [{ revision: 5, id: 'rs-5', target: true, pods: 3, ready: 3 }],
    },
    images: [{ container: 'app', image: `registry.example/shop/${name}:1.5.0` }],
    lastRollout: {
      from: 4,
      to: 5,
      startedAt: minutesAgo(3_000),
      notAfter: null,
      writer: { manager: 'kubectl-set', operation: 'Update', time: minutesAgo(3_000) },
      changeCause: null,
      restart: false,
      record: null,
    },
    createdAt: minutesAgo(100_000),
    labels: { app: name },
    ...overrides,
  };
}

/** A past revision, active for an hour. */
export function sampleRevision(number: number, overrides: Partial<RevisionItem> = {}): RevisionItem {
  const createdAt = minutesAgo(10_000 - number * 60);
  return {
    id: `rs-${number}`,
    number,
    name: `cart-${number}`,
    target: false,
    current: false,
    live: false,
    serving: false,
    pods: { total: 0, ready: 0 },
    images: [{ container: 'app', image: `registry.example/shop/cart:1.${number}.0` }],
    changeCause: null,
    causeInheritedFrom: null,
    createdAt,
    activations: [
      {
        number,
        from: createdAt,
        fromNotBefore: null,
        fromNotAfter: null,
        to: minutesAgo(10_000 - (number + 1) * 60),
        open: false,
        record: null,
      },
    ],
    summary: `image 1.${number - 1}.0 → 1.${number}.0`,
    risks: 0,
    restart: false,
    retained: true,
    archived: null,
    prunedNext: false,
    alsoNumbers: [],
    duplicateOf: null,
    sharesNumber: false,
    explanation: null,
    writer: null,
    ...overrides,
  };
}

/** The target again: formerly revision 3, renumbered to 7 by a rollback at an unknown time. */
export function sampleRenumbered(overrides: Partial<RevisionItem> = {}): RevisionItem {
  const unknown = {
    from: null,
    fromNotBefore: null,
    fromNotAfter: null,
    to: null,
    open: false,
    record: null,
  };
  return sampleRevision(7, {
    id: 'a',
    target: true,
    live: true,
    alsoNumbers: [3],
    createdAt: minutesAgo(40_000),
    activations: [
      { ...unknown, number: 3, from: minutesAgo(40_000) },
      { ...unknown, number: 7, fromNotBefore: minutesAgo(60), fromNotAfter: minutesAgo(26), open: true },
    ],
    ...overrides,
  });
}

/** Of the image of the container `app`, from 1 to 2. */
export function sampleChange(overrides: Partial<ChangeItem> = {}): ChangeItem {
  return {
    path: 'spec.containers[app].image',
    kind: 'changed',
    before: null,
    after: null,
    concern: 'image',
    container: 'app',
    containerKind: 'container',
    label: 'image',
    note: null,
    beforeText: '1',
    afterText: '2',
    restarts: true,
    risk: null,
    echo: null,
    ...overrides,
  };
}

/** From revision 42 to 43. */
export function sampleDiff(overrides: Partial<Diff> = {}): Diff {
  return {
    equal: false,
    rawEqual: false,
    summary: 'image 1 → 2',
    restartOnly: false,
    reverts: null,
    explanation: null,
    changes: [sampleChange()],
    tooLarge: null,
    noise: [],
    from: { label: '42', ref: 'a', revisionId: 'a', number: 42 },
    to: { label: '43', ref: 'b', revisionId: 'b', number: 43 },
    yaml: null,
    ...overrides,
  };
}

/** Revisions 5 (the target) to 3 of a Deployment. */
export function sampleDetail(
  overrides: Partial<Omit<WorkloadDetail, 'workload'>> & {
    workload?: Partial<WorkloadDetail['workload']>;
  } = {},
): WorkloadDetail {
  const { workload, ...rest } = overrides;
  return {
    observedAt: minutesAgo(0),
    stale: false,
    workload: {
      ...sampleItem(),
      seen: 'seen',
      sentence: 'All 3 pods run revision 5 and are ready.',
      strategy: 'RollingUpdate',
      paused: false,
      replicas: 3,
      partition: null,
      partitionKeeps: null,
      revisionHistoryLimit: 10,
      generation: 5,
      observedGeneration: 5,
      deletedAt: null,
      blockers: [],
      conditions: [],
      owners: [],
      controls: [{ action: 'rollback', enabled: true, reason: null }],
      defaultTarget: { id: 'rs-4', number: 4, why: 'outcome unknown' },
      kubectlStatus: 'deployment "cart" successfully rolled out',
      links: [],
      annotations: {},
      rollout: null,
      ...workload,
    },
    revisions: [
      sampleRevision(5, {
        target: true,
        current: true,
        live: true,
        serving: true,
        pods: { total: 3, ready: 3 },
      }),
      sampleRevision(4),
      sampleRevision(3),
    ],
    orphans: [],
    gaps: [],
    incarnations: [],
    warnings: [],
    partial: [],
    ...rest,
  };
}

/** A ready pod of revision 5. */
export function samplePod(overrides: Partial<PodItem> = {}): PodItem {
  return {
    uid: 'pod-1',
    name: 'cart-5-1',
    revision: 5,
    revisionId: 'rs-5',
    target: true,
    node: 'worker-1',
    ip: '10.0.0.1',
    phase: 'Running',
    ready: true,
    readyAt: minutesAgo(99),
    createdAt: minutesAgo(100),
    startedAt: minutesAgo(100),
    deletedAt: null,
    restarts: 0,
    images: [{ container: 'app', image: 'registry.example/shop/cart:1.5.0' }],
    block: null,
    links: [],
    ...overrides,
  };
}

export function sampleEvent(overrides: Partial<EventItem> = {}): EventItem {
  return {
    id: 'event-1',
    type: 'Warning',
    reason: 'BackOff',
    message: 'Back-off restarting failed container',
    count: 3,
    first: minutesAgo(20),
    last: minutesAgo(1),
    object: { kind: 'Pod', name: 'cart-5-1' },
    revision: 5,
    revisionId: 'rs-5',
    ...overrides,
  };
}
