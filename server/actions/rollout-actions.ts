import 'server-only';
import { type Answer } from '@/lib/api/common';
import { type actionAnswerSchema } from '@/lib/api/actions';
import { AppError } from '@/lib/errors';
import { actionLabel } from '@/lib/rollout/action-labels';
import { type Finding } from '@/lib/workloads/plan';
import { type RolloutActionName } from '@/lib/api/action-values';
import { type Attempt } from '@/server/actions/attempt';
import { type ActionsContext } from '@/server/actions/context';
import { execute } from '@/server/actions/execute';
import { type Follower } from '@/server/actions/follower';
import { readCurrentTemplate } from '@/server/actions/template-owner';
import { proposeRollback } from '@/server/actions/rollback';
import { executeRollout } from '@/server/actions/rollout-execute';
import { readCurrentRollout, rolloutChanged, type CurrentRollout } from '@/server/actions/current-rollout';
import { templateHashOf } from '@/server/actions/template-hash';
import { type WorkloadRef } from '@/server/reads/find-workload';
import { workloadPreconditionToken } from '@/server/reads/precondition-token';
import { type Viewer } from '@/server/shared/viewer';

export interface ParsedRolloutRequest {
  seen: string;
  reason: string;
  dryRun: boolean;
  /** Of a jump or an approval. */
  step?: number | undefined;
  /** Of a deletion. */
  revert?: boolean | undefined;
  /** Of a rollback. */
  toSeen?: string | undefined;
}

/**
 * A busy controller writes the object every second or so; the state that the viewer saw is compared each
 * time.
 */
const ATTEMPTS_MAX = 5;

/**
 * Acts on a rollout if its current state is the one that the viewer saw: an approval can't reach another
 * step. Where the object was written in between and its state is the same, it tries again.
 */
export async function actOnRollout(
  context: ActionsContext,
  follower: Follower,
  viewer: Viewer,
  attempt: Attempt,
  { ref, action, request }: { ref: WorkloadRef; action: RolloutActionName; request: ParsedRolloutRequest },
): Promise<Answer<typeof actionAnswerSchema>> {
  for (let attemptsLeft = ATTEMPTS_MAX; attemptsLeft > 0; attemptsLeft -= 1) {
    const current = await readCurrentRollout(context, viewer, ref);
    attempt.identifyRollout(current.rollout);
    if (current.preconditionToken !== request.seen) throw rolloutChanged(current);
    const { step = null, revert } = request;
    assertStepAllowed(current, action, step);
    const planned = current.system.plan(current.input, {
      action,
      step,
      ...(revert !== undefined && { revert }),
    });
    if (planned.kind === 'write' && planned.goal.until === 'step')
      attempt.setStep(planned.goal, actionLabel(current.rollout, action, step));
    if (planned.kind === 'workload') {
      return rollBack({ context, follower, viewer, attempt }, current, planned, request);
    }
    const answer = await executeRollout({ context, viewer, attempt, current, planned }, follower, request);
    if (answer !== null) return answer;
  }
  throw new AppError(
    'conflict',
    `${ref.name} is being written so often that nothing could be written in between. Try again.`,
    { ...ref },
  );
}

/** A system that continues one step at a time must not get a request for several. */
function assertStepAllowed(
  { rollout, system }: CurrentRollout,
  action: RolloutActionName,
  step: number | null,
): void {
  const offered = rollout.actions.find(({ name }) => name === action);
  if (step === null || offered?.allowed !== true || offered.steps !== null) return;
  throw new AppError('bad_request', `${action} of a ${system.resource.kind} takes no step.`, {
    field: 'step',
  });
}

interface RolloutActionInput {
  context: ActionsContext;
  follower: Follower;
  viewer: Viewer;
  attempt: Attempt;
}

/**
 * The workload returns to the revision from which the rollout started; its kind plans that and knows the
 * pitfalls.
 */
async function rollBack(
  { context, follower, viewer, attempt }: RolloutActionInput,
  current: CurrentRollout,
  { revisionId, findings }: { revisionId: string; findings: readonly Finding[] },
  request: ParsedRolloutRequest,
): Promise<Answer<typeof actionAnswerSchema>> {
  const { rollout, input } = current;
  const { workload } = input;
  if (workload.state !== 'found') throw rolloutChanged(current);
  const { resource, namespace, name } = workload.facts.workload;
  const before = await readCurrentTemplate(context, viewer, { resource, namespace, name });
  attempt.setRollout(before.workload, { resource: rollout.resource, name: rollout.name });
  attempt.identify(before.workload, before.history.target, templateHashOf(context.keys, before.template));
  // The workload is part of what the viewer saw; the cache may not have its last change yet.
  const { kind } = before;
  if (
    before.preconditionToken !==
    workloadPreconditionToken(context.keys, context.cluster.identity.id, { kind, ...workload.facts })
  )
    throw rolloutChanged(current);
  const { reason, dryRun, toSeen } = request;
  const proposal = await proposeRollback(context, viewer, before, attempt, {
    to: revisionId,
    seen: before.preconditionToken,
    reason,
    dryRun,
    likeKubectl: false,
    ...(toSeen === undefined ? {} : { toSeen }),
  });
  const execution = {
    context,
    viewer,
    attempt,
    proposal: { ...proposal, findings: [...proposal.findings.filter(isRelevant), ...findings] },
  };
  try {
    return await execute(execution, follower, request);
  } catch (error) {
    // Its `seen` is the workload's, and the answer's is the rollout's.
    if (!(error instanceof AppError) || error.details.seen === undefined) throw error;
    const fresh = await readCurrentRollout(context, viewer, rollout).catch(() => current);
    const details = { ...error.details, seen: fresh.preconditionToken, now: fresh.rollout.message };
    throw new AppError(error.code, error.message, details, error);
  }
}

/** A viewer who comes from the Rollout needs no hint to it. */
function isRelevant({ code }: Finding): boolean {
  return code !== 'rollout_owner';
}
