import 'server-only';
import { type ActionName } from '@/lib/api/action-values';
import { type ActionsContext } from '@/server/actions/context';
import { type ActionResponse } from '@/server/actions/strategy';
import { withTimeout } from '@/server/archive/with-timeout';
import { type WorkloadName } from '@/server/reads/find-workload';
import { bodyMismatch } from '@/server/shared/idempotency-store';
import { isSameKey, requestFacts } from '@/server/shared/request-facts';
import { type Viewer } from '@/server/shared/viewer';

/** As long as a process caches its own answers. */
const IDEMPOTENCY_TTL_MS = 24 * 60 * 60 * 1000;
const ACTIONS_MAX = 200;

/**
 * The answer to a repeated request: the action that its `Idempotency-Key` has already started, through another process
 * on the archive or before a restart. The first answer had the plan and the difference; now the state of the action
 * counts. Undefined where there is none, or the archive does not answer: then only the precondition prevents a second
 * execution. Throws AppError `idempotency_mismatch` where the key was used for another request.
 */
export async function replay(
  { archive, cluster, keys, now }: ActionsContext,
  viewer: Viewer,
  kind: ActionName,
  { namespace }: WorkloadName,
): Promise<ActionResponse | undefined> {
  const { idempotencyKey: key } = requestFacts();
  const opened = archive();
  if (key === null || opened === null) return undefined;
  const pendingPage = opened.actions.list({
    clusters: [cluster.identity.id],
    namespace,
    actor: keys.mask.text(viewer.name),
    kinds: [kind],
    sinceMs: now() - IDEMPOTENCY_TTL_MS,
    limit: ACTIONS_MAX,
  });
  const { items } = await withTimeout(pendingPage).catch(() => ({ items: [] }));
  const first = items.find((item) => isSameKey(item.idempotencyKey ?? '', key));
  // A rejected request can be sent again.
  if (first === undefined || first.code !== null || first.action.state === 'refused') return undefined;
  if (first.idempotencyKey !== key) throw bodyMismatch();
  const { id, state } = first.action;
  return {
    plan: null,
    findings: [],
    diff: null,
    applied: true,
    result: { actionId: id, state },
    toSeen: null,
    dryRun: null,
    revision: null,
  };
}
