import 'server-only';
import type { z } from 'zod';
import type { rollbackRequestSchema } from '@/lib/api/actions';
import { AppError } from '@/lib/errors';
import type { RevisionHistory } from '@/lib/history/revision';
import { isEqualTemplate } from '@/lib/history/template-equality';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { kindLabel } from '@/lib/kube/resource';
import { takenFields } from '@/lib/owners/taken-fields';
import type { PlanResult, RollbackInput } from '@/lib/workloads/kind';
import { findLatePods } from '@/lib/workloads/late-pods';
import type { Finding } from '@/lib/workloads/plan';
import { findingsOfTaken } from '@/lib/workloads/release-fields';
import {
  carrierOf,
  formatResult,
  formatTarget,
  retainedTarget,
  type RollbackTarget,
} from '@/lib/workloads/rollback-target';
import { checkInputOf } from '@/server/actions/check-input';
import { changedError } from '@/server/actions/changed-error';
import type { CheckedTemplate } from '@/server/actions/checks/check';
import { preflight } from '@/server/actions/checks/preflight';
import type { ActionsContext } from '@/server/actions/context';
import { type CurrentWorkload, readCurrentWorkload } from '@/server/actions/current-workload';
import { diffOf } from '@/server/actions/diff';
import type { Execution, Proposal } from '@/server/actions/strategy';
import { findTarget, type ResolvedTarget } from '@/server/actions/target';
import {
  type RollbackResult,
  type WorkloadDraft,
  WorkloadProposal,
} from '@/server/actions/workload-proposal';
import { withTimeout } from '@/server/archive/with-timeout';
import { factsOf } from '@/server/cluster/ingest';

/** The latest ones say most: replicas and probes change. */
const ROLLOUTS_MAX = 9;

/** The median of how long the latest completed rollouts of the workload took; null where none was recorded in full. */
async function usualDurationMs(
  { archive, cluster }: Pick<ActionsContext, 'archive' | 'cluster'>,
  uid: string,
): Promise<number | null> {
  const opened = archive();
  if (opened === null) return null;
  const search = opened.rollouts.search({
    clusters: [{ cluster: cluster.identity.id, scopes: null }],
    uids: [uid],
    outcomes: ['completed'],
    limit: ROLLOUTS_MAX,
  });
  const { items } = await withTimeout(search).catch(() => ({ items: [] }));
  const durations = items
    .flatMap(({ record: { startedAt, endedAt } }) =>
      startedAt === null || endedAt === null ? [] : [Date.parse(endedAt) - Date.parse(startedAt)],
    )
    .filter((ms) => ms >= 0)
    .sort((a, b) => a - b);
  return durations[Math.floor(durations.length / 2)] ?? null;
}

export type ParsedRollback = z.output<typeof rollbackRequestSchema>;

/** The rollback to a revision. */
export async function rollback(execution: Execution<ParsedRollback>): Promise<Proposal> {
  const { ref, request, attempt } = execution;
  const current = await readCurrentWorkload(execution, ref, { withTemplateOwner: true });
  attempt.describeCurrent(current);
  return new WorkloadProposal(execution, await draftRollback(execution, current, request));
}

