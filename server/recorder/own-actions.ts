import 'server-only';
import { type OwnAction } from '@/lib/ledger/observation';
import { type Audit } from '@/server/audit';

/** The actions through Shiplog that may have begun a rollout of the workload with this uid. */
export function ownActions(audit: Pick<Audit, 'actions'>, uid: string): OwnAction[] {
  return audit
    .actions()
    .filter(
      (action) =>
        action.uid === uid &&
        (action.action === 'rollback' || action.action === 'restart') &&
        action.state !== 'refused' &&
        action.state !== 'failed',
    )
    .map(({ id, actor, reason, startedAt, action, toId }) => ({
      id,
      actor,
      reason,
      startedAt,
      toId: action === 'rollback' ? toId : null,
    }));
}
