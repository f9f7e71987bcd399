import { type StepPause, type Traffic } from '@/lib/api/rollout-fields';
import { type RolloutStyle } from '@/lib/api/rollout-values';

/*
 * The stored record types. Times are RFC 3339 and null where they were not observed; hashes are the SHA-256
 * (hex) of the canonical JSON of a template.
 */

/**
 * The outcome of a rollout. `rolledBack` and `superseded`: it ended before every pod ran the target, by a
 * return to an earlier template or by a new one. `unknown`: not observed.
 */
export const outcomes = ['completed', 'rolledBack', 'superseded', 'failed', 'unknown'] as const;
export type Outcome = (typeof outcomes)[number];

/**
 * One incarnation of a workload: an object that is created again under the same name has another uid and is
 * another one.
 */
export interface WorkloadIncarnation {
  cluster: string;
  /** `deployments.apps` */
  resource: string;
  kind: string;
  namespace: string;
  name: string;
  uid: string;
  createdAt: string;
  /** Null while it exists. */
  deletedAt: string | null;
  labels: Readonly<Record<string, string>>;
}

/** A template that a workload once ran. The body is stored under its hash, apart from this. */
export interface ArchivedRevision {
  workloadUid: string;
  /** Opaque and stable: the id that the revision had while the cluster retained it (uid of its source object). */
  id: string;
  hash: string;
  /** Every number under which it was observed, ascending. Empty where the source carried none. */
  numbers: readonly number[];
  name: string;
  changeCause: string | null;
  images: readonly { container: string; image: string }[];
  createdAt: string;
  firstSeenAt: string;
  /** When it was pruned from the cluster; null while it is retained. */
  prunedAt: string | null;
}

export interface RevisionRef {
  /** The number that it had then; null where the source carried none. */
  number: number | null;
  /** Id of the revision, null where the template was never recorded by a source object. */
  id: string | null;
  /** Of its bytes, as recorded. */
  hash: string;
  /** Its meaning, in whatever form it is written: see `isSameTemplate`. Absent where it was never needed. */
  meaning?: string;
}

/** A period during which a revision was the target. */
export interface ArchivedActivation {
  workloadUid: string;
  /** Counts from 1 within a workload. */
  index: number;
  revision: RevisionRef;
  from: string | null;
  /** Bound of an unknown `from`: it began no later. */
  fromNotAfter: string | null;
  /** Null while it is the target, and where its end was not observed (then a later activation exists). */
  to: string | null;
}

export interface Actor {
  /** A person, or the manager that wrote the template: as the source reports, never guessed. */
  name: string;
  source: 'shiplog' | 'managedFields';
  /** `kubectl-set`, `argocd-controller`, …; null for actions through Shiplog. */
  manager: string | null;
}

export interface StepPod {
  name: string;
  uid: string;
  ip: string | null;
  node: string | null;
  readyAt: string | null;
  restarts: number;
  /** Its group of the workload. Absent: there are no groups. */
  group?: string;
}

/** `planned`: not begun. `skipped`: it never ran. */
export const stepOutcomes = ['planned', 'running', 'completed', 'abandoned', 'skipped', 'unknown'] as const;
type StepOutcome = (typeof stepOutcomes)[number];

/** A pod of another revision that went during the rollout. */
export interface RemovedPod {
  name: string;
  uid: string;
  /** Of the template that it ran; null where its revision was unknown. */
  hash: string | null;
  /** When it was first observed terminating; null if that was not watched. */
  goneAt: string | null;
}

/**
 * A canary step, a batch, a partition move, or a wave of a plain rolling update, with the pods that it
 * created and those that they replaced.
 */
export interface RecordedStep {
  /** Counts from 1. */
  index: number;
  name: string;
  kind: 'wave' | 'partition' | 'canary' | 'batch';
  /** What the step requests: "4 of 6 pods", "partition 3"; null where unknown. */
  planned: string | null;
  startedAt: string | null;
  endedAt: string | null;
  state: StepOutcome;
  /** The first 200. */
  pods: readonly StepPod[];
  /** Of the pods that came and are not listed, see `StepPodList`. */
  more?: number;
  unlisted?: readonly string[];
  /** The first 200, each name once. */
  removed: readonly RemovedPod[];
  /** How many more went. Absent: none. */
  moreRemoved?: number;
}

