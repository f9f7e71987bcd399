import 'server-only';
import { type z } from 'zod';
import { type rollbackRequestSchema } from '@/lib/api/actions';
import { AppError } from '@/lib/errors';
import { kindLabel, type ResourceType } from '@/lib/kube/resource';
import { formatTarget, carrierOf } from '@/lib/workloads/rollback-target';
import { type Workload } from '@/lib/history/workload';
import { type Attempt } from '@/server/actions/attempt';
import { changedError, changedErrorWithDiff } from '@/server/actions/changed-error';
import { preflight } from '@/server/actions/checks/preflight';
import { type ActionsContext } from '@/server/actions/context';
import { type DiffSide } from '@/server/actions/diff';
import { type CurrentWorkload } from '@/server/actions/current-workload';
import { type Proposal } from '@/server/actions/proposal';
import { findTarget, type ResolvedTarget } from '@/server/actions/target';
import { type Viewer } from '@/server/shared/viewer';

export type ParsedRollback = z.output<typeof rollbackRequestSchema>;

/** Plans the rollback to a revision, on the current workload and revision. */
export async function proposeRollback(
  context: ActionsContext,
  viewer: Viewer,
  current: CurrentWorkload,
  attempt: Attempt,
  request: ParsedRollback,
): Promise<Proposal> {
  const isChanged = current.preconditionToken !== request.seen;
  const target = await findTarget(context, viewer, current, attempt, String(request.to)).catch(
    (error: unknown) => {
      if (isChanged) throw changedError(current);
      throw error;
    },
  );
  const { to, template } = target;
  const side = sideOf(target);
  if (isChanged) throw await changedErrorWithDiff(context, current, { template, side });
  if (request.partition !== undefined && current.kind.movesPartition !== true)
    throw noPartition(current.kind.resource);
  if (request.toSeen !== undefined && request.toSeen !== target.preconditionToken)
    throw targetChanged(target);
  const { history } = target.current;
  const { plan, findings } = current.kind.planRollback({
    workload: current.workload,
    currentTemplate: current.template,
    ...(current.templateOwner && { templateOwner: current.templateOwner }),
    history,
    to,
    template,
    pods: current.input.pods,
    ...(current.input.children && { children: current.input.children }),
    reason: request.reason,
    ...(isRolledBackInSteps(context, current.workload) && { rollsBackInSteps: true }),
    likeKubectl: request.likeKubectl,
    ...(request.partition !== undefined && { partition: request.partition }),
  });
  const input = {
    cluster: context.cluster,
    viewer,
    current: target.current,
    called: `revision ${formatTarget(to)}`,
    to: carrierOf(history, to),
    template,
  };
  return {
    current: target.current,
    plan,
    findings,
    preflight: () => preflight(input),
    // Only the dry run shows the complete template of a revision that records parts of it.
    after: current.kind.comparableTemplate === undefined ? { kind: 'known', template } : { kind: 'answered' },
    side,
    until: current.kind.reportsCompletion === false ? 'observed' : 'rollout',
    pod: null,
    to: { target: to, seen: target.preconditionToken },
  };
}

function sideOf({ to }: ResolvedTarget): DiffSide {
  return { label: formatTarget(to), ref: to.id, revisionId: to.id, number: to.number };
}

function noPartition(resource: ResourceType): AppError {
  return new AppError(
    'bad_request',
    `A rollback of a ${kindLabel(resource)} leaves the partition where it is. Move it by itself.`,
  );
}

function targetChanged({ to, preconditionToken: seen }: ResolvedTarget): AppError {
  return new AppError(
    'changed',
    `Revision ${formatTarget(to)} is not the template that you saw under this name, so nothing was written. Look at it again.`,
    { toSeen: seen, revision: { id: to.id, number: to.number } },
  );
}

function isRolledBackInSteps({ cluster }: ActionsContext, workload: Workload): boolean {
  return cluster.rollouts.rolloutsOf(workload).some((rollout) => rollout.rollsBackInSteps === true);
}
