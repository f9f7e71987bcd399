import 'server-only';
import { type Action } from '@/lib/api/actions';
import { type Activity, type ActivityQuery } from '@/lib/api/activity';
import { AppError } from '@/lib/errors';
import { type Keys } from '@/server/keys';
import { maskText } from '@/server/mask';
import { type ReadContext } from '@/server/reads/context';
import { recordRights } from '@/server/reads/ledger';
import { type Viewer } from '@/server/viewer';

/** What was done through Shiplog to workloads that the viewer may see: `actions` newest first, filtered and paged. */
export async function listActivity(
  context: ReadContext,
  viewer: Viewer,
  actions: readonly Action[],
  query: ActivityQuery,
): Promise<Activity> {
  const mayRead = recordRights(context, viewer);
  const allowed = await Promise.all(actions.map((action) => mayRead(action)));
  const words = (query.q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const matching = actions
    .filter((action, index) => allowed[index] && passes(action, query))
    .map((action) => masked(action, context.keys))
    .filter((action) => words.every((word) => textOf(action).includes(word)));
  const start = startOf(matching, query.cursor);
  const items = matching.slice(start, start + query.limit);
  const hasMore = start + items.length < matching.length;
  return { items, nextCursor: hasMore ? (items.at(-1)?.id ?? null) : null };
}

function passes(action: Action, { namespace, state }: ActivityQuery): boolean {
  if (namespace !== undefined && action.namespace !== namespace) return false;
  return state === undefined || action.state === state;
}

/** The search runs over what is shown: a masked value can't be found by guessing it. */
function masked(action: Action, keys: Keys): Action {
  return { ...action, reason: maskText(action.reason, keys), message: maskText(action.message, keys) };
}

function textOf({ action, resource, namespace, name, actor, reason, message }: Action): string {
  return [action, resource, namespace, name, actor, reason, message].join('\n').toLowerCase();
}

/** A cursor is the id of the last action seen: newer ones that came meanwhile repeat nothing. */
function startOf(actions: readonly Action[], cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const index = actions.findIndex(({ id }) => id === cursor);
  if (index !== -1) return index + 1;
  throw new AppError(
    'bad_request',
    'cursor: what it points at is no longer at hand. Start again without one.',
    {
      field: 'cursor',
    },
  );
}
