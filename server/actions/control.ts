import 'server-only';
import { AppError } from '@/lib/errors';
import { type WorkloadKind } from '@/lib/workloads/kind';
import { type ActionKind } from '@/lib/api/action-values';
import { kindLabel } from '@/lib/kube/resource';
import { formatList } from '@/lib/format/text';
import { type Attempt } from '@/server/actions/attempt';
import { changedError } from '@/server/actions/changed-error';
import { type ActionsContext } from '@/server/actions/context';
import { type CurrentWorkload } from '@/server/actions/current-workload';
import { type Proposal } from '@/server/actions/proposal';
import { type Expectation } from '@/server/audit/audit';

export type ControlKind = Exclude<ActionKind, 'rollback'>;

export interface ControlDetails {
  seen: string;
  partition?: number;
  pod?: { name: string; uid: string };
}

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

/** Plans one of the kind's other actions on the current workload. */
export function proposeControl(
  context: ActionsContext,
  current: CurrentWorkload,
  attempt: Attempt,
  action: ControlKind,
  { seen, partition, pod }: ControlDetails,
): Proposal {
  const { kind, workload, history, template, input } = current;
  const control = kind.controls[action];
  if (control === undefined) throw unsupported(kind, action);
  if (current.preconditionToken !== seen) throw changedError(current);
  const chosen = input.pods.find(({ uid }) => uid === pod?.uid);
  const group = chosen && kind.groupOfPod?.(chosen);
  if (group) attempt.restartGroup(group.index);
  const { plan, findings } = control({
    workload,
    currentTemplate: template,
    history,
    pods: input.pods,
    ...(input.children && { children: input.children }),
    now: new Date(context.now()).toISOString().replace(/\.\d+Z$/, 'Z'),
    ...(partition === undefined ? {} : { partition }),
    ...(pod === undefined ? {} : { pod }),
  });
  return {
    current,
    plan,
    findings,
    preflight: () => Promise.resolve([]),
    after: action === 'restart' ? { kind: 'answered' } : { kind: 'untouched' },
    side: { label: 'after the restart', ref: 'live', revisionId: null, number: null },
    until: completionCriteria[action],
    pod: pod ?? null,
    to: null,
  };
}

function unsupported(kind: WorkloadKind, action: ControlKind): AppError {
  const known = Object.keys(kind.controls);
  const message = `A ${kindLabel(kind.resource)} knows no ${actionNames[action]}.`;
  const hint = known.length === 0 ? null : `It knows ${formatList(known, 6)}.`;
  return new AppError('refused', message, {
    findings: [{ severity: 'refusal', code: 'unsupported', message, action: hint }],
    plan: null,
    diff: null,
  });
}
