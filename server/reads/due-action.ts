import 'server-only';
import type { Answer } from '@/lib/api/common';
import type { workloadItemSchema } from '@/lib/api/workloads';
import { AppError } from '@/lib/errors';
import { systemOf } from '@/lib/rollout/systems/table';
import { kindOf } from '@/lib/workloads/kinds/table';
import { isUnreachable } from '@/server/cluster/api-errors';
import type { ReadContext } from '@/server/views/context';
import { filterAllowed } from '@/server/views/rights';
import type { Viewer } from '@/server/shared/viewer';

type Item = Answer<typeof workloadItemSchema>;

/** The items without the actions that the viewer can't do. */
export async function withAllowedActions(
  context: ReadContext,
  viewer: Viewer,
  items: readonly Item[],
): Promise<Item[]> {
  const due = items.filter(({ dueAction }) => dueAction !== undefined && dueAction.action !== 'open');
  if (due.length === 0) return [...items];
  const allowed = new Set(
    context.config.readOnly === true ? [] : await filterAllowed(due, (item) => mayAct(context, viewer, item)),
  );
  return items.map((item) => {
    if (item.dueAction === undefined || item.dueAction.action === 'open' || allowed.has(item)) return item;
    const { dueAction: _, ...rest } = item;
    return rest;
  });
}

async function mayAct({ cluster }: ReadContext, viewer: Viewer, item: Item): Promise<boolean> {
  const right = rightOf(cluster, item);
  if (right === null) return false;
  try {
    const { name: _, ...anyOfNamespace } = right;
    return (await cluster.access.can(viewer, anyOfNamespace)).allowed;
  } catch (error) {
    // Nothing can be written then.
    if (error instanceof AppError && isUnreachable(error)) return false;
    throw error;
  }
}

function rightOf({ rollouts }: ReadContext['cluster'], { dueAction, ...item }: Item) {
  const ref = dueAction?.rollout;
  if (dueAction !== undefined && dueAction.action !== 'open' && ref != null) {
    const object = rollouts.rollout(ref.resource, ref.namespace, ref.name);
    const right = object && systemOf(ref.resource)?.rightOf(object, dueAction.action);
    if (right != null) return right;
  }
  const type = kindOf(item.resource)?.resource;
  if (type === undefined) return null;
  return {
    verb: 'patch',
    group: type.group,
    resource: type.plural,
    namespace: item.namespace,
    name: item.name,
  };
}
