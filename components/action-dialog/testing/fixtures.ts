import type { Action } from '@/lib/api/action';
import type { ActionAnswer } from '@/lib/api/actions';
import type { ChangeItem, Diff } from '@/lib/api/diff';
import type { WorkloadDetail } from '@/lib/api/workloads';
import type { RevisionItem } from '@/lib/api/revisions';
import { sampleChange, sampleDetail, sampleDiff, sampleRevision } from '@/test/samples';

/** Answers of the API for the tests of this folder. */
export function answer(change: Partial<ActionAnswer> = {}): ActionAnswer {
  return {
    plan: {
      action: 'rollback',
      title: 'Roll back to rev 42 (2.18.3)',
      steps: ['The ReplicaSet of 42 grows from 9 to 12 pods.'],
      stays: ['12 replicas stay.'],
      kubectl: 'kubectl rollout undo deployment/checkout -n shop --to-revision=42',
      request: { method: 'PATCH', path: '/apis/apps/v1/namespaces/shop/deployments/checkout', body: [] },
    },
    findings: [
      { severity: 'passed', code: 'permission', message: 'You may patch deployments in shop', action: null },
    ],
    diff: diff(),
    applied: false,
    result: null,
    toSeen: 'to-42',
    dryRun: { accepted: true, message: 'writes spec.template only', at: '2026-09-17T12:32:06Z' },
    revision: { id: 'rs-42', number: 42, origin: 'cluster', prunedAt: null, recordedAt: null },
    ...change,
  };
}

export function diff(change: Partial<Diff> = {}): Diff {
  return sampleDiff({
    summary: 'image 2.19.0 → 2.18.3',
    changes: [changed('image', '2.19.0', '2.18.3')],
    from: { label: 'now', ref: 'live', revisionId: 'rs-43', number: 43 },
    to: { label: '42', ref: 'rs-42', revisionId: 'rs-42', number: 42 },
    ...change,
  });
}

export function changed(label: string, before: string, after: string): ChangeItem {
  const texts = { before, after, beforeText: before, afterText: after };
  return sampleChange({ path: `spec.containers[app].${label}`, label, ...texts });
}

export function revision(number: number, change: Partial<RevisionItem> = {}): RevisionItem {
  return sampleRevision(number, {
    name: `checkout-${number}`,
    images: [{ container: 'app', image: `shop/checkout:2.${number}.0` }],
    createdAt: '2026-09-17T12:06:00Z',
    activations: [],
    summary: null,
    ...change,
  });
}

/** The workload checkout, stalled at revision 43, with revision 42 still available. */
export function detail(change: Partial<WorkloadDetail['workload']> = {}, targetNumber = 43): WorkloadDetail {
  const target = revision(targetNumber, {
    target: true,
    current: true,
    live: true,
    pods: { total: 6, ready: 0 },
  });
  return sampleDetail({
    observedAt: '2026-09-17T12:32:00Z',
    workload: {
      cluster: 'prod-eu',
      name: 'checkout',
      uid: 'uid-checkout',
      state: 'stuck',
      message: 'none of 6 pods ready',
      since: '2026-09-17T12:06:00Z',
      targetRevision: targetNumber,
      targetId: target.id,
      revisions: { total: 3, live: 2 },
      pods: {
        desired: 12,
        ready: 9,
        byRevision: [
          { revision: targetNumber, id: target.id, target: true, pods: 6, ready: 0 },
          { revision: 42, id: 'rs-42', target: false, pods: 9, ready: 9 },
        ],
      },
      images: target.images,
      lastRollout: null,
      createdAt: '2026-08-01T00:00:00Z',
      labels: {},
      seen: `seen-${targetNumber}`,
      sentence: 'None of the 6 pods has become ready.',
      replicas: 12,
      generation: 1,
      observedGeneration: 1,
      controls: [],
      defaultTarget: { id: 'rs-42', number: 42, why: 'still serves with 9 ready pods' },
      kubectlStatus: '',
      ...change,
    },
    revisions: [
      target,
      revision(42, { live: true, serving: true, pods: { total: 9, ready: 9 } }),
      revision(41),
    ],
  });
}

export function action(change: Partial<Action> = {}): Action {
  return {
    id: 'a1',
    cluster: 'prod-eu',
    action: 'rollback',
    resource: 'deployments.apps',
    namespace: 'shop',
    name: 'checkout',
    uid: 'uid-checkout',
    actor: 'mira',
    reason: '',
    from: 43,
    to: 42,
    fromId: 'rs-43',
    toId: 'rs-42',
    toOrigin: 'cluster',
    toHash: null,
    step: null,
    rollout: null,
    state: 'following',
    startedAt: '2026-09-17T12:32:58Z',
    endedAt: null,
    message: '11 of 12 pods ready on 44',
    recordedAs: 44,
    progress: { desired: 12, updated: 12, ready: 11 },
    ...change,
  };
}
