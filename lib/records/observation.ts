import type { Answer, imageSchema } from '@/lib/api/common';
import type {
  ArchivedActivation,
  ArchivedRevision,
  RevisionRef,
  WorkloadIncarnation,
  incarnationSchema,
} from '@/lib/api/incarnation';
import type { PodSample, RemovedPod, rolloutEventSchema, RolloutRecord, StepPod } from '@/lib/api/record';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { WorkloadState } from '@/lib/api/workload-values';
import type { Masked } from '@/lib/masked';

/** A revision as the cluster has it now. */
export interface ObservedRevision extends RevisionRef {
  id: string;
  name: string;
  formerNumbers: readonly number[];
  /** Was the target more than once, so what it carries need not belong to its latest activation. */
  usedBefore: boolean;
  /** As it is in the cluster. */
  changeCause: Masked<string> | null;
  /** The same, for display; null where it merely repeats that of an earlier revision. */
  cause: Masked<string> | null;
  /**
   * The cause is on the workload at present, and may date from an earlier revision. Absent: on its own
   * object.
   */
  isCauseLent?: true;
  images: readonly Answer<typeof imageSchema>[];
  createdAt: string;
  /** Active pods that run it, and how many of them are ready. */
  pods: number;
  ready: number;
}

/** An activation that the numbers in the cluster prove. */
export interface ObservedActivation {
  revision: RevisionRef;
  from: string | null;
  fromNotBefore: string | null;
  fromNotAfter: string | null;
}

export interface ObservedPod extends Omit<StepPod, 'group'> {
  /** When it was created, or got its template in place. */
  createdAt: string;
  /** It got its template in place. Absent: it was created with it. */
  isInPlace?: true;
  /** Its group, and the group's desired pods. Absent: the pod belongs to no group. */
  group?: { key: string; size: number };
}

/** An active pod of any revision. */
interface ActivePod {
  name: string;
  uid: string;
  /** Of the template that it runs; null where its revision is unknown. */
  hash: string | null;
  /** Key of its group. Absent: it belongs to none. */
  group?: string;
}

/** A pod of the last observation; `goneAt` where it went since. */
export type KnownPod = ActivePod & Pick<RemovedPod, 'goneAt'>;

/** Who wrote the template, according to managedFields. */
export interface TemplateWrite {
  manager: Masked<string>;
  time: string;
  isShiplog: boolean;
}

/** An action through Shiplog that may have started a rollout of this workload. */
export interface ShiplogAction {
  id: string;
  actor: string;
  reason: Masked<string>;
  /** The target revision of the rollback, with its hash where that is known; null for a restart. */
  to: { id: string; hash: string | null } | null;
  startedAt: string;
}

/** Since when the watch has had no gap, and when the watch before that was lost; null where there was none. */
export interface Watch {
  since: string;
  lostAt: string | null;
}

/**
 * The progressive rollout that controls a workload, as its system reports it now. The pods of its steps may
 * belong to another workload that the system created for them, such as a canary Deployment.
 */
export interface ObservedProgressiveRollout extends Pick<
  ProgressiveRollout,
  | 'system'
  | 'resource'
  | 'name'
  | 'uid'
  | 'state'
  | 'since'
  | 'style'
  | 'step'
  | 'run'
  | 'revisions'
  | 'replicas'
  | 'routes'
  | 'steps'
  | 'unassignedPods'
> {
  message: Masked<string>;
  /** Of the template that it rolls out; null where that is unknown. */
  hash: string | null;
  /**
   * Its system does not label pods with their step: a pod created during a step counts for it. Absent: it
   * labels them.
   */
  marksNoPods?: true;
  /**
   * What it changes, in one line, where the new pods have a workload of their own. Absent: the workload's
   * revisions show it.
   */
  change?: Masked<string>;
}

