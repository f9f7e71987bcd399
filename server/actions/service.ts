import 'server-only';
import { randomUUID } from 'node:crypto';
import type { ActionName, RolloutActionName } from '@/lib/api/action-values';
import { latestActions, listActions, ownsAction, readAction } from '@/server/actions/action-list';
import { Attempt } from '@/server/actions/attempt';
import type { ActionsContext } from '@/server/actions/context';
import { control } from '@/server/actions/control';
import { Follower } from '@/server/actions/follower';
import { perform } from '@/server/actions/pipeline';
import { Refusals } from '@/server/audit/refusals';
import { releaseFields } from '@/server/actions/release-fields';
import { type ParsedRollback, rollback } from '@/server/actions/rollback';
import { type ParsedRolloutRequest, rolloutAction } from '@/server/actions/rollout-action';
import type { Confirmed, ActionResponse, Strategy } from '@/server/actions/strategy';
import type { WorkloadName } from '@/server/views/find-workload';
import { assertCanWrite, type Viewer } from '@/server/shared/viewer';
import { withTimeout } from '@/server/archive/with-timeout';
import { bodyMismatch } from '@/server/shared/idempotency-store';
import { isSameKey, requestFacts } from '@/server/shared/request-facts';

/** Each action is rejected, or answered with its plan (`dryRun`) or as accepted. */
export type Actions = ReturnType<typeof createActions>;

export type ActionsOptions = Omit<ActionsContext, 'now' | 'newId' | 'refusals' | 'whenArchived' | 'hubsOf'> &
  Partial<ActionsContext>;

export function createActions(options: ActionsOptions) {
  const context: ActionsContext = {
    now: Date.now,
    newId: randomUUID,
    refusals: new Refusals(options.audit),
    whenArchived: () => Promise.resolve(),
    hubsOf: () => [],
    ...options,
  };
  const follower = new Follower(context);

  /** The audit has every attempt, other than a dry run, that fails. */
  async function act<Request extends Confirmed>(
    viewer: Viewer,
    action: ActionName,
    ref: WorkloadName,
    request: Request,
    strategy: Strategy<Request>,
  ): Promise<ActionResponse> {
    assertCanWrite(viewer);
    const repeated = request.dryRun ? undefined : await replay(context, viewer, action, ref);
    if (repeated !== undefined) return repeated;
    const attempt = new Attempt(context, viewer, action, ref, request);
    try {
      return await perform({ context, follower, viewer, ref, request, attempt }, strategy);
    } catch (error) {
      throw request.dryRun ? error : attempt.fail(error);
    }
  }

  return {
    rollback: (viewer: Viewer, ref: WorkloadName, request: ParsedRollback) =>
      act(viewer, 'rollback', ref, request, rollback),
    control: (
      viewer: Viewer,
      ref: WorkloadName,
      action: 'pause' | 'resume' | 'restart',
      request: Confirmed,
    ) => act(viewer, action, ref, request, control(action)),
    partition: (viewer: Viewer, ref: WorkloadName, request: Confirmed & { to: number }) =>
      act(viewer, 'partition', ref, request, control('partition', { partition: request.to })),
    deletePod: (viewer: Viewer, ref: WorkloadName, name: string, request: Confirmed & { uid: string }) => {
      const pod = { name, uid: request.uid };
      return act(viewer, 'deletePod', ref, request, control('deletePod', { pod }));
    },
    releaseFields: (viewer: Viewer, ref: WorkloadName, request: Confirmed) =>
      act(viewer, 'releaseFields', ref, request, releaseFields),
    /** On a rollout of any system. */
    rollout: (viewer: Viewer, ref: WorkloadName, action: RolloutActionName, request: ParsedRolloutRequest) =>
      act(viewer, action, ref, request, rolloutAction(action)),
    /** The current state of an action; 403 for a viewer who is not allowed to read its workload. */
    get: (viewer: Viewer, id: string) => readAction(context, follower, viewer, id),
    /** Whether the action was on an object of this cluster. */
    owns: (id: string) => ownsAction(context, follower, id),
    /** The latest actions on a workload or rollout by its name, newest first; rejected and failed ones too. */
    list: (viewer: Viewer, ref: WorkloadName) => listActions(context, follower, viewer, ref),
    /** The latest actions on any workload of this cluster, newest first, without a check of the viewer's rights. */
    latest: () => latestActions(context, follower),
    /** Follows the actions that were open when the process ended. Call it once, at the start. */
    resume: () => follower.resume(),
    stop: () => {
      follower.stop();
      context.refusals.stop();
    },
  };
}

/** As long as a process caches its own answers. */
const IDEMPOTENCY_TTL_MS = 24 * 60 * 60 * 1000;
const ACTIONS_MAX = 200;

/**
 * The answer to a repeated request: the action that its `Idempotency-Key` has already started, through another process
 * on the archive or before a restart. The first answer had the plan and the difference; now the state of the action
 * counts. Undefined where there is none, or the archive does not answer: then only the precondition prevents a second
 * execution. Throws AppError `idempotency_mismatch` where the key was used for another request.
 */
async function replay(
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
