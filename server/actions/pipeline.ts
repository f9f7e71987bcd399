import 'server-only';
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '@/lib/errors';
import type { JsonObject } from '@/lib/kube/json';
import { finding, type Finding, type NeededRight, type Plan, resourceOfRight } from '@/lib/workloads/plan';
import { isRefused, refusalOf, responseOf } from '@/server/actions/answer';
import { acceptedAnswer, type DryRun, dryRunFindings, dryRunPlan } from '@/server/actions/dry-run';
import type { Confirmed, ActionResponse, Execution, Proposal, Strategy } from '@/server/actions/strategy';
import { isOutcomeUnknown, outcomeUnknownError, sendWrite } from '@/server/actions/write';
import type { Expectation } from '@/server/audit/audit';
import { withTimeout } from '@/server/archive/with-timeout';
import type { Cluster } from '@/server/cluster/cluster';
import type { WorkloadName } from '@/server/views/find-workload';
import { readRights, hideInText } from '@/server/views/view-rights';

/** A busy controller writes the object every second or so; what the viewer saw is compared each time. */
const PROPOSALS_MAX = 5;

/** A wait that a person does not notice beside a write; a slower archive gets the line as soon as it can. */
const ARCHIVE_TIMEOUT_MS = 1_000;

/**
 * Every action: propose, check, dry run, write, follow, each step with its line in the audit. Throws AppError
 * `forbidden`, `refused` (with the findings) or `changed` (with the fresh diff) before anything is written.
 */
export async function perform<Request extends Confirmed>(
  execution: Execution<Request>,
  propose: Strategy<Request>,
): Promise<ActionResponse> {
  for (let left = PROPOSALS_MAX; left > 0; left -= 1) {
    const proposal = await propose(execution);
    try {
      const response = await tryProposal(execution, proposal);
      if (response !== null) return response;
    } catch (error) {
      throw error instanceof AppError ? ((await proposal.translate?.(error)) ?? error) : error;
    }
  }
  const { resource, namespace, name } = execution.attempt.action;
  throw new AppError(
    'conflict',
    `${name} changes too often: the request was rejected each time. Nothing was applied; try again.`,
    { resource, namespace, name },
  );
}

/** The plan that will be sent, which is the one that was tried last. */
interface Tried {
  plan: Plan;
  dryRun: DryRun;
}

/** Where the answer asks for another write, as for a change cause that names what admission alters, that is tried, too. */
async function tryPlan(execution: Execution, proposal: Proposal, plan: Plan): Promise<Tried> {
  const dryRun = await dryRunPlan(execution, plan);
  const answer = acceptedAnswer(dryRun);
  const next = answer === undefined ? null : (proposal.planFor?.(answer) ?? null);
  if (next === null || isDeepStrictEqual(next.write, plan.write)) return { plan, dryRun };
  return { plan: next, dryRun: await dryRunPlan(execution, next) };
}

/** Null: the object has changed since it was read, and nothing was written; a new proposal compares what the viewer saw. */
async function tryProposal(execution: Execution, proposal: Proposal): Promise<ActionResponse | null> {
  const { plan } = proposal;
  const { context, request, attempt } = execution;
  const permission = plan === null ? [] : await checkPermissions(execution, plan);
  const trying =
    plan === null || isRefused(permission) ? Promise.resolve(null) : tryPlan(execution, proposal, plan);
  const [checks, tried, usualDurationMs] = await Promise.all([
    plan === null ? [] : (proposal.check?.(trying.then((found) => acceptedAnswer(found?.dryRun))) ?? []),
    trying,
    plan === null || !request.dryRun ? undefined : proposal.usualDurationMs?.(),
  ]);
  const dryRun = tried?.dryRun ?? null;
  if (dryRun?.outcome === 'changed') {
    await proposal.explainConflict(dryRun.error);
    return null;
  }
  if (dryRun?.outcome === 'forbidden' && !request.dryRun) throw dryRun.error;
  const accepted = acceptedAnswer(dryRun);
  const { diff, findings, planned = proposal } = await proposal.compare(accepted);
  // Admission has made something else of the same template: what it says of that has to be tried again.
  if (accepted && planned.plan && !isDeepStrictEqual(planned.plan.write, tried?.plan.write)) return null;
  const checkedCodes = new Set(checks.map(({ code }) => code));
  const allFindings = [
    ...planned.findings.filter(({ code }) => !checkedCodes.has(code)),
    ...permission,
    ...(dryRun === null ? [] : dryRunFindings(dryRun)),
    ...findings,
    ...checks,
  ];
  const rights = await readRights(context.cluster, execution.viewer, attempt.action.namespace);
  const podNames = podNamesOf(context.cluster, attempt.action);
  const checked = { plan: planned.plan, findings: allFindings, diff, dryRun, usualDurationMs };
  const response = await responseOf(context, proposal, checked, (text) => hideInText(text, podNames, rights));
  if (request.dryRun) return response;
  if (tried === null || accepted === undefined || isRefused(allFindings))
    throw refusalOf(response, proposal.preconditionToken);
  attempt.describeOwners(allFindings);
  if (!(await write(execution, proposal, tried.plan, accepted))) return null;
  return { ...response, applied: true, result: { actionId: attempt.action.id, state: 'accepted' } };
}

