import 'server-only';
import { type Action } from '@/lib/api/action';
import { type ShiplogAction } from '@/lib/records/observation';
import { type Workload } from '@/lib/history/workload';
import { type ClusterCache } from '@/server/cluster/cache';
import { type Keys } from '@/server/shared/keys';

/** As the audit stores it: id and keyed hash of the target template, null for a restart. */
export interface AuditedAction extends Omit<ShiplogAction, 'reason' | 'to'> {
  /** Unmasked. */
  reason: string;
  toId: string | null;
  toHash?: string | null;
}

type TemplateOwner = Pick<Workload, 'uid' | 'resource' | 'namespace' | 'name'>;

/**
 * The actions through Shiplog that may have begun a rollout of the workload, by writing it or another workload that
 * contains its template.
 */
export function ownActions(
  actions: readonly Action[],
  cache: Pick<ClusterCache, 'workload' | 'kindOf'>,
  workload: TemplateOwner,
): AuditedAction[] {
  return actions
    .filter(
      (action) =>
        (action.action === 'rollback' || action.action === 'restart') &&
        // One whose write got no answer may have succeeded.
        (action.unanswered === true || (action.state !== 'refused' && action.state !== 'failed')) &&
        (action.uid === workload.uid || isTemplateOwnerOf(cache, action, workload)),
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

/** Whether the workload of the action contains the template that this one rolls out. */
function isTemplateOwnerOf(
  cache: Pick<ClusterCache, 'workload' | 'kindOf'>,
  { uid, resource, namespace, name }: Action,
  candidate: TemplateOwner,
): boolean {
  if (namespace !== candidate.namespace) return false;
  const actedWorkload = cache.workload(resource, namespace, name);
  if (actedWorkload?.uid !== uid) return false;
  const templateOwner = cache.kindOf(resource)?.templateOwner?.(actedWorkload) ?? null;
  return templateOwner?.resource.id === candidate.resource && templateOwner.name === candidate.name;
}

/**
 * The action as these templates show it: one that the cluster no longer had returns under another id, or under none so
 * far, and is recognized by its template.
 */
export function resolveActionTarget(
  { toId, toHash, ...action }: AuditedAction,
  templates: readonly { id: string | null; hash: string }[],
  keys: Pick<Keys, 'template'>,
): Omit<ShiplogAction, 'reason'> {
  if (toId === null) return { ...action, to: null };
  const own = templates.find(({ id }) => id === toId);
  const match = own ?? templates.find(({ hash }) => toHash != null && keys.template(hash) === toHash);
  return { ...action, to: { id: toId, hash: match?.hash ?? null } };
}