/** The state of one workload in the cache. Texts for people are masked. */
export interface Observation {
  at: string;
  watch: Watch;
  incarnation: Answer<typeof incarnationSchema>;
  /** Newest first. */
  revisions: readonly ObservedRevision[];
  /** In the order in which they began. The last one is of the target where there is one. */
  activations: readonly ObservedActivation[];
  /**
   * Null while no source object with the highest number records the current template, unless a progressive
   * rollout introduces it: then it has neither number nor id so far.
   */
  target: RevisionRef | null;
  /** By each number that an adopted revision had before, ascending: the last one was an earlier incarnation's target. */
  adopted: readonly RevisionRef[];
  /** Ids of the revisions that its controller has yet to adopt. */
  orphans: readonly string[];
  /** When any client last wrote the template; null where that is not known. */
  templateWrittenAt: string | null;
  /** The annotation `kubernetes.io/change-cause` of the workload itself. */
  workloadCause: Masked<string> | null;
  /** Null where no system steps the workload. */
  progressiveRollout: ObservedProgressiveRollout | null;
  paused: boolean;
  partition: number | null;
  state: WorkloadState;
  message: Masked<string>;
  /** Since when the state holds, where the cluster proves it. */
  stateSince: string | null;
  /**
   * Not null when every desired pod runs the target and is available, with the time where the cluster reports
   * it.
   */
  completion: { provenAt: string | null } | null;
  strategy: string;
  /** The partition as it is written, where that is a share of the pods. */
  partitionPercent?: string | undefined;
  /** What the partition counts where that is not pods. */
  partitionOf?: { noun: string; total: number } | undefined;
  desiredPods: number;
  /** False where its pods can't be read, or belong to other workloads: that none is observed proves nothing. */
  countsPods: boolean;
  /** Of the target. */
  targetPods: readonly ObservedPod[];
  /** Of every revision. */
  activePods: readonly ActivePod[];
  /** Warnings about the workload, its target's source and pods. */
  warnings: readonly Answer<typeof rolloutEventSchema>[];
  /** The last change of each ConfigMap and Secret that the template names; empty where they are not watched. */
  configChanges: readonly Answer<typeof rolloutEventSchema>[];
  writes: readonly TemplateWrite[];
  actions: readonly ShiplogAction[];
}

/** An unobserved interval; `from` is null where it had no earlier observation. */
export interface Gap {
  from: string | null;
  to: string;
}

/** The cause on a workload. */
export interface WorkloadCause {
  text: string | null;
  /** When it was first observed. */
  since: string;
  /** The rollout that was the last one then. */
  recordIdBefore: string | null;
  /** Settled: it is assigned to a rollout, or it was there before the first observation. */
  isAssigned: boolean;
  /** The rollout that it is assigned to. */
  recordId: string | null;
}

/** The last target of an earlier incarnation, from its records. */
export interface EarlierTarget {
  revision: RevisionRef;
  /** Its rollout had begun. False: its workload was paused. */
  hasStarted: boolean;
  revisionIds: ReadonlySet<string>;
}

/** A template that is requested, and that no revision records so far. */
export interface PendingTemplate {
  /** Null where that was not observed. */
  since: string | null;
  /** The pods since then. */
  samples: readonly PodSample[];
}

/** What the recorder remembers of a workload, as far as the next observation needs it. */
export interface RecorderMemory {
  incarnation: WorkloadIncarnation | null;
  /** Of the incarnation before it; null where none is recorded, and once this one has activations. */
  earlier: EarlierTarget | null;
  /** By id. */
  revisions: ReadonlyMap<string, ArchivedRevision>;
  activations: readonly ArchivedActivation[];
  /** Of the last activation, open or ended; null while that has none. */
  record: RolloutRecord | null;
  /** Since the last gap, the open record was observed as not complete. */
  isObservedOpen: boolean;
  /** The gap in the time in which the last activation has been paused without a record. */
  pausedGap: Gap | null;
  /** Null while a revision records the template. */
  pending: PendingTemplate | null;
  /** Null before the first observation. */
  cause: WorkloadCause | null;
  /** The active pods of the last observation, and those that went since while no target was recorded. */
  pods: readonly KnownPod[];
  /** Up to when the workload was watched; null where it never was. */
  watchedUntil: string | null;
  /** When the open record was last returned to be saved. */
  savedAt: string | null;
}

/** What to save, each under its own key. */
export interface RecordedChanges {
  incarnation: WorkloadIncarnation | null;
  revisions: readonly ArchivedRevision[];
  activations: readonly ArchivedActivation[];
  records: readonly RolloutRecord[];
}

export interface ObservationResult {
  memory: RecorderMemory;
  changes: RecordedChanges;
}

/** What the observer needs from its caller. */
export interface RecordingTools {
  /** Stable, and different for every activation of every incarnation. */
  recordId(incarnation: WorkloadIncarnation, activation: number): string;
  /** What changed, in a masked sentence. */
  summary(from: RevisionRef | null, to: RevisionRef): Masked<string>;
  isRestart(from: RevisionRef, to: RevisionRef): boolean;
  /** The meaning of the template, with the version of the rules; null where the template is not available. */
  meaning(ref: RevisionRef): string | null;
  /** Of a template that no revision records so far; empty where it is unknown. */
  imagesOf(pending: RevisionRef): readonly Answer<typeof imageSchema>[];
}

/** The state before the first observation of a workload. */
export const emptyMemory: RecorderMemory = {
  incarnation: null,
  earlier: null,
  revisions: new Map(),
  activations: [],
  record: null,
  isObservedOpen: false,
  pausedGap: null,
  pending: null,
  cause: null,
  pods: [],
  watchedUntil: null,
  savedAt: null,
};
