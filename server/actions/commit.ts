import 'server-only';
import { type ActionAnswer } from '@/lib/api/actions';
import { AppError } from '@/lib/errors';
import { type JsonObject } from '@/lib/kube/json';
import { type Plan } from '@/lib/workloads/plan';
import { capitalised, listed } from '@/lib/workloads/words';
import { type Attempt } from '@/server/actions/attempt';
import { changedError } from '@/server/actions/changed';
import { type ActionsContext } from '@/server/actions/context';
import { mayBeChanged } from '@/server/actions/dry-run';
import { askedKey, expectedTemplate, templateKey, workloadOf } from '@/server/actions/expectation';
import { type Follower } from '@/server/actions/follower';
import { foundHolder, readPresentTemplate, writtenObject } from '@/server/actions/holder';
import { type Present, readPresent } from '@/server/actions/present';
import { type Proposal } from '@/server/actions/proposal';
import { failedTests, namesOf, sendWrite } from '@/server/actions/write';
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
  const { present, until, pod } = proposal;
  const { keys } = context;
  if (plan.write.kind !== 'patch')
    return {
      template: askedKey(keys, present) ?? '',
      generation: present.workload.generation,
      until,
      pod,
    };
  // What is written elsewhere leaves the workload's own generation where it is.
  const { generation } =
    foundHolder(present) === undefined ? workloadOf(present.kind, answer) : present.workload;
  return { ...expectedTemplate(keys, present, answer), generation, until, pod };
}

/**
 * What to make of a write that got no good answer. Where none came at all the object itself tells whether the write was
 * done, and if it can't be read either the action stays open until it can.
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
  if (!isOutOfReach(error) || error.code === 'rate_limited') throw error;
  const fresh = plan.write.kind === 'patch' ? await readAgain(act) : undefined;
  if (fresh === undefined) {
    act.attempt.leaveOpen();
    followInDoubt();
    throw new AppError(
      error.code,
      `${error.message} Whether the write was done is not known yet; Shiplog keeps looking, and the action will say.`,
      { ...error.details, actionId: act.attempt.action.id },
      error,
    );
  }
  const object = writtenObject(fresh);
  const isDone =
    fresh.workload.generation >= expectation.generation &&
    templateKey(act.context.keys, fresh.workload) === expectation.template;
  if (isDone) return object;
  const failed = plan.write.kind === 'patch' ? failedTests(object, plan.write.patch) : [];
  if (failed.length > 0) throw changed(act, fresh, failed);
  throw new AppError(error.code, `${error.message} Nothing was written.`, error.details, error);
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

function changed({ context, proposal }: Act, fresh: Present, paths: readonly string[]): AppError {
  const { after, side } = proposal;
  const error = changedError(
    context,
    fresh,
    after.kind === 'known' ? { template: after.template, side } : undefined,
  );
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
