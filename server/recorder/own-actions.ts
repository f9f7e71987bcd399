import 'server-only';
import type { Action } from '@/lib/api/action';
import type { ShiplogAction } from '@/lib/records/observation';
import type { TemplateFacts, Workload } from '@/lib/history/workload';
import { templateKey } from '@/server/actions/template-key';
import type { ClusterCache } from '@/server/cluster/cache';
import type { Keys } from '@/server/shared/keys';

/** As the audit stores it: id and keys of the target template, null for a restart. */
export interface AuditedAction
  extends Omit<ShiplogAction, 'reason' | 'to'>, Pick<Action, 'uid' | 'toId' | 'toStored'> {
  /** Unmasked. */
  reason: string;
  toHash?: string | null;
}

/** A template of the workload, as a revision has it or as it is pending. */
interface KnownTemplate {
  id: string | null;
  hash: string;
  facts: Pick<TemplateFacts, 'semanticId'>;
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
    .map(({ id, uid, actor, reason, startedAt, action, toId, toHash, toStored }) => ({
      id,
      uid,
      actor,
      reason,
      startedAt,
      toId: action === 'rollback' ? toId : null,
      toHash: action === 'rollback' ? toHash : null,
      toStored,
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
  const templateOwner = cache.kindOf(resource)?.template?.owner?.(actedWorkload) ?? null;
  return templateOwner?.resource.id === candidate.resource && templateOwner.name === candidate.name;
}

/**
 * The action as these templates show it. One that admission changed is the target under the id of the result; one that
 * the cluster no longer had returns under another id, or under none so far, and is recognized by its template.
 */
export function resolveActionTarget(
  { uid, toId, toHash, toStored, ...action }: AuditedAction,
  templates: readonly KnownTemplate[],
  keys: Pick<Keys, 'template' | 'preconditionToken'>,
): Omit<ShiplogAction, 'reason'> {
  if (toId === null) return { ...action, to: null };
  const requested = templates.find(({ id }) => id === toId);
  const isStored = ({ facts: { semanticId } }: KnownTemplate) =>
    templateKey(keys, { uid, semanticId }) === toStored;
  const stored =
    toStored === undefined || (requested !== undefined && isStored(requested))
      ? requested
      : templates.find(isStored);
  const match =
    stored ?? requested ?? templates.find(({ hash }) => toHash != null && keys.template(hash) === toHash);
  return { ...action, to: { id: stored?.id ?? toId, hash: match?.hash ?? null } };
}
