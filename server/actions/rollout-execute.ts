import 'server-only';
import { type ActionAnswer } from '@/lib/api/actions';
import { type Diff } from '@/lib/api/diff';
import { AppError } from '@/lib/errors';
import { type JsonObject } from '@/lib/kube/json';
import { type RolloutGoal, type RolloutPlanned } from '@/lib/rollout/system';
import { type Finding, type Plan } from '@/lib/workloads/plan';
import { numberAt } from '@/lib/workloads/read';
import { archivedFirst } from '@/server/actions/archived-first';
import { type Attempt } from '@/server/actions/attempt';
import { type ActionsContext } from '@/server/actions/context';
import { type DryRun, dryRunFindings, mayBeChanged, tryWrite } from '@/server/actions/dry-run';
import { checkPermission, dryRunAnswer, isRefused, refusalOf } from '@/server/actions/execute';
import { type Follower } from '@/server/actions/follower';
import { findingsAnswer, planAnswer } from '@/server/actions/plan-answer';
import { readRolloutPresent, type RolloutPresent } from '@/server/actions/rollout-present';
import { doubtError, isInDoubt, sendWrite } from '@/server/actions/write';
import { type Expectation } from '@/server/audit';
import { may } from '@/server/reads/rights';
import { rolloutDiff } from '@/server/reads/rollout-diff';
import { sourcesOf } from '@/server/reads/rollouts';
import { type Viewer } from '@/server/viewer';

/** An action on a rollout that has been planned on what is there now. */
export interface RolloutAct {
  context: ActionsContext;
  viewer: Viewer;
  attempt: Attempt;
  present: RolloutPresent;
  planned: Exclude<RolloutPlanned, { kind: 'workload' }>;
}

type Writing = RolloutAct & { planned: Extract<RolloutPlanned, { kind: 'write' }> };

/**
 * Checks the plan against the API server and, unless it is only tried, does it. Null: the object has moved on since it
 * was read, and nothing was written; whoever calls looks whether it is still what the viewer saw.
 */
export async function executeRollout(
  act: RolloutAct,
  follower: Follower,
  { dryRun }: { dryRun: boolean },
): Promise<ActionAnswer | null> {
  const { planned } = act;
  if (planned.kind === 'refused') {
    const answer = await answerOf(act, null, planned.findings, null);
    if (dryRun) return answer;
    throw refusalOf(answer, act.present.seen);
  }
  const { plan } = planned;
  const diff = plan.action === 'rollback' ? await wayBack(act) : null;
  const permission = await checkPermissions(act, plan, dryRun);
  const tried = isRefused(permission) ? null : await tryWrites(act, plan);
  if (tried?.outcome === 'changed') return null;
  if (tried?.outcome === 'forbidden' && !dryRun) throw tried.error;
  const findings = [...planned.findings, ...permission, ...(tried === null ? [] : dryRunFindings(tried))];
  const answer = { ...(await answerOf(act, plan, findings, tried)), diff };
  if (dryRun) return answer;
  if (tried?.outcome !== 'accepted') throw refusalOf(answer, act.present.seen);
  const result = await commitRollout({ ...act, planned }, follower, tried.answer);
  return result === null ? null : { ...answer, applied: true, result };
}

async function checkPermissions(act: RolloutAct, plan: Plan, dryRun: boolean): Promise<Finding[]> {
  const first = await checkPermission(act, plan, dryRun);
  return plan.then === undefined ? first : [...first, ...(await checkPermission(act, plan.then, dryRun))];
}

/** What the API server says to the writes; the answer is that to the first. */
async function tryWrites({ context, viewer }: RolloutAct, { write, then }: Plan): Promise<DryRun> {
  const first = await tryWrite(context, viewer, write);
  if (then === undefined || first.outcome !== 'accepted') return first;
  const second = await tryWrite(context, viewer, then.write);
  return second.outcome === 'accepted' ? first : second;
}

/** A rollback by the rollout itself leads from what it brings to what it came from, as far as the viewer may see that. */
async function wayBack({ context, viewer, present }: RolloutAct): Promise<Diff | null> {
  for (const source of sourcesOf(present)) {
    if (!(await may(context.cluster, viewer, 'get', source, present.rollout.namespace))) return null;
  }
  return rolloutDiff(context, present, 'back');
}

async function answerOf(
  { context }: RolloutAct,
  plan: Plan | null,
  findings: readonly Finding[],
  tried: DryRun | null,
): Promise<ActionAnswer> {
  const { keys } = context;
  return {
    plan: plan === null ? null : await planAnswer(plan, keys),
    findings: findingsAnswer(findings, keys),
    diff: null,
    applied: false,
    result: null,
    toSeen: null,
    dryRun: dryRunAnswer(context, tried),
    revision: null,
  };
}

async function commitRollout(
  act: Writing,
  follower: Follower,
  tried: JsonObject,
): Promise<ActionAnswer['result'] | null> {
  const { context, viewer, attempt, planned } = act;
  const begun = attempt.begin(expectationOf(act, tried));
  await archivedFirst(context);
  let answer: JsonObject;
  try {
    answer = await sendWrite(context.cluster, viewer, planned.plan.write, { dryRun: false });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'conflict') return null;
    if (error.details.outcome === 'not_sent')
      throw new AppError(error.code, `${error.message} Nothing was written.`, error.details, error);
    if (!isInDoubt(error)) throw error;
    throw await inDoubt(act, error, () => follower.follow(begun, { isSure: false }));
  }
  await writeTheRest(act, expectationOf(act, answer), follower);
  follower.follow(attempt.accept(expectationOf(act, answer)), { isSure: true });
  return { actionId: attempt.action.id, state: 'accepted' };
}

/** The first write stands, whatever becomes of the second: the action has failed then, and says what is left to do. */
async function writeTheRest(
  { context, viewer, attempt, planned: { plan } }: Writing,
  { goal, ...expectation }: Expectation,
  follower: Follower,
): Promise<void> {
  if (plan.then === undefined) return;
  const begun = attempt.begin({
    ...expectation,
    ...(goal != null && { goal: { ...goal, isHalfDone: true } }),
  });
  try {
    await sendWrite(context.cluster, viewer, plan.then.write, { dryRun: false });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // Somebody has just written the same.
    if (mayBeChanged(error)) return;
    if (isInDoubt(error)) {
      attempt.leaveOpen();
      follower.follow(begun, { isSure: false });
      throw doubtError(error, attempt.action.id, false);
    }
    throw new AppError(
      error.code,
      `${plan.title}: the first of two writes was done, the second was not. ${error.message}`,
      { ...error.details, isHalfDone: true, actionId: attempt.action.id },
      error,
    );
  }
}

/** A read that shows the object as it was proves nothing: the write may still be on its way. */
async function inDoubt(act: Writing, error: AppError, followInDoubt: () => void): Promise<AppError> {
  const { context, viewer, attempt, present } = act;
  const { resource, namespace, name, resourceVersion } = present.input.object;
  const fresh = await readRolloutPresent(context, viewer, { resource, namespace, name }).catch(
    () => undefined,
  );
  attempt.leaveOpen();
  followInDoubt();
  const isUnchanged = fresh?.input.object.resourceVersion === resourceVersion && !isElsewhere(act);
  return doubtError(error, attempt.action.id, isUnchanged);
}

/** An object beside the rollout is written, whose version tells nothing of the rollout's. */
function isElsewhere({ present, planned }: Writing): boolean {
  return planned.plan.needs.resource !== present.system.resource.plural;
}

function expectationOf({ present, planned }: Writing, answer: JsonObject): Expectation {
  const { object } = present.input;
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
