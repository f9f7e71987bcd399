import type { RollbackInput } from '@/lib/workloads/kind';
import type { Finding } from '@/lib/workloads/plan';
import {
  controllingRolloutOf,
  activeRolloutOf,
  ROLLOUT_ID,
  rolloutIdOf,
  hasBeenRolledOut,
} from '@/lib/workloads/kruise-rollout-metadata';
import { refuseIf } from '@/lib/workloads/rollback-checks';
import { formatResult } from '@/lib/workloads/rollback-target';
import type { Workload } from '@/lib/history/workload';

/**
 * The actions that a Rollout controls during its rollout: it would undo a change made elsewhere, or count it
 * as a new rollout.
 */
export function checkControlDuringRollout(
  workload: Workload,
  action: 'pause' | 'resume' | 'restart' | 'partition' | 'deletePod',
): Finding[] {
  const rollout = controllingRolloutOf(workload);
  if (rollout === null) return [];
  return refuseIf(
    true,
    'rollout_steers',
    `Rollout ${rollout} ${CONTROL_TEXT[action]}`,
    ADVICE[action](rollout),
  );
}

const CONTROL_TEXT = {
  pause: 'updates this workload in steps; pausing the workload does not pause the Rollout.',
  resume: 'has paused this workload and pauses it again if it is resumed here.',
  restart: 'is in progress; a restart would start it again at the first step.',
  partition: 'sets the partition of this workload at every step.',
  deletePod: 'replaces the pods of this workload in steps; deleting a pod bypasses the current step.',
} as const;

const ADVICE = {
  pause: (rollout: string) => `Pause Rollout ${rollout} instead.`,
  resume: (rollout: string) => `Approve the step of Rollout ${rollout}, or resume the Rollout.`,
  restart: (rollout: string) => `Wait until Rollout ${rollout} completes, or roll it back.`,
  partition: (rollout: string) => `Approve the step of Rollout ${rollout}, or jump to another one.`,
  deletePod: (rollout: string) => `Approve the step of Rollout ${rollout} instead.`,
} as const;

/**
 * How a Rollout treats a rollback. `isStable`: to the revision from which its rollout started; null where
 * that is unknown.
 * https://github.com/openkruise/rollouts/blob/master/pkg/controller/rollout/rollout_progressing.go
 */
export function checkRollbackDuringRollout(input: RollbackInput, isStable: boolean | null): Finding[] {
  const { workload } = input;
  const rollout = activeRolloutOf(workload);
  if (rollout === null) return [...checkRolloutId(workload), ...checkAttached(workload)];
  const on = formatResult(input);
  if (isStable === true && input.rollsBackInSteps === true)
    return [
      {
        severity: 'warning',
        code: 'continues_rollout',
        message: `Rollout ${rollout} rolls back in batches: it starts again at the first step with revision ${on}.`,
        action: `Check Rollout ${rollout} afterwards: its steps wait for approval.`,
      },
    ];
  if (isStable === true)
    return [
      {
        severity: 'info',
        code: 'ends_rollout',
        message: `Revision ${on} is the stable revision of Rollout ${rollout}: rolling back ends the rollout and restores all pods, whatever the step.`,
        action: null,
      },
    ];
  return [
    {
      severity: 'warning',
      code: 'continues_rollout',
      message: `Rollout ${rollout} is in progress${isStable === false ? ` and revision ${on} is not its stable revision` : ''}: it treats ${isStable === false ? 'the rollback' : 'any revision but the stable one'} as a new rollout and starts again at the first step.`,
      action: `Check Rollout ${rollout} afterwards: its steps wait for approval.`,
    },
  ];
}

/** With the annotation unchanged, the webhook accepts a change of the template as it is. */
function checkRolloutId(workload: Workload): Finding[] {
  const id = rolloutIdOf(workload);
  if (id === undefined) return [];
  return [
    {
      severity: 'warning',
      code: 'rollout_id_unchanged',
      message: `The annotation ${ROLLOUT_ID} stays ${id}, so the Rollout does not start: all pods are rolled back at once, without steps.`,
      action: 'Change that annotation together with the template to roll back in steps.',
    },
  ];
}

function checkAttached(workload: Workload): Finding[] {
  if (!hasBeenRolledOut(workload) || rolloutIdOf(workload) !== undefined) return [];
  return [
    {
      severity: 'info',
      code: 'rollout_attached',
      message:
        'An OpenKruise Rollout has updated this workload before. If it still exists, the rollback runs all its steps.',
      action: null,
    },
  ];
}
