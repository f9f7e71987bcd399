import 'server-only';
import { type Action } from '@/lib/api/actions';
import { type OwnAction } from '@/lib/ledger/observation';
import { type Workload } from '@/lib/workloads/workload';
import { type ClusterCache } from '@/server/cluster/cache';
import { type Keys } from '@/server/keys';

/** As it is written down: where it led is told by what stands for the template, null for a restart. */
export interface AuditedAction extends Omit<OwnAction, 'to'> {
  toId: string | null;
  toHash?: string | null;
}

type Holding = Pick<Workload, 'uid' | 'resource' | 'namespace' | 'name'>;

/** The actions through Shiplog that may have begun a rollout of the workload, by writing it or another that it holds the template of. */
export function ownActions(
  actions: readonly Action[],
  cache: Pick<ClusterCache, 'workload' | 'kindOf'>,
  workload: Holding,
): AuditedAction[] {
  return actions
    .filter(
      (action) =>
        (action.action === 'rollback' || action.action === 'restart') &&
        // One whose write got no answer may have been done after all.
        (action.unanswered === true || (action.state !== 'refused' && action.state !== 'failed')) &&
        (action.uid === workload.uid || isWrittenInto(cache, action, workload)),
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

/** Whether the workload of the action rolls out a template that stands in this one. */
function isWrittenInto(
  cache: Pick<ClusterCache, 'workload' | 'kindOf'>,
  { uid, resource, namespace, name }: Action,
  holding: Holding,
): boolean {
  if (namespace !== holding.namespace) return false;
  const acted = cache.workload(resource, namespace, name);
  if (acted?.uid !== uid) return false;
  const holder = cache.kindOf(resource)?.templateHolder?.(acted) ?? null;
  return holder?.resource.id === holding.resource && holder.name === holding.name;
}

/**
 * The action as it shows in these templates: one that the cluster no longer had comes back under another id, or under none
 * so far, and is known by its template.
 */
export function asCarried(
  { toId, toHash, ...action }: AuditedAction,
  templates: readonly { id: string | null; hash: string }[],
  keys: Pick<Keys, 'template'>,
): OwnAction {
  if (toId === null) return { ...action, to: null };
  const own = templates.find(({ id }) => id === toId);
  const carrier = own ?? templates.find(({ hash }) => toHash != null && keys.template(hash) === toHash);
  return { ...action, to: { id: toId, hash: carrier?.hash ?? null } };
}
