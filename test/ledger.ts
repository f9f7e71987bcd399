import { type RecordAnswer } from '@/lib/api/records';
import { type RolloutRecord } from '@/lib/ledger/record';

/** The present of all samples of the ledger. */
export const ledgerNowMs = Date.parse('2026-09-17T12:32:00Z');

/** A time so many minutes before it. */
export function ago(minutes: number): string {
  return new Date(ledgerNowMs - minutes * 60_000).toISOString();
}

/** A rollout of shop/cart from 4 to 5 that took two minutes and completed. */
export function sampleRecord(id: string, given: Partial<RolloutRecord> = {}): RolloutRecord {
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
    startedAt: ago(62),
    startedNotAfter: null,
    endedAt: ago(60),
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
        startedAt: ago(62),
        endedAt: ago(60),
        state: 'completed',
        pods: [
          {
            name: 'cart-5-a',
            uid: 'pod-a',
            ip: '10.0.0.7',
            node: 'node-1',
            readyAt: ago(61),
            restarts: 0,
          },
        ],
        removed: [],
      },
    ],
    release: null,
    spans: [],
    samples: [],
    events: [],
    pinned: false,
    ...given,
  };
}

/** The same rollout as the API gives it to a page, nobody having given a verdict. */
export function sampleRecordAnswer(given: Partial<RecordAnswer> = {}): RecordAnswer {
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
    release: null,
    spans: [],
    samples: [],
    events: [],
    rolloutHistories: [],
    neighbours: { previous: null, next: null },
    revertedBy: null,
    takesBack: null,
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
    ...given,
  };
}
