import type { ActivityItem } from '@/lib/api/activity';

/** A completed rollback of shop/cart by ann. */
export function sampleActivityItem(change: Partial<ActivityItem> = {}): ActivityItem {
  return {
    id: 'a1',
    cluster: 'c',
    action: 'rollback',
    resource: 'deployments.apps',
    namespace: 'shop',
    name: 'cart',
    uid: 'u',
    actor: 'ann',
    reason: 'errors rose',
    from: 5,
    to: 4,
    fromId: null,
    toId: null,
    toOrigin: 'cluster',
    toHash: null,
    step: null,
    rollout: null,
    state: 'done',
    startedAt: '2026-03-02T09:00:00Z',
    endedAt: null,
    message: 'Every pod is ready.',
    recordedAs: null,
    progress: null,
    identity: null,
    code: null,
    apiMessage: null,
    findings: [],
    recordId: null,
    ...change,
  };
}
