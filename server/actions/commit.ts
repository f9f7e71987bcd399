import 'server-only';
import { type Answer } from '@/lib/api/common';
import { type actionAnswerSchema } from '@/lib/api/actions';
import { AppError } from '@/lib/errors';
import { type JsonObject } from '@/lib/kube/json';
import { type Plan } from '@/lib/workloads/plan';
import { numberAt } from '@/lib/kube/read';
import { capitalize, formatList } from '@/lib/format/text';
import { awaitArchived } from '@/server/actions/await-archived';
import { type Attempt } from '@/server/actions/attempt';
import { changedError, changedErrorWithDiff } from '@/server/actions/changed-error';
import { type ActionsContext } from '@/server/actions/context';
import { isPreconditionFailure } from '@/server/actions/dry-run';
import { desiredTemplateKey, expectedTemplate, templateKey, workloadOf } from '@/server/actions/expectation';
import { type Follower } from '@/server/actions/follower';
import { foundTemplateOwner, readCurrentTemplate, writtenObject } from '@/server/actions/template-owner';
import { type CurrentWorkload, readCurrentWorkload } from '@/server/actions/current-workload';
import { type Proposal } from '@/server/actions/proposal';
import {
  outcomeUnknownError,
  failedTests,
  hasValues,
  isOutcomeUnknown,
  namesOf,
  scalarsOf,
  sendWrite,
} from '@/server/actions/write';
import { type Expectation } from '@/server/audit/audit';
import { isUnreachable } from '@/server/cluster/api-errors';
import { type Viewer } from '@/server/shared/viewer';

/** A proposal in execution, its viewer, and its line in the audit. */
export interface ActionExecution {
  context: ActionsContext;
  viewer: Viewer;
  attempt: Attempt;
  proposal: Proposal;
}

/**
 * The one write, with its lines in the audit before and after. Throws AppError `changed` when another write
 * came first. `tried` is the answer of the dry run.
 */
export async function commit(
  execution: ActionExecution,
  follower: Follower,
  plan: Plan,
  dryRunResult: JsonObject,
): Promise<Answer<typeof actionAnswerSchema>['result']> {
  const { context, viewer, attempt } = execution;
  const expectation = expectationOf(execution, plan, dryRunResult);
  const attempted = attempt.begin(expectation);
  await awaitArchived(context);
  let answer: JsonObject;
  try {
    answer = await sendWrite(context.cluster, viewer, plan.write, { dryRun: false });
  } catch (error) {
    answer = await resolveFailedWrite(execution, plan, expectation, error, () =>
      follower.follow(attempted, { isSure: false }),
    );
  }
  follower.follow(attempt.accept(expectationOf(execution, plan, answer)), { isSure: true });
  return { actionId: attempt.action.id, state: 'accepted' };
}

function expectationOf({ context, proposal }: ActionExecution, plan: Plan, answer: JsonObject): Expectation {
  const { current, until, pod, after } = proposal;
  const { keys } = context;
  const replaces = desiredTemplateKey(keys, current) ?? '';
  if (plan.write.kind !== 'patch')
    return { template: replaces, generation: current.workload.generation, until, pod };
  // A write to another object does not change the workload's own generation.
  const { generation } =
    foundTemplateOwner(current) === undefined ? workloadOf(current.kind, answer) : current.workload;
  const sets = after.kind === 'untouched' ? { sets: scalarsOf(plan.write.patch) } : {};
  return { ...expectedTemplate(keys, current, answer), replaces, ...sets, generation, until, pod };
}

/**
 * Handles a write without a success answer. Where no answer came at all, the object itself may prove that the
 * write was executed, or that it can't be any more; else it may still arrive, and the action stays open.
 */
