import type { WorkloadState } from '@/lib/api/workload-values';
import type { Blocker } from '@/lib/api/pods';
import type { ResourceType } from '@/lib/kube/resource';
import type { StateReason } from '@/lib/engine/reasons';
import type { RolloutReason } from '@/lib/engine/under-rollout';

export interface WorkloadStatus {
  state: WorkloadState;
  /** The row of the table that decided it: docs/states.md. */
  reason: StateReason | RolloutReason;
  /** The controller has not observed the last edit, so no state is derived yet. Absent: it has. */
  unobserved?: true;
  /** The reason next to the state, without a full stop: "3 of 5 updated; ledger-db-2 is starting". */
  message: string;
  /**
   * One or two full sentences for the top of the page: state, subject, number, since when, what still works.
   */
  sentence: string;
  /** Start of the state, where the cluster proves it. */
  since: string | null;
  pods: { desired: number; ready: number; updated: number; available: number };
  /** Worst first, bounded to 10. */
  blockers: readonly Blocker[];
  /**
   * The line that `kubectl rollout status --watch=false` prints, and whether kubectl would report it as done or
   * as an error.
   */
  kubectl: {
    text: string;
    verdict: 'done' | 'waiting' | 'error';
    /** What prints it. Absent: `kubectl rollout status`. */
    command?: string;
  };
}

/** A line of kubectl, whose first word is its verdict. */
export function readKubectlLine(text: string): WorkloadStatus['kubectl'] {
  const word = /^(error|waiting)\b/i.exec(text)?.[0].toLowerCase();
  return { text, verdict: word === 'error' || word === 'waiting' ? word : 'done' };
}

/** What kubectl and kubectl-kruise say of a kind that they do not know. */
export function withoutViewer({ kind, group }: Pick<ResourceType, 'kind' | 'group'>): string {
  return `error: no status viewer has been implemented for ${kind}.${group}`;
}

/** The same with nothing later than `now`, RFC 3339: the clock of the machine that wrote a time may be ahead. */
export function notAfter<State extends { since: string | null }>(state: State, now: string): State {
  if (state.since === null || Date.parse(state.since) <= Date.parse(now)) return state;
  return { ...state, since: now };
}
