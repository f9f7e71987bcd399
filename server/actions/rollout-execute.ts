import 'server-only';
import { type Answer } from '@/lib/api/common';
import { type actionAnswerSchema } from '@/lib/api/actions';
import { type diffSchema } from '@/lib/api/diff';
import { AppError } from '@/lib/errors';
import { type JsonObject } from '@/lib/kube/json';
import { type RolloutGoal, type RolloutPlanResult } from '@/lib/rollout/system';
import { type Finding, type Plan } from '@/lib/workloads/plan';
import { numberAt } from '@/lib/kube/read';
import { awaitArchived } from '@/server/actions/await-archived';
import { type Attempt } from '@/server/actions/attempt';
import { type ActionsContext } from '@/server/actions/context';
import { type DryRun, dryRunFindings, isPreconditionFailure, dryRunWrite } from '@/server/actions/dry-run';
import { checkPermission, dryRunAnswer, isRefused, refusalOf } from '@/server/actions/execute';
import { type Follower } from '@/server/actions/follower';
import { findingsAnswer, planAnswer } from '@/server/actions/plan-answer';
import { readCurrentRollout, type CurrentRollout } from '@/server/actions/current-rollout';
import { outcomeUnknownError, isOutcomeUnknown, sendWrite } from '@/server/actions/write';
import { type Expectation } from '@/server/audit/audit';
import { can } from '@/server/reads/rights';
import { rolloutDiff } from '@/server/reads/rollout-diff';
import { sourcesOf } from '@/server/reads/rollouts';
import { type Viewer } from '@/server/shared/viewer';

/** An action on a rollout that has been planned on its current state. */
export interface RolloutExecution {
  context: ActionsContext;
  viewer: Viewer;
  attempt: Attempt;
  current: CurrentRollout;
  planned: Exclude<RolloutPlanResult, { kind: 'workload' }>;
}

type RolloutWriteExecution = RolloutExecution & { planned: Extract<RolloutPlanResult, { kind: 'write' }> };

/**
 * Checks the plan against the API server and, unless it is a dry run, executes it. Null: the object has
 * changed since it was read, and nothing was written; the caller checks whether it is still what the viewer
 * saw.
 */
export async function executeRollout(
  execution: RolloutExecution,
  follower: Follower,
  { dryRun }: { dryRun: boolean },
): Promise<Answer<typeof actionAnswerSchema> | null> {
  const { planned } = execution;
  if (planned.kind === 'refused') {
    const answer = await answerOf(execution, null, planned.findings, null);
    if (dryRun) return answer;
    throw refusalOf(answer, execution.current.preconditionToken);
  }
  const { plan } = planned;
  const diff = plan.action === 'rollback' ? await rollbackDiff(execution) : null;
  const permission = await checkPermissions(execution, plan, dryRun);
  const dryRunResult = isRefused(permission) ? null : await dryRunWrites(execution, plan);
  if (dryRunResult?.outcome === 'changed') return null;
  if (dryRunResult?.outcome === 'forbidden' && !dryRun) throw dryRunResult.error;
  const findings = [
    ...planned.findings,
    ...permission,
    ...(dryRunResult === null ? [] : dryRunFindings(dryRunResult)),
  ];
  const answer = { ...(await answerOf(execution, plan, findings, dryRunResult)), diff };
  if (dryRun) return answer;
  if (dryRunResult?.outcome !== 'accepted') throw refusalOf(answer, execution.current.preconditionToken);
  const result = await commitRollout({ ...execution, planned }, follower, dryRunResult.answer);
  return result === null ? null : { ...answer, applied: true, result };
}

async function checkPermissions(
  execution: RolloutExecution,
  plan: Plan,
  dryRun: boolean,
): Promise<Finding[]> {
  const first = await checkPermission(execution, plan, dryRun);
  return plan.then === undefined
    ? first
    : [...first, ...(await checkPermission(execution, plan.then, dryRun))];
}

/** The API server's answers to the writes; the result is that to the first. */
async function dryRunWrites({ context, viewer }: RolloutExecution, { write, then }: Plan): Promise<DryRun> {
  const first = await dryRunWrite(context, viewer, write);
  if (then === undefined || first.outcome !== 'accepted') return first;
  const second = await dryRunWrite(context, viewer, then.write);
  return second.outcome === 'accepted' ? first : second;
}

/**
 * A rollback by the rollout itself runs from its target to its source, as far as the viewer is allowed to
 * read that.
 */
