import 'server-only';
import { AppError } from '@/lib/errors';
import type { RolloutActionName } from '@/lib/api/action-values';
import type { JsonObject } from '@/lib/kube/json';
import { numberAt } from '@/lib/kube/read';
import { actionLabel } from '@/lib/rollout/action-labels';
import type { RolloutObject } from '@/lib/rollout/rollout-facts';
import type { RolloutPlanResult } from '@/lib/rollout/system';
import { type CurrentRollout, readCurrentRollout, rolloutChanged } from '@/server/actions/current-rollout';
import { readCurrentWorkload } from '@/server/actions/current-workload';
import { draftRollback } from '@/server/actions/rollback';
import type { Confirmed, Comparison, Execution, Proposal, Strategy } from '@/server/actions/strategy';
import { WorkloadProposal } from '@/server/actions/workload-proposal';
import type { Expectation } from '@/server/audit/audit';
import { workloadPreconditionToken } from '@/server/views/precondition-token';
import { can } from '@/server/views/rights';
import { rolloutDiff } from '@/server/views/rollout-diff';
import { sourcesOf } from '@/server/views/find-rollout';

export interface ParsedRolloutRequest extends Confirmed {
  /** Of a jump or an approval. */
  step?: number | undefined;
  /** Of a deletion. */
  revert?: boolean | undefined;
  /** Of a rollback. */
  toSeen?: string | undefined;
}

type PlannedRollback = Extract<RolloutPlanResult, { kind: 'workload' }>;
type PlannedWrite = Exclude<RolloutPlanResult, { kind: 'workload' }>;

/**
 * An action on a rollout of any system, if its current state is the one that the viewer saw: an approval can't
 * reach another step.
 */
export function rolloutAction(action: RolloutActionName): Strategy<ParsedRolloutRequest> {
  return async (execution) => {
    const { context, viewer, ref, request, attempt } = execution;
    const current = await readCurrentRollout(context, viewer, ref);
    const { rollout, system, input } = current;
    attempt.describe({ uid: rollout.uid });
    if (current.preconditionToken !== request.seen) throw rolloutChanged(current);
    const { step = null, revert } = request;
    assertStepAllowed(current, action, step);
    const planned = system.plan(input, { action, step, ...(revert !== undefined && { revert }) });
    if (planned.kind === 'workload') return proposeRollback(execution, current, planned);
    if (planned.kind === 'write' && planned.goal.until === 'step') {
      const { from, to } = planned.goal;
      attempt.describe({ step: { from, to }, label: actionLabel(rollout, action, step) });
    }
    return proposeWrite(execution, current, planned);
  };
}

/** A system that continues one step at a time must not get a request for several. */
function assertStepAllowed(
  { rollout, system }: CurrentRollout,
  action: RolloutActionName,
  step: number | null,
): void {
  const offered = rollout.actions.find(({ name }) => name === action);
  if (step === null || offered?.allowed !== true || offered.steps !== null) return;
  const message = `${action} of a ${system.resource.kind} does not accept a step.`;
  throw new AppError('bad_request', message, { field: 'step' });
}

/**
 * The workload returns to the revision from which the rollout started; its kind plans that and knows the
 * pitfalls.
 */
async function proposeRollback(
  execution: Execution<ParsedRolloutRequest>,
  current: CurrentRollout,
  { revisionId, findings }: PlannedRollback,
): Promise<Proposal> {
  const { context, viewer, request, attempt } = execution;
  const { rollout, input } = current;
  if (input.workload.state !== 'found') throw rolloutChanged(current);
  const { facts } = input.workload;
  const before = await readCurrentWorkload(execution, facts.workload, { withTemplateOwner: true });
  const { kind, workload, preconditionToken: seen } = before;
  const { resource, name } = workload;
  attempt.describe({ resource, name, rollout: { resource: rollout.resource, name: rollout.name } });
  attempt.describeCurrent(before);
  // The workload is part of what the viewer saw; the cache may not have its last change yet.
  if (seen !== workloadPreconditionToken(context.keys, context.cluster.identity.id, { kind, ...facts }))
    throw rolloutChanged(current);
  const draft = await draftRollback(
    execution,
    before,
    { ...request, to: revisionId, seen, likeKubectl: false },
    // A viewer who comes from the Rollout needs no hint to it.
    (own) => [...own.filter(({ code }) => code !== 'rollout_owner'), ...findings],
  );
  const proposal = new WorkloadProposal(execution, draft);
  // Its `seen` is the workload's, and the answer's is the rollout's.
  proposal.translate = async (error) => {
    if (error.details.seen === undefined) return error;
    const fresh = await readCurrentRollout(context, viewer, rollout).catch(() => current);
    const details = { ...error.details, seen: fresh.preconditionToken, now: fresh.rollout.message };
    return new AppError(error.code, error.sentence, details, error);
  };
  return proposal;
}

/** A proposal to write the rollout itself, or an object that belongs to it. */
function proposeWrite(execution: Execution, current: CurrentRollout, planned: PlannedWrite): Proposal {
  const { context, viewer } = execution;
  const { system, input, preconditionToken } = current;
  const plan = planned.kind === 'write' ? planned.plan : null;
  return {
    plan,
    findings: planned.findings,
    preconditionToken,
    compare: async () => ({
      diff: plan?.action === 'rollback' ? await rollbackDiff(execution, current) : null,
      findings: [],
    }),
    expect: (answer) => expectationOf(input.object, planned, answer),
    // Where the object was written in between and its state is the same, the next proposal succeeds.
    explainConflict: () => Promise.resolve(),
    findOutcome: async () => {
      const fresh = await readCurrentRollout(context, viewer, input.object).catch(() => undefined);
      // A read of the unchanged object proves nothing: the write may still arrive. The version of another object tells
      // nothing of the rollout's.
      const writesRollout = plan?.needs.resource === system.resource.plural;
      const isSameVersion = fresh?.input.object.resourceVersion === input.object.resourceVersion;
      return { is: 'unknown', isUnchanged: isSameVersion && writesRollout };
    },
  };
}

/**
 * A rollback by the rollout itself runs from its target to its source, as far as the viewer is allowed to
 * read that.
 */
async function rollbackDiff(
  { context, viewer }: Execution,
  current: CurrentRollout,
): Promise<Comparison['diff']> {
  for (const source of sourcesOf(current)) {
    if (!(await can(context.cluster, viewer, 'get', source, current.rollout.namespace))) return null;
  }
  return rolloutDiff(context, current, 'back');
}

function expectationOf(
  { generation: before, resourceVersion }: RolloutObject,
  planned: PlannedWrite,
  answer: JsonObject,
): Expectation {
  const generation = numberAt(answer, 'metadata', 'generation') ?? before;
  const expectation: Expectation = { template: '', generation, until: 'goal', pod: null };
  if (planned.kind === 'refused') return expectation;
  const step = { from: null, to: null, runId: null, ...planned.goal };
  return { ...expectation, goal: { ...step, before: resourceVersion, changesSpec: generation > before } };
}
