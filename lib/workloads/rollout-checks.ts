import type { RollbackInput } from '@/lib/workloads/kind';
import { type Finding, informIf, refuseIf, warnIf } from '@/lib/workloads/plan';
import {
  controllingRolloutOf,
  activeRolloutOf,
  ROLLOUT_ID,
  rolloutIdOf,
  hasBeenRolledOut,
} from '@/lib/workloads/kruise-rollout-metadata';
import { formatResult } from '@/lib/workloads/rollback-target';
import type { Workload } from '@/lib/history/workload';

/** Why a Rollout in progress leaves no room for an action, and what to do to the Rollout instead. */
const STEERED = {
  pause: [
    'updates this workload in steps; pausing the workload does not pause the Rollout.',
    (rollout: string) => `Pause Rollout ${rollout} instead.`,
  ],
  resume: [
    'has paused this workload and pauses it again if it is resumed here.',
    (rollout: string) => `Approve the step of Rollout ${rollout}, or resume the Rollout.`,
  ],
  restart: [
    'is in progress; a restart would start it again at the first step.',
    (rollout: string) => `Wait until Rollout ${rollout} completes, or roll it back.`,
  ],
  partition: [
    'sets the partition of this workload at every step.',
    (rollout: string) => `Approve the step of Rollout ${rollout}, or jump to another one.`,
  ],
  deletePod: [
    'replaces the pods of this workload in steps; deleting a pod bypasses the current step.',
    (rollout: string) => `Approve the step of Rollout ${rollout} instead.`,
  ],
} as const;

/**
 * The actions that a Rollout controls during its rollout: it would undo a change made elsewhere, or count it
 * as a new rollout.
 */
export function checkControlDuringRollout(workload: Workload, action: keyof typeof STEERED): Finding[] {
  const rollout = controllingRolloutOf(workload);
  if (rollout === null) return [];
  const [why, advise] = STEERED[action];
  return refuseIf(true, 'rollout_steers', `Rollout ${rollout} ${why}`, advise(rollout));
}

/**
 * How a Rollout treats a rollback. `isStable`: to the revision from which its rollout started; null where
 * that is unknown. With its annotation of an id unchanged, the webhook accepts a change of the template as it is.
 * https://github.com/openkruise/rollouts/blob/master/pkg/controller/rollout/rollout_progressing.go
 */
export function checkRollbackDuringRollout(input: RollbackInput, isStable: boolean | null): Finding[] {
  const { workload } = input;
  const rollout = activeRolloutOf(workload);
  const id = rolloutIdOf(workload);
  if (rollout === null)
    return [
      ...warnIf(
        id !== undefined,
        'rollout_id_unchanged',
        `The annotation ${ROLLOUT_ID} stays ${id ?? ''}, so the Rollout does not start: all pods are rolled back at once, without steps.`,
        'Change that annotation together with the template to roll back in steps.',
      ),
      ...informIf(
        id === undefined && hasBeenRolledOut(workload),
        'rollout_attached',
        'An OpenKruise Rollout has updated this workload before. If it still exists, the rollback runs all its steps.',
      ),
    ];
  const on = formatResult(input);
  const check = `Check Rollout ${rollout} afterwards: its steps wait for approval.`;
  if (isStable === true && input.rollsBackInSteps === true) {
    const message = `Rollout ${rollout} rolls back in batches: it starts again at the first step with revision ${on}.`;
    return warnIf(true, 'continues_rollout', message, check);
  }
  if (isStable === true) {
    const message = `Revision ${on} is the stable revision of Rollout ${rollout}: rolling back ends the rollout and restores all pods, whatever the step.`;
    return informIf(true, 'ends_rollout', message);
  }
  return warnIf(
    true,
    'continues_rollout',
    `Rollout ${rollout} is in progress${isStable === false ? ` and revision ${on} is not its stable revision` : ''}: it treats ${isStable === false ? 'the rollback' : 'any revision but the stable one'} as a new rollout and starts again at the first step.`,
    check,
  );
}
