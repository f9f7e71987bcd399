import type { RecordAnswer } from '@/lib/api/records';
import type { RolloutRecord } from '@/lib/api/record';

/** The current time of all record samples. */
export const recordsNowMs = Date.parse('2026-09-17T12:32:00Z');

/** A time that many minutes before it. */
export function minutesAgo(minutes: number): string {
  return new Date(recordsNowMs - minutes * 60_000).toISOString();
}

/** A rollout of shop/cart from revision 4 to revision 5 that took two minutes and completed. */
export function sampleRecord(id: string, overrides: Partial<RolloutRecord> = {}): RolloutRecord {
  return {
    id,
    workload: {
      cluster: 'cluster',
      resource: 'deployments.apps',
      kind: 'Deployment',
      namespace: 'shop',
      name: 'cart',
      uid: 'uid-cart',
      labels: { app: 'cart', 'app.kubernetes.io/part-of': 'storefront' },
    },
    activation: 5,
    from: { number: 4, id: 'rs-4', hash: 'hash-4' },
    to: { number: 5, id: 'rs-5', hash: 'hash-5' },
    others: [],
    startedAt: minutesAgo(62),
    startedNotAfter: null,
    endedAt: minutesAgo(60),
    outcome: 'completed',
    unwatched: [],
    actor: { name: 'kubectl', source: 'managedFields', manager: 'kubectl-set' },
    actionId: null,
    cause: 'faster checkout',
    summary: 'app: image 1.4.0 → 1.5.0',
    restart: false,
    images: [{ container: 'app', image: 'registry.example/shop/cart:1.5.0' }],
    strategy: 'RollingUpdate',
    desiredPods: 3,
    steps: [
      {
        index: 1,
        name: 'wave 1',
        kind: 'wave',
        planned: '3 of 3 pods',
        startedAt: minutesAgo(62),
        endedAt: minutesAgo(60),
        state: 'completed',
        pods: [
          {
            name: 'cart-5-a',
            uid: 'pod-a',
            ip: '10.0.0.7',
            node: 'node-1',
            readyAt: minutesAgo(61),
            restarts: 0,
          },
        ],
        removed: [],
      },
    ],
    progressiveRollout: null,
    spans: [],
    samples: [],
    events: [],
    pinned: false,
    ...overrides,
  };
}

/** The same rollout as the API returns it to a page, without a verdict. */
export function sampleRecordAnswer(overrides: Partial<RecordAnswer> = {}): RecordAnswer {
  const { workload, ...record } = sampleRecord('r1');
  const { labels, ...identity } = workload;
  return {
    ...record,
    workload: identity,
    labels,
    others: [],
    unwatched: [],
    images: [...record.images],
    steps: record.steps.map((step) => ({ ...step, pods: [...step.pods], removed: [...step.removed] })),
    progressiveRollout: null,
    spans: [],
    samples: [],
    events: [],
    rolloutHistories: [],
    owners: [],
    neighbours: { previous: null, next: null },
    revertedBy: null,
    reverts: null,
    hidden: [],
    review: {
      version: 0,
      verdict: null,
      by: null,
      at: null,
      followUp: null,
      history: [],
      comments: [],
    },
    diff: null,
    diffNote: 'The templates have expired.',
    refusals: { reviews: null, comments: null, pins: null },
    ...overrides,
  };
}
