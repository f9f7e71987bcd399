import { type RollbackInput } from '@/lib/workloads/kind';
import { type Finding } from '@/lib/workloads/plan';
import {
  holdingRollout,
  releasingRollout,
  ROLLOUT_ID,
  rolloutIdOf,
  wasReleased,
} from '@/lib/workloads/kruise/rollout-marks';
import { refuseIf } from '@/lib/workloads/rollback-checks';
import { calledTarget } from '@/lib/workloads/rollback-target';
import { type Workload } from '@/lib/workloads/workload';

/** The actions that a Rollout takes over while its release runs: what was done beside it, it would undo or count as a new release. */
export function checkReleasing(
  workload: Workload,
  action: 'pause' | 'resume' | 'restart' | 'partition' | 'deletePod',
): Finding[] {
  const rollout = holdingRollout(workload);
  if (rollout === null) return [];
  return refuseIf(true, 'rollout_steers', `Rollout ${rollout} ${STEERS[action]}`, ADVICE[action](rollout));
}

const STEERS = {
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
 * What a Rollout makes of a return. `isStable`: to the revision from which its release started; null where nobody can
 * tell. https://github.com/openkruise/rollouts/blob/master/pkg/controller/rollout/rollout_progressing.go
 */
export function checkRelease(input: RollbackInput, isStable: boolean | null): Finding[] {
  const { workload, to } = input;
  const rollout = releasingRollout(workload);
  if (rollout === null) return [...checkRolloutId(workload), ...checkAttached(workload)];
  const on = calledTarget(to);
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

/** With the annotation unchanged, the webhook lets a change of the template pass as it is. */
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
  if (!wasReleased(workload) || rolloutIdOf(workload) !== undefined) return [];
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
