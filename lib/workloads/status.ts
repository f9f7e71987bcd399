import { type PodBlock } from '@/lib/workloads/pod';

export const workloadStates = [
  'complete',
  'rolling',
  'held',
  'paused',
  'waiting',
  'stuck',
  'deadlineExceeded',
  'degraded',
  'failed',
  'unknown',
] as const;

export type WorkloadState = (typeof workloadStates)[number];

/** A pod that stands in the way, with the revision that it runs. */
export interface Blocker {
  pod: string;
  podUid: string;
  revision: number | null;
  block: PodBlock;
}

export interface WorkloadStatus {
  state: WorkloadState;
  /** The controller has not observed the last edit: nothing is judged yet. Absent: it has. */
  unobserved?: true;
  /** The reason beside the state word, without a full stop: "3 of 5 updated; ledger-db-2 is starting". */
  message: string;
  /** One or two full sentences for the top of the page: state, subject, number, since when, what still works. */
  sentence: string;
  /** Since when the state holds, where the cluster proves it. */
  since: string | null;
  pods: { desired: number; ready: number; updated: number; available: number };
  /** Worst first, bounded to 10. */
  blockers: readonly Blocker[];
  /** The line that `kubectl rollout status --watch=false` prints, and whether kubectl would call it done or an error. */
  kubectl: {
    text: string;
    verdict: 'done' | 'waiting' | 'error';
    /** What prints it. Absent: `kubectl rollout status`. */
    command?: string;
  };
}