function podNamesOf({ cache }: Cluster, { resource, namespace, name }: WorkloadName): string[] {
  const workload = cache.workload(resource, namespace, name);
  const all = workload === undefined ? [] : [workload, ...cache.childrenOf(workload)];
  return all.flatMap((each) => cache.podsOf(each).map((pod) => pod.name));
}

/** Whether the viewer is allowed to send every write; throws AppError `forbidden` unless it is a dry run. */
async function checkPermissions(execution: Execution, { needs, then }: Plan): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const right of then === undefined ? [needs] : [needs, then.needs])
    findings.push(await checkPermission(execution, right));
  return findings;
}

async function checkPermission(
  { context, viewer, request }: Execution,
  needs: NeededRight,
): Promise<Finding> {
  const { verb, namespace } = needs;
  const resource = resourceOfRight(needs);
  const { allowed, reason } = await context.cluster.access.can(viewer, needs);
  if (allowed)
    return finding(
      'passed',
      'permitted',
      `${viewer.name} can ${verb} ${resource} in namespace ${namespace}.`,
    );
  const why = reason === undefined ? '' : ` Reason given by the API server: ${reason}`;
  const message = `${viewer.name} is not allowed to ${verb} ${resource} in namespace ${namespace}.${why}`;
  if (!request.dryRun)
    throw new AppError('forbidden', `${message} Nothing was applied.`, { ...needs, reason });
  return finding(
    'refusal',
    'forbidden',
    message,
    `Request permission to ${verb} ${resource} in this namespace.`,
  );
}

/**
 * The writes, with lines in the audit before and after. False: another write came first, and nothing was written.
 * `accepted` is the answer to the dry run.
 */
async function write(
  execution: Execution,
  proposal: Proposal,
  plan: Plan,
  accepted: JsonObject,
): Promise<boolean> {
  const { context, viewer, follower, attempt } = execution;
  const expectation = proposal.expect(accepted);
  const attempted = attempt.begin(expectation);
  await awaitArchived(execution);
  let answer: JsonObject;
  try {
    answer = await sendWrite(context.cluster, viewer, plan.write, { dryRun: false });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'conflict') {
      await proposal.explainConflict(error);
      return false;
    }
    if (!isOutcomeUnknown(error)) throw unwrittenError(error);
    const outcome = await proposal.findOutcome(expectation);
    if (outcome.is === 'overwritten') throw outcome.error;
    if (outcome.is === 'unknown') {
      attempt.leaveOpen();
      follower.follow(attempted, { isSure: false });
      throw outcomeUnknownError(error, attempt.action.id, outcome.isUnchanged);
    }
    answer = outcome.object;
  }
  const confirmed = proposal.expect(answer);
  if (plan.then !== undefined) await writeSecond(execution, plan.title, plan.then, confirmed);
  follower.follow(attempt.accept(confirmed), { isSure: true });
  return true;
}

/**
 * The first write stands, whatever the outcome of the second: the action has failed then, and names what is
 * left to do.
 */
async function writeSecond(
  { context, viewer, follower, attempt }: Execution,
  title: string,
  then: NonNullable<Plan['then']>,
  { goal, ...expectation }: Expectation,
): Promise<void> {
  const attempted = attempt.begin({
    ...expectation,
    ...(goal != null && { goal: { ...goal, isHalfDone: true } }),
  });
  try {
    await sendWrite(context.cluster, viewer, then.write, { dryRun: false });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // Another write has just set the same value.
    if (error.code === 'conflict') return;
    if (isOutcomeUnknown(error)) {
      attempt.leaveOpen();
      follower.follow(attempted, { isSure: false });
      throw outcomeUnknownError(error, attempt.action.id, false);
    }
    throw new AppError(
      error.code,
      `${title}: the first of two requests was applied, the second failed. ${error.message}`,
      { ...error.details, isHalfDone: true, actionId: attempt.action.id },
      error,
    );
  }
}

/** The API server certainly did not execute the write: it rejected it, or never got it. */
function unwrittenError(error: AppError): AppError {
  const { status, outcome } = error.details;
  const message = `${error.message} Nothing was applied.`;
  // It had accepted the same in the dry run a moment before.
  if (error.code === 'cluster_error' && typeof status === 'number' && status >= 400 && status < 500) {
    const findings = [finding('refusal', 'write_refused', error.message)];
    return new AppError('refused', message, { ...error.details, findings }, error);
  }
  return outcome === 'not_sent' ? new AppError(error.code, message, error.details, error) : error;
}

/**
 * Waits for the archive, so that a viewer who sees the write finds its action there, whichever process
 * records. The file has it in any case, and no write waits for an archive that does not answer.
 */
async function awaitArchived({ context: { archive, whenArchived } }: Execution): Promise<void> {
  if (archive() === null) return;
  await withTimeout(whenArchived(), ARCHIVE_TIMEOUT_MS).catch(() => undefined);
}
