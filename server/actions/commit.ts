import 'server-only';
import { type ActionAnswer } from '@/lib/api/actions';
import { AppError } from '@/lib/errors';
import { type JsonObject } from '@/lib/kube/json';
import { type Plan } from '@/lib/workloads/plan';
import { numberAt } from '@/lib/workloads/read';
import { capitalised, listed } from '@/lib/workloads/words';
import { archivedFirst } from '@/server/actions/archived-first';
import { type Attempt } from '@/server/actions/attempt';
import { changedError, changedErrorWithDiff } from '@/server/actions/changed';
import { type ActionsContext } from '@/server/actions/context';
import { mayBeChanged } from '@/server/actions/dry-run';
import { askedKey, expectedTemplate, templateKey, workloadOf } from '@/server/actions/expectation';
import { type Follower } from '@/server/actions/follower';
import { foundHolder, readPresentTemplate, writtenObject } from '@/server/actions/holder';
import { type Present, readPresent } from '@/server/actions/present';
import { type Proposal } from '@/server/actions/proposal';
import {
  doubtError,
  failedTests,
  hasValues,
  isInDoubt,
  namesOf,
  scalarsOf,
  sendWrite,
} from '@/server/actions/write';
import { type Expectation } from '@/server/audit';
import { isOutOfReach } from '@/server/cluster/api-errors';
import { type Viewer } from '@/server/viewer';

/** A proposal on its way, for whom, and its line in the audit. */
export interface Act {
  context: ActionsContext;
  viewer: Viewer;
  attempt: Attempt;
  proposal: Proposal;
}

/**
 * The one write, with its lines in the audit before and after. Throws AppError `changed` when somebody else came
 * first. `tried` is what the dry run answered.
 */
export async function commit(
  act: Act,
  follower: Follower,
  plan: Plan,
  tried: JsonObject,
): Promise<ActionAnswer['result']> {
  const { context, viewer, attempt } = act;
  const expectation = expectationOf(act, plan, tried);
  const begun = attempt.begin(expectation);
  await archivedFirst(context);
  let answer: JsonObject;
  try {
    answer = await sendWrite(context.cluster, viewer, plan.write, { dryRun: false });
  } catch (error) {
    answer = await afterFailure(act, plan, expectation, error, () =>
      follower.follow(begun, { isSure: false }),
    );
  }
  follower.follow(attempt.accept(expectationOf(act, plan, answer)), { isSure: true });
  return { actionId: attempt.action.id, state: 'accepted' };
}

function expectationOf({ context, proposal }: Act, plan: Plan, answer: JsonObject): Expectation {
  const { present, until, pod, after } = proposal;
  const { keys } = context;
  const replaces = askedKey(keys, present) ?? '';
  if (plan.write.kind !== 'patch')
    return { template: replaces, generation: present.workload.generation, until, pod };
  // What is written elsewhere leaves the workload's own generation where it is.
  const { generation } =
    foundHolder(present) === undefined ? workloadOf(present.kind, answer) : present.workload;
  const sets = after.kind === 'untouched' ? { sets: scalarsOf(plan.write.patch) } : {};
  return { ...expectedTemplate(keys, present, answer), replaces, ...sets, generation, until, pod };
}

/**
 * What to make of a write that got no good answer. Where none came at all the object itself may tell that the write was
 * done, or that it can't be done any more; else it may still be on its way, and the action stays open.
 */
async function afterFailure(
  act: Act,
  plan: Plan,
  expectation: Expectation,
  error: unknown,
  followInDoubt: () => void,
): Promise<JsonObject> {
  if (!(error instanceof AppError)) throw error;
  if (mayBeChanged(error)) throw await errorOfFailedTest(act, error);
  if (isRefusal(error)) throw refused(error);
  if (error.details.outcome === 'not_sent')
    throw new AppError(error.code, `${error.message} Nothing was written.`, error.details, error);
  if (!isInDoubt(error)) throw error;
  const fresh = plan.write.kind === 'patch' ? await readAgain(act).catch(() => undefined) : undefined;
  if (fresh !== undefined && plan.write.kind === 'patch') {
    const object = writtenObject(fresh);
    if (isWritten(act, expectation, fresh)) return object;
    const failed = failedTests(object, plan.write.patch);
    // One write at most has come since, and it is another one.
    const isBeaten = generationOf(object) <= generationOf(writtenObject(act.proposal.present)) + 1;
    if (failed.length > 0 && isBeaten) throw await changed(act, fresh, failed);
  }
  act.attempt.leaveOpen();
  followInDoubt();
  throw doubtError(error, act.attempt.action.id, fresh !== undefined);
}

function isWritten({ context, proposal }: Act, expectation: Expectation, fresh: Present): boolean {
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

async function readAgain({ context, viewer, proposal }: Act): Promise<Present | undefined> {
  const { resource, namespace, name } = proposal.present.workload;
  try {
    const read = proposal.present.holder === undefined ? readPresent : readPresentTemplate;
    return await read(context, viewer, { resource, namespace, name });
  } catch (error) {
    if (error instanceof AppError && isOutOfReach(error)) return undefined;
    throw error;
  }
}

/** The error for a precondition that did not hold: what changed, if anything did. */
export async function errorOfFailedTest(act: Act, error: AppError): Promise<AppError> {
  const { plan } = act.proposal;
  const fresh = await readAgain(act);
  if (fresh === undefined || plan === null) return error;
  if (plan.write.kind === 'delete') {
    return new AppError(
      'changed',
      'The pod is another one than you saw, or gone; nothing was deleted. Look at the pods again.',
      { seen: fresh.seen, diff: null },
      error,
    );
  }
  const { write } = plan;
  const failed = write.kind === 'patch' ? failedTests(writtenObject(fresh), write.patch) : [];
  return failed.length === 0 ? error : changed(act, fresh, failed);
}

async function changed(
  { context, proposal }: Act,
  fresh: Present,
  paths: readonly string[],
): Promise<AppError> {
  const { after, side } = proposal;
  const error =
    after.kind === 'known'
      ? await changedErrorWithDiff(context, fresh, { template: after.template, side })
      : changedError(fresh);
  const isTemplateSame = fresh.seen === proposal.present.seen;
  const message = isTemplateSame
    ? `${capitalised(names(paths))} of ${fresh.workload.name} changed in this very moment, so nothing was written. Try again.`
    : error.message;
  return new AppError(error.code, message, { ...error.details, paths });
}

/** The server found fault with what it had accepted in the dry run a moment before. */
function isRefusal({ code, details: { status } }: AppError): boolean {
  return code === 'cluster_error' && typeof status === 'number' && status >= 400 && status < 500;
}

function refused(error: AppError): AppError {
  const finding = { severity: 'refusal', code: 'write_refused', message: error.message, action: null };
  return new AppError(
    'refused',
    `${error.message} Nothing was written.`,
    { ...error.details, findings: [finding] },
    error,
  );
}

/** "annotations kubernetes.io/change-cause", "paused": the last names of pointers. */
function names(paths: readonly string[]): string {
  return listed(paths.map((path) => namesOf(path).slice(1).join(' ')));
}
