import {
  type ArchivedActivation,
  type ArchivedRevision,
  type RemovedPod,
  type RevisionRef,
  type RolloutEvent,
  type RolloutRecord,
  type StepPod,
  type WorkloadLife,
} from '@/lib/ledger/record';
import { type Rollout } from '@/lib/rollout/rollout';
import { type WorkloadState } from '@/lib/workloads/status';

/** A revision as the cluster has it now. */
export interface ObservedRevision extends RevisionRef {
  id: string;
  name: string;
  formerNumbers: readonly number[];
  /** Was the target more than once, so that nothing it carries need be of its latest activation. */
  usedBefore: boolean;
  /** As it stands in the cluster. */
  changeCause: string | null;
  /** The same, to be shown; null where it merely repeats that of an earlier revision. */
  cause: string | null;
  /** It is the workload that bears the cause at present, and may have borne it for an earlier revision. Absent: its own object. */
  isCauseLent?: true;
  images: readonly { container: string; image: string }[];
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
  /** When it was made, or took its template in place. */
  createdAt: string;
  /** It took its template in place. Absent: it was made with it. */
  isInPlace?: true;
  /** The group that it is in, and how many pods that is to have. Absent: each pod is for itself. */
  group?: { key: string; size: number };
}

/** An active pod of whatever revision. */
export interface PresentPod {
  name: string;
  uid: string;
  /** Of the template that it runs; null where no revision is known to be its. */
  hash: string | null;
}

/** Who wrote the template, as managedFields say it. */
export interface TemplateWrite {
  manager: string;
  time: string;
  /** The manager is Shiplog. */
  ours: boolean;
}

/** An action through Shiplog that may have begun a rollout of this workload. */
export interface OwnAction {
  id: string;
  actor: string;
  reason: string;
  /** The revision that it returned to, with its hash where that is known; null for a restart. */
  to: { id: string; hash: string | null } | null;
  startedAt: string;
}

/** Since when nothing has been missed, and when the watch before that was lost; null where there was none. */
export interface Watch {
  since: string;
  lost: string | null;
}

/**
 * The rollout in steps that holds a workload, as its system has it at one moment. The pods of its steps may be of another
 * workload that the system made for them, such as a canary Deployment.
 */
export interface ObservedRelease extends Pick<
  Rollout,
  | 'system'
  | 'resource'
  | 'name'
  | 'uid'
  | 'state'
  | 'message'
  | 'since'
  | 'style'
  | 'step'
  | 'release'
  | 'revisions'
  | 'replicas'
  | 'routes'
  | 'steps'
  | 'unassignedPods'
> {
  /** Of the template that it brings; null where that can't be told. */
  hash: string | null;
  /** Its system marks no pod with its step: one that comes while a step is at hand came for it. Absent: it does. */
  marksNoPods?: true;
  /** What it changes, in one line, where the new pods have a workload of their own. Absent: the workload's revisions tell. */
  change?: string;
}

/** What the cache says of one workload at one moment. Texts for people are masked already. */
export interface Observation {
  at: string;
  watch: Watch;
  life: WorkloadLife;
  /** Newest first. */
  revisions: readonly ObservedRevision[];
  /** In the order in which they began. The last one is of the target where there is one. */
  activations: readonly ObservedActivation[];
  /**
   * Null while no source object with the highest number records the present template, unless a release brings it: then
   * it has neither number nor id so far.
   */
  target: RevisionRef | null;
  /** The annotation `kubernetes.io/change-cause` of the workload itself, as it stands there and to be shown. */
  borneCause: { raw: string | null; text: string | null };
  /** Null where no system steps the workload. */
  release: ObservedRelease | null;
  paused: boolean;
  partition: number | null;
  state: WorkloadState;
  message: string;
  /** Since when the state holds, where the cluster proves it. */
  stateSince: string | null;
  /** Not null when every desired pod runs the target and is available, with the time where the cluster says it. */
  completion: { provenAt: string | null } | null;
  strategy: string;
  /** What the partition counts where that is not pods. */
  partitionOf?: { noun: string; total: number };
  desiredPods: number;
  /** Of the target. */
  targetPods: readonly ObservedPod[];
  /** Of every revision. */
  activePods: readonly PresentPod[];
  /** Warnings about the workload, its target's source and pods. */
  warnings: readonly RolloutEvent[];
  /** The last change of each ConfigMap and Secret that the template names; empty where nobody watches them. */
  related: readonly RolloutEvent[];
  writes: readonly TemplateWrite[];
  actions: readonly OwnAction[];
}

/** A stretch that nobody watched; `from` is null where nobody had watched before. */
export interface Gap {
  from: string | null;
  to: string;
}

/** What a workload bears as the cause of its change. */
export interface BorneCause {
  raw: string | null;
  /** When it was first seen. */
  since: string;
  /** Nothing is to be done about it any more: a rollout has got it, or it was there before anybody watched. */
  isGiven: boolean;
  /** The rollout that has got it. */
  recordId: string | null;
}

/** What the archive says of a workload, as far as the next observation needs it. */
export interface Memory {
  life: WorkloadLife | null;
  /** By id. */
  revisions: ReadonlyMap<string, ArchivedRevision>;
  activations: readonly ArchivedActivation[];
  /** Of the last activation, open or ended; null while that has none. */
  record: RolloutRecord | null;
  /** Since it was last watched without a gap, the open record has been seen to be not complete. */
  isSeenOpen: boolean;
  /** What was not watched of the time in which the last activation has been held without a record. */
  heldGap: Gap | null;
  /** Null before the first look. */
  cause: BorneCause | null;
  /** The active pods of the last look, and those that have gone since while no target was recorded. */
  pods: readonly (PresentPod & Pick<RemovedPod, 'goneAt'>)[];
  /** Up to when the workload was watched; null where it never was. */
  watchedUntil: string | null;
  /** When the open record was last given out to be kept. */
  keptAt: string | null;
}

/** What has to be kept, each under its own key. */
export interface Changes {
  life: WorkloadLife | null;
  revisions: readonly ArchivedRevision[];
  activations: readonly ArchivedActivation[];
  records: readonly RolloutRecord[];
}

export interface Observed {
  memory: Memory;
  changes: Changes;
}

/** What the observer asks for where it can't tell by itself. */
export interface LedgerTools {
  /** Stable, and different for every activation of every life. */
  recordId(life: WorkloadLife, activation: number): string;
  /** What changed, in a masked sentence. */
  summary(from: RevisionRef | null, to: RevisionRef): string;
  isRestart(from: RevisionRef, to: RevisionRef): boolean;
  /** What the template means, with the version of the rules; null where the template is not at hand. */
  meaning(ref: RevisionRef): string | null;
  /** Of a template that no revision records so far; empty where nothing is known of it. */
  imagesOf(pending: RevisionRef): RolloutRecord['images'];
}

/** Nothing is known of the workload yet. */
export const emptyMemory: Memory = {
  life: null,
  revisions: new Map(),
  activations: [],
  record: null,
  isSeenOpen: false,
  heldGap: null,
  cause: null,
  pods: [],
  watchedUntil: null,
  keptAt: null,
};
