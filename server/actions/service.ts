import 'server-only';
import { randomUUID } from 'node:crypto';
import { type z } from 'zod';
import { type Answer } from '@/lib/api/common';
import { type Action, type actionSchema } from '@/lib/api/action';
import {
  type actionAnswerSchema,
  type controlRequestSchema,
  type partitionRequestSchema,
  type podDeleteRequestSchema,
} from '@/lib/api/actions';
import { AppError } from '@/lib/errors';
import { systemOf } from '@/lib/rollout/systems/table';
import { type ResourceType } from '@/lib/kube/resource';
import { type ActionKind, type ActionName, type RolloutActionName } from '@/lib/api/action-values';
import { type Cluster } from '@/server/cluster/cluster';
import { Attempt } from '@/server/actions/attempt';
import { type ActionsContext } from '@/server/actions/context';
import { type ControlDetails, type ControlKind, proposeControl } from '@/server/actions/control';
import { execute } from '@/server/actions/execute';
import { Follower } from '@/server/actions/follower';
import { readCurrentTemplate } from '@/server/actions/template-owner';
import { type CurrentWorkload, readCurrentWorkload } from '@/server/actions/current-workload';
import { type Proposal } from '@/server/actions/proposal';
import { type ParsedRollback, proposeRollback } from '@/server/actions/rollback';
import { findFirstAttempt, replayAnswer } from '@/server/actions/idempotent-replay';
import { Refusals } from '@/server/actions/refusals';
import { actOnRollout, type ParsedRolloutRequest } from '@/server/actions/rollout-actions';
import { templateHashOf } from '@/server/actions/template-hash';
import { assertConnected, connectedCluster } from '@/server/reads/connected-cluster';
import { requireKind, type WorkloadRef } from '@/server/reads/find-workload';
import { assertCan } from '@/server/reads/rights';
import { maskedAction } from '@/server/shared/masked-action';
import { assertCanWrite, type Viewer } from '@/server/shared/viewer';

type Parsed<S extends z.core.$ZodType> = z.output<S>;
type ParsedControl = Parsed<typeof controlRequestSchema>;

/** The actions on a workload. Each is rejected, or answered with its plan (`dryRun`) or as accepted. */
export interface Actions {
  rollback(
    viewer: Viewer,
    ref: WorkloadRef,
    request: ParsedRollback,
  ): Promise<Answer<typeof actionAnswerSchema>>;
  control(
    viewer: Viewer,
    ref: WorkloadRef,
    action: 'pause' | 'resume' | 'restart',
    request: ParsedControl,
  ): Promise<Answer<typeof actionAnswerSchema>>;
  partition(
    viewer: Viewer,
    ref: WorkloadRef,
    request: Parsed<typeof partitionRequestSchema>,
  ): Promise<Answer<typeof actionAnswerSchema>>;
  deletePod(
    viewer: Viewer,
    ref: WorkloadRef,
    pod: string,
    request: Parsed<typeof podDeleteRequestSchema>,
  ): Promise<Answer<typeof actionAnswerSchema>>;
  /** On a rollout of any system. */
  rollout(
    viewer: Viewer,
    ref: WorkloadRef,
    action: RolloutActionName,
    request: ParsedRolloutRequest,
  ): Promise<Answer<typeof actionAnswerSchema>>;
  /** The current state of an action; 403 for a viewer who is not allowed to read its workload. */
  get(viewer: Viewer, id: string): Promise<Answer<typeof actionSchema>>;
  /** The latest actions on a workload or rollout by its name, newest first; rejected and failed ones too. */
  list(viewer: Viewer, ref: WorkloadRef): Promise<Answer<typeof actionSchema>[]>;
  /** The latest actions on any workload, newest first, without a check of the viewer's rights. */
  latest(): Action[];
  /** Follows the actions that were open when the process ended. Call it once, at the start. */
  resume(): void;
  stop(): void;
}

export type ActionsOptions = Omit<ActionsContext, 'now' | 'newId' | 'refusals' | 'whenArchived'> &
  Partial<ActionsContext>;

/** How many actions of one workload a list returns. */
const LIST_MAX = 50;

