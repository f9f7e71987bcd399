import 'server-only';
import { type z } from 'zod';
import { type rollbackRequestSchema } from '@/lib/api/actions';
import { AppError } from '@/lib/errors';
import { kindLabel, type ResourceType } from '@/lib/workloads/resource';
import { calledTarget, carrierOf } from '@/lib/workloads/rollback-target';
import { type Workload } from '@/lib/workloads/workload';
import { type Attempt } from '@/server/actions/attempt';
import { changedError, changedErrorWithDiff } from '@/server/actions/changed';
import { preflight } from '@/server/actions/checks/preflight';
import { type ActionsContext } from '@/server/actions/context';
import { type DiffSide } from '@/server/actions/diff';
import { type Present } from '@/server/actions/present';
import { type Proposal } from '@/server/actions/proposal';
import { findTarget, type Target } from '@/server/actions/target';
import { type Viewer } from '@/server/viewer';

export type ParsedRollback = z.output<typeof rollbackRequestSchema>;

/** Plans the return to a revision, on the workload and the revision as they are at this moment. */
export async function proposeRollback(
  context: ActionsContext,
  viewer: Viewer,
  present: Present,
  attempt: Attempt,
  request: ParsedRollback,
): Promise<Proposal> {
  const isChanged = present.seen !== request.seen;
  const target = await findTarget(context, viewer, present, attempt, String(request.to)).catch(
    (error: unknown) => {
      if (isChanged) throw changedError(present);
      throw error;
    },
  );
  const { to, template } = target;
  const side = sideOf(target);
  if (isChanged) throw await changedErrorWithDiff(context, present, { template, side });
  if (request.partition !== undefined && present.kind.movesPartition !== true)
    throw noPartition(present.kind.resource);
  if (request.toSeen !== undefined && request.toSeen !== target.seen) throw targetChanged(target);
  const { history } = target.present;
  const { plan, findings } = present.kind.planRollback({
    workload: present.workload,
    present: present.template,
    ...(present.holder && { holder: present.holder }),
    history,
    to,
    template,
    pods: present.input.pods,
    ...(present.input.parts && { parts: present.input.parts }),
    reason: request.reason,
    ...(movedBackInSteps(context, present.workload) && { rollsBackInSteps: true }),
    likeKubectl: request.likeKubectl,
    ...(request.partition !== undefined && { partition: request.partition }),
  });
  const input = {
    cluster: context.cluster,
    viewer,
    present: target.present,
    called: `revision ${calledTarget(to)}`,
    to: carrierOf(history, to),
    template,
  };
  return {
    present: target.present,
    plan,
    findings,
    preflight: () => preflight(input),
    // What a revision records in parts is seen in the whole by the dry run alone.
    after: present.kind.presentFor === undefined ? { kind: 'known', template } : { kind: 'answered' },
    side,
    until: present.kind.tellsEnd === false ? 'observed' : 'rollout',
    pod: null,
    to: { target: to, seen: target.seen },
  };
}

function sideOf({ to }: Target): DiffSide {
  return { label: calledTarget(to), ref: to.id, revisionId: to.id, number: to.number };
}

function noPartition(resource: ResourceType): AppError {
  return new AppError(
    'bad_request',
    `A rollback of a ${kindLabel(resource)} leaves the partition where it is. Move it by itself.`,
  );
}

function targetChanged({ to, seen }: Target): AppError {
  return new AppError(
    'changed',
    `Revision ${calledTarget(to)} is not the template that you saw under this name, so nothing was written. Look at it again.`,
    { toSeen: seen, revision: { id: to.id, number: to.number } },
  );
}

function movedBackInSteps({ cluster }: ActionsContext, workload: Workload): boolean {
  return cluster.rollouts.rolloutsOf(workload).some((rollout) => rollout.rollsBackInSteps === true);
}
