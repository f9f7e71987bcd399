import type { RolloutState } from '@/lib/api/rollout-values';
import type { WorkloadState } from '@/lib/api/workload-values';

/** Why a workload is in a state that its progressive rollout explains. */
export type RolloutReason =
  'rolloutFailed' | 'rolloutStalled' | 'rolloutWaits' | 'rolloutMoves' | 'rolloutAddsPods';

/** The workload's own state. */
interface Own {
  state: WorkloadState;
  unobserved?: true;
  pods: { desired: number; ready: number };
}

interface Row {
  reason: RolloutReason;
  /** States of the progressive rollout. */
  rollout: readonly RolloutState[];
  /** As docs/states.md says it. */
  when: string;
  applies: (own: Own) => boolean;
  state: WorkloadState;
  /** Whether the rollout says it better. */
  says: 'rollout' | 'workload';
}

const waiting: readonly RolloutState[] = ['waiting', 'paused'];
const moving: readonly RolloutState[] = [
  'starting',
  'progressing',
  'completing',
  'rollingBack',
  'disabling',
  'terminating',
];

/**
 * What a progressive rollout changes about the state of the workload that it moves: the first row that applies; without one
 * the workload's own state stands. The workload alone does not show that its rollout has failed or stalled, nor that a
 * pause, an OnDelete or old pods among new ones belong to the rollout. A problem of its own is more precise.
 */
export const underRolloutTable: readonly Row[] = [
  {
    reason: 'rolloutFailed',
    rollout: ['failed'],
    when: 'The workload has no trouble of its own.',
    applies: () => true,
    state: 'failed',
    says: 'rollout',
  },
  {
    reason: 'rolloutStalled',
    rollout: ['stalled'],
    when: 'The workload has no trouble of its own.',
    applies: () => true,
    state: 'stuck',
    says: 'rollout',
  },
  {
    reason: 'rolloutWaits',
    rollout: waiting,
    when: 'Every pod that should serve is ready, or the workload waits: the rest waits with the rollout.',
    applies: (own) => isStopped(own) || own.state === 'complete' || isServing(own),
    state: 'held',
    says: 'rollout',
  },
  {
    reason: 'rolloutMoves',
    rollout: moving,
    when: 'The rollout has paused the workload, or set OnDelete.',
    applies: isStopped,
    state: 'held',
    says: 'rollout',
  },
  {
    reason: 'rolloutAddsPods',
    rollout: [...waiting, ...moving],
    when: 'Pods are added, which belong to the rollout: Flagger begins one by scaling up from zero.',
    applies: ({ state }) => state === 'scaling',
    state: 'rolling',
    says: 'workload',
  },
];

const TROUBLED: readonly WorkloadState[] = ['stuck', 'deadlineExceeded', 'degraded', 'unknown'];

/** The row that applies; undefined where the workload's own state stands. */
export function findUnderRollout(own: Own, rollout: RolloutState): Row | undefined {
  if (own.unobserved === true || TROUBLED.includes(own.state)) return undefined;
  return underRolloutTable.find((row) => row.rollout.includes(rollout) && row.applies(own));
}

/**
 * The state of a workload by its progressive rollout alone: while that controls it, the workload's own means little.
 * `isOfTarget`: the rollout is to what the workload requests, and not the one before.
 */
export function findPace(rollout: RolloutState, isOfTarget: boolean): WorkloadState {
  if (!isOfTarget) return 'rolling';
  switch (rollout) {
    case 'waiting':
      return 'held';
    case 'paused':
    case 'failed':
      return rollout;
    case 'stalled':
      return 'stuck';
    default:
      return 'rolling';
  }
}

function isStopped({ state }: Own): boolean {
  return state === 'paused' || state === 'waiting';
}

/** By readiness: a system that keeps pods out of service meanwhile sets `minReadySeconds`, and none is available. */
function isServing({ state, pods }: Own): boolean {
  return state === 'rolling' && pods.ready >= pods.desired;
}