async function rollbackDiff({
  context,
  viewer,
  current,
}: RolloutExecution): Promise<Answer<typeof diffSchema> | null> {
  for (const source of sourcesOf(current)) {
    if (!(await can(context.cluster, viewer, 'get', source, current.rollout.namespace))) return null;
  }
  return rolloutDiff(context, current, 'back');
}

async function answerOf(
  { context }: RolloutExecution,
  plan: Plan | null,
  findings: readonly Finding[],
  dryRunResult: DryRun | null,
): Promise<Answer<typeof actionAnswerSchema>> {
  const { keys } = context;
  return {
    plan: plan === null ? null : await planAnswer(plan, keys.mask),
    findings: findingsAnswer(findings, keys.mask),
    diff: null,
    applied: false,
    result: null,
    toSeen: null,
    dryRun: dryRunAnswer(context, dryRunResult),
    revision: null,
  };
}

async function commitRollout(
  execution: RolloutWriteExecution,
  follower: Follower,
  dryRunResult: JsonObject,
): Promise<Answer<typeof actionAnswerSchema>['result'] | null> {
  const { context, viewer, attempt, planned } = execution;
  const attempted = attempt.begin(expectationOf(execution, dryRunResult));
  await awaitArchived(context);
  let answer: JsonObject;
  try {
    answer = await sendWrite(context.cluster, viewer, planned.plan.write, { dryRun: false });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'conflict') return null;
    if (error.details.outcome === 'not_sent')
      throw new AppError(error.code, `${error.message} Nothing was written.`, error.details, error);
    if (!isOutcomeUnknown(error)) throw error;
    throw await unknownOutcomeError(execution, error, () => follower.follow(attempted, { isSure: false }));
  }
  await writeSecond(execution, expectationOf(execution, answer), follower);
  follower.follow(attempt.accept(expectationOf(execution, answer)), { isSure: true });
  return { actionId: attempt.action.id, state: 'accepted' };
}

/**
 * The first write stands, whatever the outcome of the second: the action has failed then, and names what is
 * left to do.
 */
async function writeSecond(
  { context, viewer, attempt, planned: { plan } }: RolloutWriteExecution,
  { goal, ...expectation }: Expectation,
  follower: Follower,
): Promise<void> {
  if (plan.then === undefined) return;
  const attempted = attempt.begin({
    ...expectation,
    ...(goal != null && { goal: { ...goal, isHalfDone: true } }),
  });
  try {
    await sendWrite(context.cluster, viewer, plan.then.write, { dryRun: false });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // Another write has just set the same value.
    if (isPreconditionFailure(error)) return;
    if (isOutcomeUnknown(error)) {
      attempt.leaveOpen();
      follower.follow(attempted, { isSure: false });
      throw outcomeUnknownError(error, attempt.action.id, false);
    }
    throw new AppError(
      error.code,
      `${plan.title}: the first of two writes was done, the second was not. ${error.message}`,
      { ...error.details, isHalfDone: true, actionId: attempt.action.id },
      error,
    );
  }
}

/** A read of the unchanged object proves nothing: the write may still arrive. */
async function unknownOutcomeError(
  execution: RolloutWriteExecution,
  error: AppError,
  followInDoubt: () => void,
): Promise<AppError> {
  const { context, viewer, attempt, current } = execution;
  const { resource, namespace, name, resourceVersion } = current.input.object;
  const fresh = await readCurrentRollout(context, viewer, { resource, namespace, name }).catch(
    () => undefined,
  );
  attempt.leaveOpen();
  followInDoubt();
  const isUnchanged =
    fresh?.input.object.resourceVersion === resourceVersion && !writesOtherObject(execution);
  return outcomeUnknownError(error, attempt.action.id, isUnchanged);
}

/** The write goes to another object than the rollout, whose version tells nothing of the rollout's. */
function writesOtherObject({ current, planned }: RolloutWriteExecution): boolean {
  return planned.plan.needs.resource !== current.system.resource.plural;
}

function expectationOf({ current, planned }: RolloutWriteExecution, answer: JsonObject): Expectation {
  const { object } = current.input;
  return {
    template: '',
    generation: numberAt(answer, 'metadata', 'generation') ?? object.generation,
    until: 'goal',
    pod: null,
    goal: {
      ...goalOf(planned.goal),
      before: object.resourceVersion,
      changesSpec: (numberAt(answer, 'metadata', 'generation') ?? object.generation) > object.generation,
    },
  };
}

function goalOf(goal: RolloutGoal) {
  if (goal.until === 'step') return goal;
  return { until: goal.until, from: null, to: null, release: null };
}
