import 'server-only';
import { type ActionAnswer } from '@/lib/api/actions';
import { AppError } from '@/lib/errors';
import { actionLabel } from '@/lib/rollout/action-verbs';
import { type RolloutActionName } from '@/lib/rollout/rollout';
import { type Finding } from '@/lib/workloads/plan';
import { type Attempt } from '@/server/actions/attempt';
import { type ActionsContext } from '@/server/actions/context';
import { execute } from '@/server/actions/execute';
import { type Follower } from '@/server/actions/follower';
import { readPresentTemplate } from '@/server/actions/holder';
import { proposeRollback } from '@/server/actions/rollback';
import { executeRollout } from '@/server/actions/rollout-execute';
import { readRolloutPresent, rolloutChanged, type RolloutPresent } from '@/server/actions/rollout-present';
import { templateHash } from '@/server/actions/template-hash';
import { type WorkloadRef } from '@/server/reads/find';
import { seenOfWorkload } from '@/server/reads/seen';
import { type Viewer } from '@/server/viewer';

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

/** A controller at work writes the object every second or so; what the viewer saw is compared each time. */
const TRIES = 5;

/**
 * Acts on a rollout as it is at this moment, if that is what the viewer saw: an approval can't reach another step. Where
 * the object was written in between and says the same as before, it is tried again.
 */
export async function actOnRollout(
  context: ActionsContext,
  follower: Follower,
  viewer: Viewer,
  attempt: Attempt,
  { ref, action, request }: { ref: WorkloadRef; action: RolloutActionName; request: ParsedRolloutRequest },
): Promise<ActionAnswer> {
  for (let left = TRIES; left > 0; left -= 1) {
    const present = await readRolloutPresent(context, viewer, ref);
    attempt.identifyRollout(present.rollout);
    if (present.seen !== request.seen) throw rolloutChanged(present);
    const { step = null, revert } = request;
    assertTakes(present, action, step);
    const planned = present.system.plan(present.input, {
      action,
      step,
      ...(revert !== undefined && { revert }),
    });
    if (planned.kind === 'write' && planned.goal.until === 'step')
      attempt.go(planned.goal, actionLabel(present.rollout, action, step));
    if (planned.kind === 'workload') {
      return rollBack({ context, follower, viewer, attempt }, present, planned, request);
    }
    const answer = await executeRollout({ context, viewer, attempt, present, planned }, follower, request);
    if (answer !== null) return answer;
  }
  throw new AppError(
    'conflict',
    `${ref.name} is being written so often that nothing could be written in between. Try again.`,
    { ...ref },
  );
}

/** A system that goes on by one step at a time must not be asked for several as if it could. */
function assertTakes(
  { rollout, system }: RolloutPresent,
  action: RolloutActionName,
  step: number | null,
): void {
  const offered = rollout.actions.find(({ name }) => name === action);
  if (step === null || offered?.allowed !== true || offered.steps !== null) return;
  throw new AppError('bad_request', `${action} of a ${system.resource.kind} takes no step.`, {
    field: 'step',
  });
}

interface Actor {
  context: ActionsContext;
  follower: Follower;
  viewer: Viewer;
  attempt: Attempt;
}

/** The workload goes back to the revision from which the release started; its kind plans that and knows the traps. */
async function rollBack(
  { context, follower, viewer, attempt }: Actor,
  present: RolloutPresent,
  { revisionId, findings }: { revisionId: string; findings: readonly Finding[] },
  request: ParsedRolloutRequest,
): Promise<ActionAnswer> {
  const { rollout, input } = present;
  const { workload } = input;
  if (workload.state !== 'found') throw rolloutChanged(present);
  const { resource, namespace, name } = workload.facts.workload;
  const before = await readPresentTemplate(context, viewer, { resource, namespace, name });
  attempt.throughRollout(before.workload, { resource: rollout.resource, name: rollout.name });
  attempt.identify(before.workload, before.history.target, templateHash(context.keys, before.template));
  // The workload belongs to what the viewer saw; the cache may not have heard of its last change.
  const { kind } = before;
  if (before.seen !== seenOfWorkload(context.keys, context.cluster.identity.id, { kind, ...workload.facts }))
    throw rolloutChanged(present);
  const { reason, dryRun, toSeen } = request;
  const proposal = await proposeRollback(context, viewer, before, attempt, {
    to: revisionId,
    seen: before.seen,
    reason,
    dryRun,
    likeKubectl: false,
    ...(toSeen === undefined ? {} : { toSeen }),
  });
  const act = {
    context,
    viewer,
    attempt,
    proposal: { ...proposal, findings: [...proposal.findings.filter(isNews), ...findings] },
  };
  try {
    return await execute(act, follower, request);
  } catch (error) {
    // Its `seen` is the workload's, and what is sent back is the rollout's.
    if (!(error instanceof AppError) || error.details.seen === undefined) throw error;
    const fresh = await readRolloutPresent(context, viewer, rollout).catch(() => present);
    const details = { ...error.details, seen: fresh.seen, now: fresh.rollout.message };
    throw new AppError(error.code, error.message, details, error);
  }
}

/** Whoever comes from the Rollout need not be told to look at it. */
function isNews({ code }: Finding): boolean {
  return code !== 'rollout_owner';
}
