import 'server-only';
import { type Action, type ActionAnswer } from '@/lib/api/actions';
import { type ActionName } from '@/lib/workloads/plan';
import { type ActionsContext } from '@/server/actions/context';
import { type ListedAction } from '@/server/archive/archive';
import { inTime } from '@/server/reads/in-time';
import { type WorkloadRef } from '@/server/reads/find';
import { otherBody } from '@/server/repeated-answers';
import { isSameKey, requestFacts } from '@/server/request-facts';
import { type Viewer } from '@/server/viewer';

/** As long as a process keeps its own answers. */
const KEPT_MS = 24 * 60 * 60 * 1000;
const ACTIONS_MAX = 200;

/** An action that has begun. */
type Begun = Omit<Action, 'state'> & { state: Exclude<Action['state'], 'refused'> };

/**
 * The action that the `Idempotency-Key` of this request has begun already, through another process on the archive or before
 * a restart. Undefined where there is none, or the archive does not answer: then the precondition alone keeps it from being
 * done twice. Throws AppError `idempotency_mismatch` where something else was asked for with the key.
 */
export async function firstOf(
  { archive, cluster, now }: ActionsContext,
  viewer: Viewer,
  kind: ActionName,
  { namespace }: WorkloadRef,
): Promise<Begun | undefined> {
  const { idempotencyKey: key } = requestFacts();
  const opened = archive();
  if (key === null || opened === null) return undefined;
  const asked = opened.actions({
    ...{ cluster: cluster.identity.id, namespace, actor: viewer.name, kinds: [kind], states: null },
    ...{ resource: null, name: null, sinceMs: now() - KEPT_MS, untilMs: null },
    ...{ limit: ACTIONS_MAX, cursor: null },
  });
  const { items } = await inTime(asked).catch(() => ({ items: [] }));
  const first = items.find((item) => isSameKey(item.idempotencyKey ?? '', key));
  const begun = first === undefined ? undefined : begunOf(first);
  if (begun !== undefined && first?.idempotencyKey !== key) throw otherBody();
  return begun;
}

/** What was turned away may be asked again. */
function begunOf({ action, code }: ListedAction): Begun | undefined {
  const { state } = action;
  return state === 'refused' || code !== null ? undefined : { ...action, state };
}

/** The plan and the difference were told by the first answer; what has become of the action is what counts. */
export function repeatedAnswer({ id, state }: Begun): ActionAnswer {
  return {
    ...{ plan: null, findings: [], diff: null, applied: true, toSeen: null, dryRun: null, revision: null },
    result: { actionId: id, state },
  };
}
