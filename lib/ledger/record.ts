import { type RolloutStyle, type StepPause, type Traffic } from '@/lib/rollout/rollout';

/*
 * What the ledger remembers. Times are RFC 3339 and null where nobody saw them; hashes are the SHA-256 (hex) of the
 * canonical JSON of a template.
 */

/**
 * How a rollout ended. `rolledBack` and `superseded`: it ended before every pod ran the target, by a return to an
 * earlier template or by a new one. `unknown`: nobody was watching.
 */
export const outcomes = ['completed', 'rolledBack', 'superseded', 'failed', 'unknown'] as const;
export type Outcome = (typeof outcomes)[number];

/** One life of a workload: an object of the same name that is created again has another uid and is another life. */
export interface WorkloadLife {
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

/** A template as a workload once ran it. The body is kept under its hash, apart from this. */
export interface ArchivedRevision {
  workloadUid: string;
  /** Opaque and stable: the id that the revision had while the cluster held it (uid of its source object). */
  id: string;
  hash: string;
  /** Every number under which it was seen, ascending. Empty where the source carried none. */
  numbers: readonly number[];
  name: string;
  changeCause: string | null;
  images: readonly { container: string; image: string }[];
  createdAt: string;
  firstSeenAt: string;
  /** When the cluster no longer had it; null while it has. */
  prunedAt: string | null;
}

export interface RevisionRef {
  /** The number that it had then; null where the source carried none. */
  number: number | null;
  /** Id of the revision, null where the template was never recorded by a source object. */
  id: string | null;
  /** Of its bytes, as they were recorded. */
  hash: string;
  /** What it means, however it is written: see `isSameTemplate`. Absent where nobody has needed it. */
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
  /** Null while it is the target, and where nobody saw the end (then a later activation exists). */
  to: string | null;
}

export interface Actor {
  /** A person, or the manager that wrote the template: what the source says, never guessed. */
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
  /** Which of the groups of its workload it is in. Absent: there are no groups. */
  group?: string;
}

/** `planned`: not begun. `skipped`: it never ran. */
export const stepOutcomes = ['planned', 'running', 'completed', 'abandoned', 'skipped', 'unknown'] as const;
export type StepOutcome = (typeof stepOutcomes)[number];

/** A pod of another revision that went while the rollout was on its way. */
export interface RemovedPod {
  name: string;
  uid: string;
  /** Of the template that it ran; null where no revision was known to be its. */
  hash: string | null;
  /** When it was first seen to be on its way out; null where nobody was watching then. */
  goneAt: string | null;
}

/** A canary step, a batch, a partition move, or a wave of a native rollout, with the pods that it brought and those that went for them. */
export interface RolloutStep {
  /** Counts from 1. */
  index: number;
  name: string;
  kind: 'wave' | 'partition' | 'canary' | 'batch';
  /** What the system was asked for: "4 of 6 pods", "partition 3"; null where nothing says. */
  planned: string | null;
  startedAt: string | null;
  endedAt: string | null;
  state: StepOutcome;
  /** The first 200. */
  pods: readonly StepPod[];
  /** Of the pods that came and are not listed, see `PodList`. */
  more?: number;
  unlisted?: readonly string[];
  /** The first 200, each name once. */
  removed: readonly RemovedPod[];
  /** How many more went. Absent: none. */
  moreRemoved?: number;
}

/**
 * How a release in steps ended: as its rollout did, or cut short since somebody disabled or deleted what stepped it, which
 * brings the rest at once.
 */
export const releaseResults = [...outcomes, 'disabled', 'deleted'] as const;

/** What a step was to be when the release was first seen. */
export interface PlannedStep {
  /** Counts from 1. */
  index: number;
  /** In the system's words: `20%`, `3`. */
  replicas: string | null;
  traffic: Traffic | null;
  pause: StepPause | null;
}

/** The release in steps that brought a rollout; its steps are those of the record. */
export interface RecordedRelease {
  /** `openkruise` */
  system: string;
  /** Of the object that held the workload, which is of the same namespace. */
  resource: string;
  name: string;
  uid: string;
  /** The system's id for it, which may be used again. */
  id: string | null;
  style: RolloutStyle;
  /** Services, Ingresses, routes that it moved. */
  routes: readonly { kind: string; name: string }[];
  plan: readonly PlannedStep[];
  /** When the plan was first seen to be another one. */
  planEditedAt: string | null;
  /** Where it did not go on to the following step. */
  jumps: readonly { from: number; to: number; at: string | null }[];
  /** Null while it goes on. */
  result: (typeof releaseResults)[number] | null;
  /** Pods of the new revision that came for no step that can be told, or once all steps were done. The first 200. */
  unassigned: readonly StepPod[];
  /** How many more. Absent: none. */
  moreUnassigned?: number;
  /** As `unlisted` of a step. */
  unlistedUnassigned?: readonly string[];
}

export const spanWaits = ['approval', 'deletion', 'resume'] as const;

/** A period inside a rollout in which it did not get on. */
export interface RolloutSpan {
  kind: 'stuck' | 'held';
  /** What a held one waits for: a person's approval, pods to be deleted, a resume. Absent: a partition, or not known. */
  waitsFor?: (typeof spanWaits)[number];
  from: string;
  to: string | null;
  /** A sentence, as it was told last. */
  reason: string;
  /** When that was first told; what was known earlier differed. Absent in records of former versions. */
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

/** The account of one rollout: unchanging once it has ended, its review aside. */
export interface RolloutRecord {
  /** Made from cluster, uid and activation, so that the same rollout never gets a second record. */
  id: string;
  workload: Pick<WorkloadLife, 'cluster' | 'resource' | 'kind' | 'namespace' | 'name' | 'uid' | 'labels'>;
  activation: number;
  /** Null for the first rollout of a life. */
  from: RevisionRef | null;
  to: RevisionRef;
  /** Other revisions that still had pods when it began. */
  others: readonly RevisionRef[];
  startedAt: string | null;
  /** Bound of an unknown start. */
  startedNotAfter: string | null;
  /** Null while it is open, and where nobody saw the end. Of an unknown outcome: when it was over at the latest. */
  endedAt: string | null;
  /** Null while it is open. */
  outcome: Outcome | null;
  /** Parts of the time between start and end in which Shiplog was not watching. */
  unwatched: readonly { from: string; to: string }[];
  actor: Actor | null;
  /** Id of the action through Shiplog that began it. */
  actionId: string | null;
  cause: string | null;
  /** What changed, in a sentence, masked. */
  summary: string;
  restart: boolean;
  images: readonly { container: string; image: string }[];
  strategy: string;
  desiredPods: number | null;
  steps: readonly RolloutStep[];
  /** Null where none stepped it. */
  release: RecordedRelease | null;
  spans: readonly RolloutSpan[];
  samples: readonly PodSample[];
  events: readonly RolloutEvent[];
  pinned: boolean;
}
