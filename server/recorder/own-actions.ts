import 'server-only';
import { type OwnAction } from '@/lib/ledger/observation';
import { type Audit } from '@/server/audit';
import { type Keys } from '@/server/keys';

/** With what stands for the template that it returned to; null or absent for a restart. */
export interface AuditedAction extends OwnAction {
  toHash?: string | null;
}

/** The actions through Shiplog that may have begun a rollout of the workload with this uid. */
export function ownActions(audit: Pick<Audit, 'actions'>, uid: string): AuditedAction[] {
  return audit
    .actions()
    .filter(
      (action) =>
        action.uid === uid &&
        (action.action === 'rollback' || action.action === 'restart') &&
        // One whose write got no answer may have been done after all.
        (action.unanswered === true || (action.state !== 'refused' && action.state !== 'failed')),
    )
    .map(({ id, actor, reason, startedAt, action, toId, toHash }) => ({
      id,
      actor,
      reason,
      startedAt,
      toId: action === 'rollback' ? toId : null,
      toHash: action === 'rollback' ? toHash : null,
    }));
}

/**
 * The action as it shows in these revisions: one that the cluster no longer had comes back under another id, and is
 * known by its template.
 */
export function asCarried(
  { toHash, ...action }: AuditedAction,
  revisions: readonly { id: string; hash: string }[],
  keys: Pick<Keys, 'template'>,
): OwnAction {
  const isThere = revisions.some(({ id }) => id === action.toId);
  if (action.toId === null || toHash == null || isThere) return action;
  const carrier = revisions.find(({ hash }) => keys.template(hash) === toHash);
  return { ...action, toId: carrier?.id ?? action.toId };
}