/** Plans the rollback on the current workload and revision; `refine` adapts the findings to where the viewer is. */
export async function draftRollback(
  execution: Execution,
  current: CurrentWorkload,
  request: ParsedRollback,
  refine: (findings: readonly Finding[]) => readonly Finding[] = (findings) => findings,
): Promise<WorkloadDraft> {
  const { context } = execution;
  const { kind, workload } = current;
  const target = await findShownTarget(execution, current, request);
  const { to, template } = target;
  const toSeen = targetPreconditionToken(context, current, to);
  if (request.partition !== undefined && kind.writes.movesPartition !== true) {
    throw new AppError(
      'bad_request',
      `A rollback of a ${kindLabel(kind.resource)} cannot set the partition. Change the partition separately.`,
    );
  }
  if (request.toSeen !== undefined && request.toSeen !== toSeen) {
    throw new AppError(
      'changed',
      `The template of revision ${formatTarget(to)} changed in the meantime. Nothing was applied. Review it and try again.`,
      { toSeen, revision: { id: to.id, number: to.number } },
    );
  }
  const rollouts = context.cluster.rollouts.rolloutsOf(workload);
  const now = new Date(context.now()).toISOString();
  const latePods = findLatePods(kind, { ...target.current, now });
  const planOf = (input: Pick<RollbackInput, 'to' | 'template' | 'requested'>): PlanResult => {
    const { plan, findings } = kind.writes.rollback({
      ...target.current,
      ...input,
      reason: request.reason,
      rollsBackInSteps: rollouts.some(({ rollsBackInSteps }) => rollsBackInSteps),
      likeKubectl: request.likeKubectl,
      latePods,
      partition: request.partition,
    });
    return { plan, findings: refine(findings) };
  };
  const { history } = target.current;
  // Only the dry run shows the complete template of a revision that records parts of it.
  const isPartial = kind.template?.comparable !== undefined;
  const resultOf = (stored: JsonObject): RollbackResult => {
    const facts = isPartial ? to.facts : factsOf(stored);
    if (isEqualTemplate(facts, to.facts))
      return { checked: checkedTemplate(history, to, stored), altered: null };
    const result = { ...to, stored: facts };
    const checked = checkedTemplate(history, result, stored);
    const planned = planOf({ to: result, template: stored, requested: template });
    const { to: carrier } = checked;
    const side = sideOf(carrier === null ? to : retainedTarget(carrier));
    return { checked, altered: { planned, side, carrier } };
  };
  return {
    current: target.current,
    planned: planOf({ to, template }),
    check: async (answered, answer) => {
      const requested = checkedTemplate(history, to, template);
      const stored = answered.then((result) => result?.checked ?? requested);
      const findings = await preflight(checkInputOf(execution, target.current), requested, stored);
      return [...findings, ...checkTaken(target.current, await answer)];
    },
    usualDurationMs: () => usualDurationMs(context, workload.uid),
    after: 'answered',
    requested: isPartial ? undefined : template,
    resultOf,
    side: sideOf(target.to),
    until: kind.producer === undefined ? 'rollout' : 'observed',
    to: { target: to, seen: toSeen },
  };
}

/** The answer to the dry run shows which fields the write takes from whom. */
function checkTaken({ holder }: CurrentWorkload, answer: JsonObject | undefined): Finding[] {
  const written = answer as unknown as KubeObject | undefined;
  const after = written?.metadata.managedFields ?? [];
  return findingsOfTaken(takenFields(holder.object.metadata.managedFields ?? [], after));
}

/** What will run, under its name. */
function checkedTemplate(
  history: RevisionHistory,
  to: RollbackTarget,
  template: JsonObject,
): CheckedTemplate {
  const carrier = carrierOf(history, to);
  return { called: `revision ${formatResult({ history, to }, carrier)}`, to: carrier, template };
}

/** The target; throws AppError `changed` where the workload is not the one that the viewer saw, with the difference. */
async function findShownTarget(
  execution: Execution,
  current: CurrentWorkload,
  { to, seen }: ParsedRollback,
): Promise<ResolvedTarget> {
  const isShown = current.preconditionToken === seen;
  const target = await findTarget(execution, current, String(to)).catch((error: unknown) => {
    throw isShown ? error : changedError(current);
  });
  if (isShown) return target;
  throw changedError(current, await diffOf(execution.context, current, target.template, sideOf(target.to)));
}

function sideOf(to: RollbackTarget): WorkloadDraft['side'] {
  return { label: formatTarget(to), ref: to.id, revisionId: to.id, number: to.number };
}

/** Identifies the meaning of its template, with the template that it replaces where only the preview has shown that. */
function targetPreconditionToken(
  { cluster, keys }: ActionsContext,
  { templateOwner: owner }: CurrentWorkload,
  to: RollbackTarget,
): string {
  const replaced = owner?.state === 'found' ? `${owner.workload.uid}/${owner.workload.bodyId}` : '';
  return keys.preconditionToken(cluster.identity.id, to.id, `${to.facts.semanticId}${replaced}`);
}
