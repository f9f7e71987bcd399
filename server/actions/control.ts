import 'server-only';
import { AppError } from '@/lib/errors';
import type { ControlInput, WorkloadKind } from '@/lib/workloads/kind';
import { finding } from '@/lib/workloads/plan';
import { actionKinds, type ActionKind } from '@/lib/api/action-values';
import { kindLabel } from '@/lib/kube/resource';
import { formatList } from '@/lib/format/text';
import { changedError } from '@/server/actions/changed-error';
import { checkInputOf } from '@/server/actions/check-input';
import { checkGitOps } from '@/server/actions/checks/preflight';
import { readCurrentWorkload } from '@/server/actions/current-workload';
import type { Strategy } from '@/server/actions/strategy';
import { WorkloadProposal } from '@/server/actions/workload-proposal';
import type { Expectation } from '@/server/audit/audit';

type ControlKind = Exclude<ActionKind, 'rollback'>;

/** When each action is completed. */
const completionCriteria: Readonly<Record<ControlKind, Expectation['until']>> = {
  pause: 'observed',
  resume: 'rollout',
  restart: 'rollout',
  partition: 'rollout',
  deletePod: 'replaced',
};

/** The names of the actions where a kind has none. */
const actionNames: Readonly<Record<ControlKind, string>> = {
  pause: 'pausing',
  resume: 'resuming',
  restart: 'restarting',
  partition: 'a partition',
  deletePod: 'deleting a pod',
};

/** One of the other actions that a kind has. */
export function control(
  action: ControlKind,
  { partition, pod }: Pick<ControlInput, 'partition' | 'pod'> = {},
): Strategy {
  return async (execution) => {
    const { context, ref, request, attempt } = execution;
    const current = await readCurrentWorkload(execution, ref);
    attempt.describeCurrent(current);
    const { kind, pods } = current;
    const plan = kind.writes[action];
    if (plan === undefined) throw unsupported(kind, action);
    if (current.preconditionToken !== request.seen) throw changedError(current);
    const chosen = pods.find(({ uid }) => uid === pod?.uid);
    const group = chosen && kind.groups?.ofPod(chosen);
    if (group) attempt.describe({ group: group.index });
    return new WorkloadProposal(execution, {
      current,
      planned: plan({
        ...current,
        now: new Date(context.now()).toISOString().replace(/\.\d+Z$/, 'Z'),
        partition,
        pod,
      }),
      check: () => checkGitOps(checkInputOf(execution, current)),
      after: action === 'restart' ? 'answered' : 'untouched',
      side: { label: 'after the restart', ref: 'live', revisionId: null, number: null },
      until: completionCriteria[action],
      pod,
    });
  };
}

function unsupported(kind: WorkloadKind, action: ControlKind): AppError {
  const known = actionKinds.filter((name) => name !== 'rollback' && kind.writes[name] !== undefined);
  const message = `A ${kindLabel(kind.resource)} knows no ${actionNames[action]}.`;
  const hint = known.length === 0 ? null : `It knows ${formatList(known, 6)}.`;
  const findings = [finding('refusal', 'unsupported', message, hint)];
  return new AppError('refused', message, { findings, plan: null, diff: null });
}
