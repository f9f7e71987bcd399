import type { Action, ArchivedAction } from '@/lib/api/action';
import type { ActionQuery } from '@/server/archive/actions';
import { hour } from '@/server/archive/testing/samples';
import type { ReviewEntry } from '@/lib/api/activity-event';

/** A rollback this many hours after the start of the samples, done a minute later. */
export function sampleAction(
  number: number,
  change: Partial<Action> = {},
  more: Partial<ArchivedAction> = {},
): ArchivedAction {
  return {
    at: hour(number + 1 / 60),
    action: {
      id: `action-${number}`,
      cluster: 'prod',
      action: 'rollback',
      resource: 'deployments.apps',
      namespace: 'shop',
      name: 'cart',
      uid: 'uid-cart',
      actor: 'ann',
      reason: 'errors rose',
      from: number,
      to: number - 1,
      fromId: `uid-cart-rs-${number}`,
      toId: `uid-cart-rs-${number - 1}`,
      toOrigin: 'cluster',
      toHash: null,
      step: null,
      rollout: null,
      state: 'done',
      startedAt: hour(number),
      endedAt: hour(number + 1 / 60),
      message: 'Every pod is ready.',
      recordedAs: null,
      progress: null,
      ...change,
    },
    code: null,
    apiMessage: null,
    identity: null,
    origin: null,
    fromHash: null,
    findings: [],
    idempotencyKey: null,
    ...more,
  };
}

/** Matches every sample. */
export const anyAction: ActionQuery = { clusters: ['prod'], limit: 50 };

/** A line of the audit file without an action. */
export const sampleReview: ReviewEntry = {
  at: '2026-08-01T12:00:00Z',
  event: 'pin',
  by: { id: 'user:ana', name: 'ana' },
  record: 'uid-cart.1',
  workload: {
    cluster: 'prod',
    resource: 'deployments.apps',
    namespace: 'shop',
    name: 'cart',
    uid: 'uid-cart',
  },
  verdict: null,
  comment: null,
  code: null,
  origin: null,
  idempotencyKey: null,
};
