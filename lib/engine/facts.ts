import type { Revision, RevisionHistory } from '@/lib/history/revision';
import type { Blocker } from '@/lib/api/pods';
import type { PodSummary } from '@/lib/history/pod';
import type { Workload } from '@/lib/history/workload';
import type { WorkloadStatus } from '@/lib/engine/status';

/** What a kind knows of one workload at one moment, in the same terms for all kinds; `state.ts` decides what it means. */
export interface WorkloadFacts {
  workload: Workload;
  history: RevisionHistory;
  /** Those that count for the state. */
  pods: readonly PodSummary[];
  /** RFC 3339 time of the evaluation. Absent: nothing is reported as stuck for its duration. */
  now?: string | undefined;
  /** What is updated one by one, and counted. */
  unit: 'pod' | 'node' | 'group';
  /** Since when the object is being deleted; undefined while it is not. */
  deletedSince?: string | null | undefined;
  /** Whether the controller has read the last edit. */
  isObserved: boolean;
  /** What the controller, or the objects themselves, say outright; null where the counts say it. */
  report: Report | null;
  /** As the controller counts them, in pods. */
  counts: WorkloadStatus['pods'];
  /** In units. */
  progress: Progress;
  /** Nothing is to run, and nothing does. */
  isScaledDown: boolean;
  /** Every unit that is to run the target now does, and is ready. */
  isFinished: boolean;
  /** Since when, where the cluster proves it. */
  finishedAt: string | null;
  /**
   * Whether the rollout of the target had completed before: `reported` by the controller; `assumed` from the counts, which
   * proves it only where nothing can become ready any more.
   */
  completedBefore: 'reported' | 'assumed' | 'no';
  /** Since when the controller reports too few available pods. Absent, or null: it does not. */
  unavailableSince?: string | null;
  /** A person paused it. */
  pause: { since: string | null } | null;
  /** The revision that gets the traffic, where something selects it. Absent: every ready pod serves. */
  servingRevision?: Revision | null;
  /** The progressive rollout that moves the pods itself, and pauses the workload, or sets OnDelete, meanwhile. */
  movedBy: { rollout: string; by: 'pause' | 'onDelete' } | null;
  /** Pods of other revisions stay until they are deleted. */
  isOnDelete: boolean;
  /** What keeps units on another revision once it is finished; null before. */
  hold: Hold | null;
  /** The controller's own limit of time; null where it has none, so the limit of the engine applies. */
  deadline: ProgressDeadline | null;
  /** The controller reports that it cannot create or update pods. */
  failure: { verb: 'created' | 'updated'; message: string; since: string | null } | null;
  /** Whether the controller can still start or end a pod, until it is finished. Absent: unknown. */
  canProgress?: boolean;
  /** The pod of another revision that an ordered update waits for; null where it waits for none, or is finished. */
  awaitedPod: PodSummary | null;
  /** The controller creates a pod only when the one that it replaces has ended. */
  waitsForDeletion: boolean;
  /** Pods have names of their own that a person knows: they are named, not counted. */
  namesPods: boolean;
  /** What the blocked pods are part of: "groups 2 and 3". Absent: their names. */
  nameAffected?: (blockers: readonly Blocker[]) => string;
  kubectl: WorkloadStatus['kubectl'];
}

/** What is to run the target now, and how much of it does. */
interface Progress {
  /** That run the target. */
  updated: number;
  /** That are to run it now: all, or what a partition releases. */
  goal: number;
  /** That serve as the controller demands: ready, or available. */
  serving: number;
  servingWord: 'ready' | 'available';
  desired: number;
  /** Pods of other revisions that the controller still counts once all are updated. Absent: it does not count them. */
  old?: number;
  /** Beyond the desired ones, for the time of the rollout. Absent: none. */
  surge?: number;
  /** Updated without being replaced. Absent: none. */
  inPlace?: number;
  /** What the rollout waits for, where the kind knows it better than the pods say. */
  waitsFor?: string | null;
}

/** `message` follows the state, `sentence` stands at the top of the page. */
export interface Report {
  says: 'failing' | 'stopped' | 'suspended' | 'working' | 'done' | 'unclear';
  message: string;
  sentence: string;
  since: string | null;
}

/** "partition 2": `stays` names what it keeps, and on which revision. */
export interface Hold {
  name: string;
  subject: string;
  stays: string;
  /** Of the units that are to stay. Absent: nothing else is to be said. */
  note?: string;
}

export interface ProgressDeadline {
  seconds: number;
  isExceeded: boolean;
  since: string | null;
}

/** What most workloads have in common: nothing is reported, held, or late, and no pod waits for the end of another. */
export function plainFacts(input: Pick<WorkloadFacts, 'workload' | 'history' | 'pods' | 'now'>) {
  const { workload, history, pods, now } = input;
  return {
    workload,
    history,
    pods,
    now,
    unit: 'pod',
    deletedSince: workload.deletedAt ?? undefined,
    report: null,
    isScaledDown: false,
    isFinished: false,
    finishedAt: null,
    completedBefore: 'no',
    pause: null,
    movedBy: null,
    isOnDelete: false,
    hold: null,
    deadline: null,
    failure: null,
    awaitedPod: null,
    waitsForDeletion: false,
    namesPods: true,
  } satisfies Partial<WorkloadFacts>;
}