async function resolveFailedWrite(
  execution: ActionExecution,
  plan: Plan,
  expectation: Expectation,
  error: unknown,
  followInDoubt: () => void,
): Promise<JsonObject> {
  if (!(error instanceof AppError)) throw error;
  if (isPreconditionFailure(error)) throw await errorOfFailedTest(execution, error);
  if (isRefusal(error)) throw refusedError(error);
  if (error.details.outcome === 'not_sent')
    throw new AppError(error.code, `${error.message} Nothing was written.`, error.details, error);
  if (!isOutcomeUnknown(error)) throw error;
  const fresh = plan.write.kind === 'patch' ? await reread(execution).catch(() => undefined) : undefined;
  if (fresh !== undefined && plan.write.kind === 'patch') {
    const object = writtenObject(fresh);
    if (isWritten(execution, expectation, fresh)) return object;
    const failed = failedTests(object, plan.write.patch);
    // One write at most has come since, and it is another one.
    const isOverwritten = generationOf(object) <= generationOf(writtenObject(execution.proposal.current)) + 1;
    if (failed.length > 0 && isOverwritten) throw await preconditionError(execution, fresh, failed);
  }
  execution.attempt.leaveOpen();
  followInDoubt();
  throw outcomeUnknownError(error, execution.attempt.action.id, fresh !== undefined);
}

function isWritten(
  { context, proposal }: ActionExecution,
  expectation: Expectation,
  fresh: CurrentWorkload,
): boolean {
  const { generation, template, sets = [] } = expectation;
  if (proposal.after.kind === 'untouched' && sets.length === 0) return false;
  return (
    fresh.workload.generation >= generation &&
    templateKey(context.keys, fresh.workload) === template &&
    hasValues(writtenObject(fresh), sets)
  );
}

function generationOf(object: JsonObject): number {
  return numberAt(object, 'metadata', 'generation') ?? 0;
}

async function reread({ context, viewer, proposal }: ActionExecution): Promise<CurrentWorkload | undefined> {
  const { resource, namespace, name } = proposal.current.workload;
  try {
    const read = proposal.current.templateOwner === undefined ? readCurrentWorkload : readCurrentTemplate;
    return await read(context, viewer, { resource, namespace, name });
  } catch (error) {
    if (error instanceof AppError && isUnreachable(error)) return undefined;
    throw error;
  }
}

/** The error for a precondition that did not hold: what changed, if anything did. */
export async function errorOfFailedTest(execution: ActionExecution, error: AppError): Promise<AppError> {
  const { plan } = execution.proposal;
  const fresh = await reread(execution);
  if (fresh === undefined || plan === null) return error;
  if (plan.write.kind === 'delete') {
    return new AppError(
      'changed',
      'The pod is another one than you saw, or gone; nothing was deleted. Look at the pods again.',
      { seen: fresh.preconditionToken, diff: null },
      error,
    );
  }
  const { write } = plan;
  const failed = write.kind === 'patch' ? failedTests(writtenObject(fresh), write.patch) : [];
  return failed.length === 0 ? error : preconditionError(execution, fresh, failed);
}

async function preconditionError(
  { context, proposal }: ActionExecution,
  fresh: CurrentWorkload,
  paths: readonly string[],
): Promise<AppError> {
  const { after, side } = proposal;
  const error =
    after.kind === 'known'
      ? await changedErrorWithDiff(context, fresh, { template: after.template, side })
      : changedError(fresh);
  const isTemplateSame = fresh.preconditionToken === proposal.current.preconditionToken;
  const message = isTemplateSame
    ? `${capitalize(describePaths(paths))} of ${fresh.workload.name} changed in this very moment, so nothing was written. Try again.`
    : error.message;
  return new AppError(error.code, message, { ...error.details, paths });
}

/** The API server rejected what it had accepted in the dry run a moment before. */
function isRefusal({ code, details: { status } }: AppError): boolean {
  return code === 'cluster_error' && typeof status === 'number' && status >= 400 && status < 500;
}

function refusedError(error: AppError): AppError {
  const finding = { severity: 'refusal', code: 'write_refused', message: error.message, action: null };
  return new AppError(
    'refused',
    `${error.message} Nothing was written.`,
    { ...error.details, findings: [finding] },
    error,
  );
}

/** "annotations kubernetes.io/change-cause", "paused": the last names of pointers. */
function describePaths(paths: readonly string[]): string {
  return formatList(paths.map((path) => namesOf(path).slice(1).join(' ')));
}
