import 'server-only';
import { type Answer } from '@/lib/api/common';
import { type actionAnswerSchema } from '@/lib/api/actions';
import { type diffSchema } from '@/lib/api/diff';
import { AppError } from '@/lib/errors';
import { type JsonObject } from '@/lib/kube/json';
import { type Finding, type Plan, resourceOfRight } from '@/lib/workloads/plan';
import { type RollbackTarget } from '@/lib/workloads/rollback-target';
import { type ActionExecution, commit, errorOfFailedTest } from '@/server/actions/commit';
import { type ActionsContext } from '@/server/actions/context';
import { diffOf, diffWithRelatedChanges } from '@/server/actions/diff';
import { type DryRun, dryRunFindings, templateIn, dryRunWrite } from '@/server/actions/dry-run';
import { type Follower } from '@/server/actions/follower';
import { findingsAnswer, planAnswer } from '@/server/actions/plan-answer';
import { type CurrentWorkload } from '@/server/actions/current-workload';

/**
 * Checks a proposal against the API server and, unless it is a dry run, executes it: permission, preflight
 * and dry run, then the one write. Throws AppError `forbidden`, `refused` (with the findings) or `changed`
 * (with the fresh diff) before anything is written.
 */
export async function execute(
  execution: ActionExecution,
  follower: Follower,
  { dryRun }: { dryRun: boolean },
): Promise<Answer<typeof actionAnswerSchema>> {
  const { context, proposal } = execution;
  const { plan } = proposal;
  const permission = plan === null ? [] : await checkPermission(execution, plan, dryRun);
  const canTry = plan !== null && !isRefused(permission);
  const [preflight, dryRunResult] = await Promise.all([
    plan === null ? [] : proposal.preflight(),
    canTry ? dryRunWrite(context, execution.viewer, plan.write) : null,
  ]);
  if (dryRunResult?.outcome === 'changed') throw await errorOfFailedTest(execution, dryRunResult.error);
  if (dryRunResult?.outcome === 'forbidden' && !dryRun) throw dryRunResult.error;
  const { diff, findings: diffFindings } = await compare(execution, dryRunResult, dryRun);
  const findings = [
    ...proposal.findings,
    ...permission,
    ...(dryRunResult === null ? [] : dryRunFindings(dryRunResult)),
    ...diffFindings,
    ...preflight,
  ];
  const answer = await answerOf(execution, findings, diff, dryRunResult);
  if (dryRun) return answer;
  if (plan === null || dryRunResult?.outcome !== 'accepted' || isRefused(findings))
    throw refusalOf(answer, proposal.current.preconditionToken);
  return { ...answer, applied: true, result: await commit(execution, follower, plan, dryRunResult.answer) };
}

/** Whether the viewer is allowed to; throws AppError `forbidden` unless it is a dry run. */
export async function checkPermission(
  { context, viewer }: Pick<ActionExecution, 'context' | 'viewer'>,
  plan: Pick<Plan, 'needs'>,
  dryRun: boolean,
): Promise<Finding[]> {
  const { verb, namespace } = plan.needs;
  const resource = resourceOfRight(plan.needs);
  const { allowed, reason } = await context.cluster.access.can(viewer, plan.needs);
  if (allowed) {
    const message = `${viewer.name} may ${verb} ${resource} in namespace ${namespace}.`;
    return [{ severity: 'passed', code: 'permitted', message, action: null }];
  }
  const why = reason === undefined ? '' : ` The API server says: ${reason}`;
  const message = `${viewer.name} may not ${verb} ${resource} in namespace ${namespace}.${why}`;
  if (!dryRun) throw new AppError('forbidden', `${message} Nothing was sent.`, { ...plan.needs, reason });
  return [
    {
      severity: 'refusal',
      code: 'forbidden',
      message,
      action: `Ask for the right to ${verb} ${resource} there.`,
    },
  ];
}

