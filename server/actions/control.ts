import 'server-only';
import { AppError } from '@/lib/errors';
import { type WorkloadKind } from '@/lib/workloads/kind';
import { type ActionKind } from '@/lib/workloads/plan';
import { kindLabel } from '@/lib/workloads/resource';
import { listed } from '@/lib/workloads/words';
import { type Attempt } from '@/server/actions/attempt';
import { changedError } from '@/server/actions/changed';
import { type ActionsContext } from '@/server/actions/context';
import { type Present } from '@/server/actions/present';
import { type Proposal } from '@/server/actions/proposal';
import { type Expectation } from '@/server/audit';

export type ControlKind = Exclude<ActionKind, 'rollback'>;

export interface ControlDetails {
  seen: string;
  partition?: number;
  pod?: { name: string; uid: string };
}

/** When each action is over. */
const ends: Readonly<Record<ControlKind, Expectation['until']>> = {
  pause: 'observed',
  resume: 'rollout',
  restart: 'rollout',
  partition: 'rollout',
  deletePod: 'replaced',
};

/** What the actions are called where a kind has none. */
const names: Readonly<Record<ControlKind, string>> = {
  pause: 'pausing',
  resume: 'resuming',
  restart: 'restarting',
  partition: 'a partition',
  deletePod: 'deleting a pod',
};

/** Plans one of the kind's other actions on the workload as it is at this moment. */
export function proposeControl(
  context: ActionsContext,
  present: Present,
  attempt: Attempt,
  action: ControlKind,
  { seen, partition, pod }: ControlDetails,
): Proposal {
  const { kind, workload, history, template, input } = present;
  const control = kind.controls[action];
  if (control === undefined) throw unsupported(kind, action);
  if (present.seen !== seen) throw changedError(present);
  const chosen = input.pods.find(({ uid }) => uid === pod?.uid);
  const group = chosen && kind.groupOfPod?.(chosen);
  if (group) attempt.restartGroup(group.index);
  const { plan, findings } = control({
    workload,
    present: template,
    history,
    pods: input.pods,
    ...(input.parts && { parts: input.parts }),
    now: new Date(context.now()).toISOString().replace(/\.\d+Z$/, 'Z'),
    ...(partition === undefined ? {} : { partition }),
    ...(pod === undefined ? {} : { pod }),
  });
  return {
    present,
    plan,
    findings,
    preflight: () => Promise.resolve([]),
    after: action === 'restart' ? { kind: 'answered' } : { kind: 'untouched' },
    side: { label: 'after the restart', ref: 'live', revisionId: null, number: null },
    until: ends[action],
    pod: pod ?? null,
    to: null,
  };
}

function unsupported(kind: WorkloadKind, action: ControlKind): AppError {
  const known = Object.keys(kind.controls);
  const message = `A ${kindLabel(kind.resource)} knows no ${names[action]}.`;
  const hint = known.length === 0 ? null : `It knows ${listed(known, 6)}.`;
  return new AppError('refused', message, {
    findings: [{ severity: 'refusal', code: 'unsupported', message, action: hint }],
    plan: null,
    diff: null,
  });
}
