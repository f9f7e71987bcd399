import 'server-only';
import { type ActionAnswer } from '@/lib/api/actions';
import { type Diff } from '@/lib/api/diff';
import { AppError } from '@/lib/errors';
import { type JsonObject } from '@/lib/kube/json';
import { type Finding, type Plan, resourceOfRight } from '@/lib/workloads/plan';
import { type RollbackTarget } from '@/lib/workloads/rollback-target';
import { type Act, commit, errorOfFailedTest } from '@/server/actions/commit';
import { type ActionsContext } from '@/server/actions/context';
import { diffOf, diffWithEchoes } from '@/server/actions/diff';
import { type DryRun, dryRunFindings, templateIn, tryWrite } from '@/server/actions/dry-run';
import { type Follower } from '@/server/actions/follower';
import { findingsAnswer, planAnswer } from '@/server/actions/plan-answer';
import { type Present } from '@/server/actions/present';
import { maskText } from '@/server/mask';

/**
 * Checks a proposal against the API server and, unless it is only tried, does it: permission, preflight and dry run,
 * then the one write. Throws AppError `forbidden`, `refused` (with the findings) or `changed` (with the fresh diff)
 * before anything is written.
 */
export async function execute(
  act: Act,
  follower: Follower,
  { dryRun }: { dryRun: boolean },
): Promise<ActionAnswer> {
  const { context, proposal } = act;
  const { plan } = proposal;
  const permission = plan === null ? [] : await checkPermission(act, plan, dryRun);
  const mayTry = plan !== null && !isRefused(permission);
  const [preflight, tried] = await Promise.all([
    plan === null ? [] : proposal.preflight(),
    mayTry ? tryWrite(context, act.viewer, plan.write) : null,
  ]);
  if (tried?.outcome === 'changed') throw await errorOfFailedTest(act, tried.error);
  if (tried?.outcome === 'forbidden' && !dryRun) throw tried.error;
  const { diff, findings: diffFindings } = await compare(act, tried, dryRun);
  const findings = [
    ...proposal.findings,
    ...permission,
    ...(tried === null ? [] : dryRunFindings(tried)),
    ...diffFindings,
    ...preflight,
  ];
  const answer = await answerOf(act, findings, diff, tried);
  if (dryRun) return answer;
  if (plan === null || tried?.outcome !== 'accepted' || isRefused(findings))
    throw refusalOf(answer, proposal.present.seen);
  return { ...answer, applied: true, result: await commit(act, follower, plan, tried.answer) };
}

/** Whether the API server would let the viewer; throws AppError `forbidden` unless it is only tried. */
export async function checkPermission(
  { context, viewer }: Pick<Act, 'context' | 'viewer'>,
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

/** The difference that will be made; an action whose difference can't be told is refused. */
async function compare(
  { context, proposal }: Act,
  tried: DryRun | null,
  dryRun: boolean,
): Promise<{ diff: Diff | null; findings: Finding[] }> {
  const { after, present, side } = proposal;
  if (after.kind === 'untouched') return { diff: null, findings: [] };
  const answered = tried?.outcome === 'accepted' ? templateIn(present, tried.answer) : undefined;
  const template = after.kind === 'known' ? after.template : answered;
  if (template === undefined) return { diff: null, findings: [] };
  try {
    const diff = dryRun
      ? await diffWithEchoes(context, present, template, side)
      : await diffOf(context.keys, present, template, side);
    return {
      diff,
      findings: answered === undefined ? [] : await alteredFindings(context, present, template, answered),
    };
  } catch (error) {
    context.log.error('a difference could not be told', { workload: present.workload.name, error });
    return { diff: null, findings: [diffUnavailable] };
  }
}

const diffUnavailable: Finding = {
  severity: 'refusal',
  code: 'diff_unavailable',
  message: 'What would change could not be worked out, so it can’t be confirmed.',
  action: 'Look at both templates as YAML; report this, with the log of Shiplog.',
};

/** Admission plugins may change what is written. */
async function alteredFindings(
  { keys }: ActionsContext,
  present: Present,
  template: JsonObject,
  answered: JsonObject,
): Promise<Finding[]> {
  const altered = await diffOf(keys, { ...present, template }, answered, {
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
  { context, proposal }: Act,
  findings: Finding[],
  diff: Diff | null,
  tried: DryRun | null,
): Promise<ActionAnswer> {
  const { keys } = context;
  const { plan, to } = proposal;
  return {
    plan: plan === null ? null : await planAnswer(plan, keys),
    findings: findingsAnswer(findings, keys),
    diff,
    applied: false,
    result: null,
    toSeen: to?.seen ?? null,
    dryRun: dryRunAnswer(context, tried),
    revision: to === null ? null : targetAnswer(to.target),
  };
}

/** Null where the API server could not be asked. */
export function dryRunAnswer(
  { keys, now }: Pick<ActionsContext, 'keys' | 'now'>,
  tried: DryRun | null,
): ActionAnswer['dryRun'] {
  if (tried === null || tried.outcome === 'unavailable') return null;
  return {
    accepted: tried.outcome === 'accepted',
    message: tried.outcome === 'accepted' ? 'accepted' : maskText(tried.error.message, keys),
    at: new Date(now()).toISOString(),
  };
}

function targetAnswer({ id, number, origin }: RollbackTarget): ActionAnswer['revision'] {
  const { prunedAt, recordedAt } = origin.kind === 'cluster' ? { prunedAt: null, recordedAt: null } : origin;
  return { id, number, origin: origin.kind, prunedAt, recordedAt };
}

export function isRefused(findings: readonly Finding[]): boolean {
  return findings.some(({ severity }) => severity === 'refusal');
}

/** The refusal that an answer amounts to, with everything that it says. */
export function refusalOf(answer: ActionAnswer, seen: string): AppError {
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