/** The difference that the write will make; an action with an unknown difference is rejected. */
async function compare(
  { context, proposal }: ActionExecution,
  dryRunResult: DryRun | null,
  dryRun: boolean,
): Promise<{ diff: Answer<typeof diffSchema> | null; findings: Finding[] }> {
  const { after, current, side } = proposal;
  if (after.kind === 'untouched') return { diff: null, findings: [] };
  const answered =
    dryRunResult?.outcome === 'accepted' ? templateIn(current, dryRunResult.answer) : undefined;
  const template = after.kind === 'known' ? after.template : answered;
  if (template === undefined) return { diff: null, findings: [] };
  try {
    const diff = dryRun
      ? await diffWithRelatedChanges(context, current, template, side)
      : await diffOf(context.keys.mask, current, template, side);
    return {
      diff,
      findings: answered === undefined ? [] : await alteredFindings(context, current, template, answered),
    };
  } catch (error) {
    context.log.error('a difference could not be told', { workload: current.workload.name, error });
    return { diff: null, findings: [diffUnavailable] };
  }
}

const diffUnavailable: Finding = {
  severity: 'refusal',
  code: 'diff_unavailable',
  message: 'What would change could not be worked out, so it can’t be confirmed.',
  action: 'Look at both templates as YAML; report this, with the log of Shiplog.',
};

/** Admission plugins may change the written object. */
async function alteredFindings(
  { keys }: ActionsContext,
  current: CurrentWorkload,
  template: JsonObject,
  answered: JsonObject,
): Promise<Finding[]> {
  const altered = await diffOf(keys.mask, { ...current, template }, answered, {
    label: 'written',
    ref: '',
    revisionId: null,
    number: null,
  });
  if (altered.equal) return [];
  return [
    {
      severity: 'warning',
      code: 'altered_by_admission',
      message: `The API server will change the template before it stores it: ${altered.summary}.`,
      action: null,
    },
  ];
}

async function answerOf(
  { context, proposal }: ActionExecution,
  findings: Finding[],
  diff: Answer<typeof diffSchema> | null,
  dryRunResult: DryRun | null,
): Promise<Answer<typeof actionAnswerSchema>> {
  const { keys } = context;
  const { plan, to } = proposal;
  return {
    plan: plan === null ? null : await planAnswer(plan, keys.mask),
    findings: findingsAnswer(findings, keys.mask),
    diff,
    applied: false,
    result: null,
    toSeen: to?.seen ?? null,
    dryRun: dryRunAnswer(context, dryRunResult),
    revision: to === null ? null : targetAnswer(to.target),
  };
}

/** Null where the API server could not be reached. */
export function dryRunAnswer(
  { keys, now }: Pick<ActionsContext, 'keys' | 'now'>,
  dryRunResult: DryRun | null,
): Answer<typeof actionAnswerSchema>['dryRun'] {
  if (dryRunResult === null || dryRunResult.outcome === 'unavailable') return null;
  return {
    accepted: dryRunResult.outcome === 'accepted',
    message: keys.mask.text(dryRunResult.outcome === 'accepted' ? 'accepted' : dryRunResult.error.message),
    at: new Date(now()).toISOString(),
  };
}

function targetAnswer({ id, number, origin }: RollbackTarget): Answer<typeof actionAnswerSchema>['revision'] {
  const { prunedAt, recordedAt } = origin.kind === 'cluster' ? { prunedAt: null, recordedAt: null } : origin;
  return { id, number, origin: origin.kind, prunedAt, recordedAt };
}

export function isRefused(findings: readonly Finding[]): boolean {
  return findings.some(({ severity }) => severity === 'refusal');
}

/** The rejection that an answer amounts to, with all its details. */
export function refusalOf(answer: Answer<typeof actionAnswerSchema>, seen: string): AppError {
  const reasons = answer.findings
    .filter(({ severity }) => severity === 'refusal')
    .map(({ message }) => message);
  const { findings, plan, diff, toSeen, dryRun } = answer;
  return new AppError('refused', `${reasons.join(' ')} Nothing was written.`, {
    findings,
    plan,
    diff,
    toSeen,
    dryRun,
    seen,
  });
}
