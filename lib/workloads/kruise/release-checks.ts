import { type RollbackInput } from '@/lib/workloads/kind';
import { type Finding } from '@/lib/workloads/plan';
import {
  controllingRolloutOf,
  activeRolloutOf,
  ROLLOUT_ID,
  rolloutIdOf,
  hasBeenReleased,
} from '@/lib/workloads/kruise-rollout-metadata';
import { refuseIf } from '@/lib/workloads/rollback-checks';
import { formatTarget } from '@/lib/workloads/rollback-target';
import { type Workload } from '@/lib/history/workload';

/**
 * The actions that a Rollout controls during its release: it would undo a change made elsewhere, or count it
 * as a new release.
 */
export function checkControlDuringRelease(
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
  pause: 'moves this workload step by step; pausing it here would not hold the Rollout.',
  resume: 'has paused this workload for its release, and pauses it again whenever somebody else resumes it.',
  restart: 'is in the middle of a release; a restart would begin another one from its first step.',
  partition: 'sets the partition of this workload with every step of its release.',
  deletePod:
    'replaces the pods of this workload itself, step by step; deleting one by hand goes past its step.',
} as const;

const ADVICE = {
  pause: (rollout: string) => `Pause Rollout ${rollout} instead.`,
  resume: (rollout: string) => `Approve the step of Rollout ${rollout}, or resume the Rollout.`,
  restart: (rollout: string) => `Wait until Rollout ${rollout} is done, or roll its release back.`,
  partition: (rollout: string) => `Approve the step of Rollout ${rollout}, or jump to another one.`,
  deletePod: (rollout: string) => `Approve the step of Rollout ${rollout} instead.`,
} as const;

/**
 * How a Rollout treats a rollback. `isStable`: to the revision from which its release started; null where
 * that is unknown.
 * https://github.com/openkruise/rollouts/blob/master/pkg/controller/rollout/rollout_progressing.go
 */
export function checkRollbackDuringRelease(input: RollbackInput, isStable: boolean | null): Finding[] {
  const { workload, to } = input;
  const rollout = activeRolloutOf(workload);
  if (rollout === null) return [...checkRolloutId(workload), ...checkAttached(workload)];
  const on = formatTarget(to);
  if (isStable === true && input.rollsBackInSteps === true)
    return [
      {
        severity: 'warning',
        code: 'continues_release',
        message: `Rollout ${rollout} rolls back in batches: with revision ${on} its release begins again with its first step.`,
        action: `Follow Rollout ${rollout} afterwards: its steps wait for approval.`,
      },
    ];
  if (isStable === true)
    return [
      {
        severity: 'info',
        code: 'ends_release',
        message: `Rollout ${rollout} started its release from ${on}: going back to it ends the release, and the Rollout brings every pod back, whatever step it is at.`,
        action: null,
      },
    ];
  return [
    {
      severity: 'warning',
      code: 'continues_release',
      message: `Rollout ${rollout} is in the middle of a release${isStable === false ? `, which did not start from ${on}` : ''}: it counts ${isStable === false ? on : `anything but its stable revision`} as another release and begins again with its first step.`,
      action: `Follow Rollout ${rollout} afterwards: its steps wait for approval.`,
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
      message: `The annotation ${ROLLOUT_ID} stays ${id}: a Rollout starts no release for a template that changes without it, so all pods go back at once, without steps.`,
      action: 'Change that annotation together with the template if the steps are wanted.',
    },
  ];
}

function checkAttached(workload: Workload): Finding[] {
  if (!hasBeenReleased(workload) || rolloutIdOf(workload) !== undefined) return [];
  return [
    {
      severity: 'info',
      code: 'rollout_attached',
      message:
        'A Rollout of OpenKruise has moved this workload before; if there still is one, the return is a release of its own, with all its steps.',
      action: null,
    },
  ];
}