export function createActions(options: ActionsOptions): Actions {
  const refusals = new Refusals(options.audit);
  const context: ActionsContext = {
    now: Date.now,
    newId: randomUUID,
    refusals,
    whenArchived: () => Promise.resolve(),
    ...options,
  };
  const follower = new Follower(context);

  /** The audit has every attempt, other than a dry run, that fails. */
  async function withAudit(
    viewer: Viewer,
    kind: ActionName,
    ref: WorkloadRef,
    request: { seen: string; reason: string; dryRun: boolean },
    perform: (attempt: Attempt) => Promise<Answer<typeof actionAnswerSchema>>,
  ): Promise<Answer<typeof actionAnswerSchema>> {
    assertCanWrite(viewer);
    const first = request.dryRun ? undefined : await findFirstAttempt(context, viewer, kind, ref);
    if (first !== undefined) return replayAnswer(first);
    const attempt = new Attempt(context, viewer, kind, ref, request);
    try {
      return await perform(attempt);
    } catch (error) {
      throw request.dryRun ? error : attempt.fail(error);
    }
  }

  function run(
    viewer: Viewer,
    kind: ActionKind,
    ref: WorkloadRef,
    request: { seen: string; reason: string; dryRun: boolean },
    propose: (current: CurrentWorkload, attempt: Attempt) => Proposal | Promise<Proposal>,
  ): Promise<Answer<typeof actionAnswerSchema>> {
    return withAudit(viewer, kind, ref, request, async (attempt) => {
      const read = kind === 'rollback' ? readCurrentTemplate : readCurrentWorkload;
      const current = await read(context, viewer, ref);
      attempt.identify(
        current.workload,
        current.history.target,
        templateHashOf(context.keys, current.template),
      );
      const proposal = await propose(current, attempt);
      return execute({ context, viewer, attempt, proposal }, follower, request);
    });
  }

  function runControl(
    viewer: Viewer,
    ref: WorkloadRef,
    action: ControlKind,
    request: ParsedControl,
    details: Omit<ControlDetails, 'seen'> = {},
  ): Promise<Answer<typeof actionAnswerSchema>> {
    return run(viewer, action, ref, request, (current, attempt) =>
      proposeControl(context, current, attempt, action, { ...details, seen: request.seen }),
    );
  }

  /** Another process may have executed it, or have observed its end. */
  async function findAction(id: string): Promise<Action | null> {
    const logged = context.audit.entry(id)?.action;
    if (logged !== undefined && logged.endedAt !== null) return logged;
    const archived = await context.archive()?.actions.byId(id).catch(unlessUnavailable);
    return archived ?? logged ?? null;
  }

  async function archivedActionsOf(
    cluster: string,
    { resource, namespace, name }: WorkloadRef,
  ): Promise<Action[]> {
    // An action on a rollout also has the name of the rollout's workload.
    const filter = systemOf(resource) === undefined ? { resource, name } : {};
    const page = await context
      .archive()
      ?.actions.list({
        cluster,
        namespace,
        ...filter,
        limit: 4 * LIST_MAX,
      })
      .catch(unlessUnavailable);
    return page?.items.map(({ action }) => action) ?? [];
  }

  return {
    rollback: (viewer, ref, request) =>
      run(viewer, 'rollback', ref, request, (current, attempt) =>
        proposeRollback(context, viewer, current, attempt, request),
      ),
    control: (viewer, ref, action, request) => runControl(viewer, ref, action, request),
    partition: (viewer, ref, request) =>
      runControl(viewer, ref, 'partition', request, { partition: request.to }),
    deletePod: (viewer, ref, pod, request) =>
      runControl(viewer, ref, 'deletePod', request, { pod: { name: pod, uid: request.uid } }),
    rollout: (viewer, ref, action, request) =>
      withAudit(viewer, action, ref, request, (attempt) =>
        actOnRollout(context, follower, viewer, attempt, { ref, action, request }),
      ),
    get: async (viewer, id) => {
      const action = follower.action(id) ?? (await findAction(id));
      if (action === null) throw unknownAction(id);
      assertConnected(context.cluster, action.cluster, `Action ${id}`);
      await assertCan(
        context.cluster,
        viewer,
        'get',
        typeOf(context.cluster, action.resource),
        action.namespace,
        { name: action.name },
      );
      return maskedAction(action, context.keys.mask);
    },
    list: async (viewer, { resource, namespace, name }) => {
      await assertCan(context.cluster, viewer, 'get', typeOf(context.cluster, resource), namespace, { name });
      const cluster = connectedCluster(context.cluster);
      const archived = await archivedActionsOf(cluster, { resource, namespace, name });
      const matches = (action: Action) =>
        action.cluster === cluster &&
        action.namespace === namespace &&
        [action, action.rollout].some((at) => at?.resource === resource && at.name === name);
      const all = Map.groupBy([...context.audit.actions(), ...archived].filter(matches), ({ id }) => id);
      return [...all.values()]
        .map((versions) => follower.action(versions[0]?.id ?? '') ?? latestOf(versions))
        .sort((a, b) => b.startedAt.localeCompare(a.startedAt))
        .slice(0, LIST_MAX)
        .map((action) => maskedAction(action, context.keys.mask));
    },
    latest: () => context.audit.actions().map((action) => follower.action(action.id) ?? action),
    resume: () => follower.resume(),
    stop: () => {
      follower.stop();
      context.refusals.stop();
    },
  };
}

function typeOf(cluster: Cluster, resource: string): ResourceType {
  return systemOf(resource)?.resource ?? requireKind(cluster, resource).resource;
}

/** The local actions are shown, whether or not the archive answers. */
function unlessUnavailable(error: unknown): undefined {
  if (!(error instanceof AppError) || error.code !== 'archive_unavailable') throw error;
}

function latestOf(versions: readonly Action[]): Action {
  const [first] = versions;
  const ended = versions.find(({ endedAt }) => endedAt !== null) ?? first;
  if (ended === undefined) throw new Error('an action without a version');
  return ended;
}

function unknownAction(id: string): AppError {
  return new AppError(
    'not_found',
    `There is no action ${id}. Only the latest are kept at hand; older ones are in the audit file of the data directory.`,
  );
}
