import 'server-only';
import { type z } from 'zod';
import { type rollbackRequestSchema } from '@/lib/api/actions';
import { AppError } from '@/lib/errors';
import { kindLabel } from '@/lib/kube/resource';
import { formatTarget, carrierOf } from '@/lib/workloads/rollback-target';
import { changedError } from '@/server/actions/changed-error';
import { preflight } from '@/server/actions/checks/preflight';
import { type CurrentWorkload, readCurrentWorkload, writeFactsOf } from '@/server/actions/current-workload';
import { diffOf } from '@/server/actions/diff';
import { type Execution, type Strategy } from '@/server/actions/strategy';
import { findTarget, type ResolvedTarget } from '@/server/actions/target';
import { type WorkloadDraft, WorkloadProposal } from '@/server/actions/workload-proposal';
import { type WorkloadRef } from '@/server/reads/find-workload';

export type ParsedRollback = z.output<typeof rollbackRequestSchema>;

/** The rollback to a revision. */
export function rollback(ref: WorkloadRef, request: ParsedRollback): Strategy {
  return async (execution) => {
    const current = await readCurrentWorkload(execution, ref, { withTemplateOwner: true });
    execution.attempt.describeCurrent(current);
    return new WorkloadProposal(execution, await draftRollback(execution, current, request));
  };
}

/** Plans the rollback on the current workload and revision. */
export async function draftRollback(
  execution: Execution,
  current: CurrentWorkload,
  request: ParsedRollback,
): Promise<WorkloadDraft> {
  const { context, viewer } = execution;
  const { kind, workload } = current;
  const target = await findShownTarget(execution, current, request);
  const { to, template } = target;
  if (request.partition !== undefined && kind.movesPartition !== true) {
    throw new AppError(
      'bad_request',
      `A rollback of a ${kindLabel(kind.resource)} leaves the partition where it is. Move it by itself.`,
    );
  }
  if (request.toSeen !== undefined && request.toSeen !== target.preconditionToken)
    throw targetChanged(target);
  const rollouts = context.cluster.rollouts.rolloutsOf(workload);
  const checkInput = {
    cluster: context.cluster,
    viewer,
    current: target.current,
    called: `revision ${formatTarget(to)}`,
    to: carrierOf(target.current.history, to),
    template,
  };
  return {
    current: target.current,
    planned: kind.writes.rollback({
      ...writeFactsOf(target.current),
      ...(current.templateOwner && { templateOwner: current.templateOwner }),
      to,
      template,
      reason: request.reason,
      ...(rollouts.some(({ rollsBackInSteps }) => rollsBackInSteps === true) && { rollsBackInSteps: true }),
      likeKubectl: request.likeKubectl,
      ...(request.partition !== undefined && { partition: request.partition }),
    }),
    check: () => preflight(checkInput),
    // Only the dry run shows the complete template of a revision that records parts of it.
    after: kind.comparableTemplate === undefined ? { kind: 'known', template } : { kind: 'answered' },
    side: sideOf(target),
    until: kind.reportsCompletion === false ? 'observed' : 'rollout',
    to: { target: to, seen: target.preconditionToken },
  };
}

/** The target; throws AppError `changed` where the workload is not the one that the viewer saw, with the difference. */
async function findShownTarget(
  execution: Execution,
  current: CurrentWorkload,
  { to, seen }: ParsedRollback,
): Promise<ResolvedTarget> {
  const isShown = current.preconditionToken === seen;
  const target = await findTarget(execution, current, String(to)).catch((error: unknown) => {
    throw isShown ? error : changedError(current);
  });
  if (isShown) return target;
  throw changedError(current, await diffOf(execution.context, current, target.template, sideOf(target)));
}

function sideOf({ to }: ResolvedTarget): WorkloadDraft['side'] {
  return { label: formatTarget(to), ref: to.id, revisionId: to.id, number: to.number };
}

function targetChanged({ to, preconditionToken: toSeen }: ResolvedTarget): AppError {
  return new AppError(
    'changed',
    `Revision ${formatTarget(to)} is not the template that you saw under this name, so nothing was written. Look at it again.`,
    { toSeen, revision: { id: to.id, number: to.number } },
  );
}