/**
 * How a progressive rollout ended: as its rollout did, or cut short because its controller was disabled or
 * deleted, which rolls out the rest at once.
 */
export const progressiveResults = [...outcomes, 'disabled', 'deleted'] as const;

/** The plan of a step when the progressive rollout was first observed. */
export interface PlannedStep {
  /** Counts from 1. */
  index: number;
  /** In the system's format: `20%`, `3`. */
  replicas: string | null;
  traffic: Traffic | null;
  pause: StepPause | null;
}

/** The progressive rollout behind a rollout; its steps are those of the record. */
export interface RecordedProgressiveRollout {
  /** `openkruise` */
  system: string;
  /** Of the object that controlled the workload, in the same namespace. */
  resource: string;
  name: string;
  uid: string;
  /** The system's id for it, which may be reused. */
  id: string | null;
  style: RolloutStyle;
  /** Services, Ingresses, routes whose traffic it moved. */
  routes: readonly { kind: string; name: string }[];
  plan: readonly PlannedStep[];
  /** When the plan was first observed to differ. */
  planEditedAt: string | null;
  /** Where it did not continue with the following step. */
  jumps: readonly { from: number; to: number; at: string | null }[];
  /** Null while it is in progress. */
  result: (typeof progressiveResults)[number] | null;
  /** Pods of the new revision that belong to no known step, or came once all steps were done. The first 200. */
  unassigned: readonly StepPod[];
  /** How many more. Absent: none. */
  moreUnassigned?: number;
  /** As `unlisted` of a step. */
  unlistedUnassigned?: readonly string[];
}

export const spanWaits = ['approval', 'deletion', 'resume'] as const;

/** A period inside a rollout in which it made no progress. */
export interface RolloutSpan {
  kind: 'stuck' | 'held';
  /** What a held one waits for: approval, pods to be deleted, a resume. Absent: a partition, or unknown. */
  waitsFor?: (typeof spanWaits)[number];
  /** The release controller says that the rollout has failed; it may still recover. Absent: it does not. */
  hasFailed?: true;
  from: string;
  to: string | null;
  /** The latest sentence on it. */
  reason: string;
  /** When that sentence first appeared; earlier ones differed. Absent in records of former versions. */
  reasonAt?: string;
}

/** Pods by revision at one moment: `[[hash, pods, ready], …]`. */
export interface PodSample {
  at: string;
  byRevision: readonly (readonly [hash: string, pods: number, ready: number])[];
}

export interface RolloutEvent {
  at: string;
  reason: string;
  message: string;
  object: string;
  count: number;
}

/** The record of one rollout: immutable once it has ended, except for its review. */
export interface RolloutRecord {
  /** Derived from cluster, uid and activation, so that the same rollout never gets a second record. */
  id: string;
  workload: Pick<
    WorkloadIncarnation,
    'cluster' | 'resource' | 'kind' | 'namespace' | 'name' | 'uid' | 'labels'
  >;
  activation: number;
  /** Null for the first rollout of an incarnation. */
  from: RevisionRef | null;
  to: RevisionRef;
  /** Other revisions that still had pods when it began. */
  others: readonly RevisionRef[];
  startedAt: string | null;
  /** Bound of an unknown start. */
  startedNotAfter: string | null;
  /**
   * Null while it is open, and where its end was not observed. With an unknown outcome: when it was over at
   * the latest.
   */
  endedAt: string | null;
  /** Null while it is open. */
  outcome: Outcome | null;
  /** Gaps: intervals between start and end in which Shiplog was not watching. */
  unwatched: readonly { from: string; to: string }[];
  actor: Actor | null;
  /** Id of the action through Shiplog that started it. */
  actionId: string | null;
  cause: string | null;
  /** What changed, in a sentence, masked. */
  summary: string;
  restart: boolean;
  images: readonly { container: string; image: string }[];
  strategy: string;
  desiredPods: number | null;
  steps: readonly RecordedStep[];
  /** Null where no system stepped it. */
  release: RecordedProgressiveRollout | null;
  spans: readonly RolloutSpan[];
  samples: readonly PodSample[];
  events: readonly RolloutEvent[];
  pinned: boolean;
}
