import 'server-only';
import { type Action } from '@/lib/api/actions';
import { type JsonObject } from '@/lib/kube/json';
import {
  type ArchivedActivation,
  type ArchivedRevision,
  type Outcome,
  type PodSample,
  type RolloutRecord,
  type WorkloadIncarnation,
} from '@/lib/records/record';
import { type RecordSummary } from '@/lib/records/record-summary';
import { type TemplateRef } from '@/lib/records/template-meaning';
import { type Author, type ReviewComment, type Review, type Verdict } from '@/lib/records/review';

/** What is recorded of one workload in one transaction; each member replaces what is stored under the same key. */
export interface IncarnationRecording {
  incarnation: WorkloadIncarnation;
  /** With the body, where the archive may not have it yet. */
  revisions: readonly { revision: ArchivedRevision; body: JsonObject | null }[];
  activations: readonly ArchivedActivation[];
  records: readonly RolloutRecord[];
  /** Of templates that only records name, no revision. */
  bodies?: readonly { hash: string; body: JsonObject }[];
  /** Notifications about it. */
  notices?: readonly Notice[];
}

/** An event to notify about, once per target. */
export interface Notice {
  /** The same event has the same id, however often it is found. */
  id: string;
  kind: string;
  /** When it happened; events that are long past when they are recorded send no notification. */
  atMs: number;
  payload: string;
  targets: readonly string[];
}

/** A notice that is due for one target. */
export interface DueNotice {
  id: string;
  target: string;
  kind: string;
  payload: string;
  createdMs: number;
  /** Failed so far. */
  attempts: number;
}

/** The state of one target. */
export interface OutboxState {
  target: string;
  waiting: number;
  /** Of the last month. */
  delivered: number;
  givenUp: number;
  lastDeliveredMs: number | null;
  /** Null while nothing has failed since the last success. */
  failingSinceMs: number | null;
  lastError: string | null;
}

/** Who may record: one process at a time. Every recording checks that `epoch` is still the newest. */
export interface Lease {
  holder: string;
  epoch: number;
}

export interface NamespaceScope {
  resource: string;
  namespaces: readonly string[];
}

export interface RecordQuery {
  cluster: string;
  /** Words that all occur, by prefix, in workload, namespace, images, cause, summary or actor. */
  words: readonly string[];
  namespaces: readonly string[] | null;
  resources: readonly string[] | null;
  /** Those that the viewer can see; null: all. */
  scopes: readonly NamespaceScope[] | null;
  name: string | null;
  /** Of incarnations of workloads. */
  uids: readonly string[] | null;
  outcomes: readonly (Outcome | 'open')[] | null;
  actor: string | null;
  image: string | null;
  /** Milliseconds since the epoch; a record counts by its start, or the bound of an unknown start. */
  sinceMs: number | null;
  untilMs: number | null;
  /**
   * In progress at any moment of it, both ends included. An open rollout has no end; one whose end was not observed
   * counts by its start, or the bound of it.
   */
  during: { fromMs: number; toMs: number } | null;
  reviewed: boolean | null;
  limit: number;
  /** Opaque, from the previous page. */
  cursor: string | null;
}

/** How many rollouts began within one bucket of time and had the same outcome. */
export interface RecordCount {
  /** Start of the bucket. */
  fromMs: number;
  outcome: Outcome | 'open';
  count: number;
}

/** What a rollout led from and to; `from` is null for the first. */
export interface RecordTransition {
  id: string;
  from: TemplateRef | null;
  to: TemplateRef;
}

/** What a return to an earlier template reverts. */
export interface RevertedRecord {
  /** The rollout that led away from that template when it was last the target. */
  first: RecordSummary;
  /** How many came after it. */
  others: number;
}

export interface ListedRecord {
  record: RolloutRecord;
  /** Id of the record that reverted it; computed on reading. */
  revertedBy: string | null;
  review: Review | null;
  comments: number;
}

/** A rollout, reduced to what the figures of a period need. */
export interface ArchivedRollout {
  id: string;
  workloadUid: string;
  activation: number;
  /** The start, or its bound. */
  startedMs: number;
  /** Null where the end was not observed, and while it is open. */
  endedMs: number | null;
  /** Null while it is open. */
  outcome: Outcome | null;
  isReviewed: boolean;
  isStartKnown: boolean;
  wasStuck: boolean;
  hasCause: boolean;
  /** Its template had been the target of the workload before. */
  isReturn: boolean;
}

export type ArchivedWorkload = Pick<WorkloadIncarnation, 'cluster' | 'resource' | 'namespace' | 'name'>;

export interface RolloutQuery {
  cluster: string;
  sinceMs: number;
  namespaces: readonly string[] | null;
  /** Where the previous page ended. */
  before: RolloutPage['next'];
  limit: number;
}

export interface RolloutPage {
  items: ArchivedRollout[];
  next: { startedMs: number; activation: number; id: string } | null;
}

export type FollowUpQuery = Pick<RecordQuery, 'cluster' | 'scopes' | 'limit'>;

/** Ids of the records of the same incarnation before and after a record. */
export interface AdjacentRecords {
  previous: string | null;
  next: string | null;
}

/** The state of an action through Shiplog at one time. */
export interface ArchivedAction {
  at: string;
  action: Action;
  /** Of a rejection or failure: the error's code and the API server's own words. */
  code: string | null;
  apiMessage: string | null;
  /** The identity that the API server saw; null where that was Shiplog's own. */
  identity: { user: string; groups: readonly string[] } | null;
  /** The origin of the page that sent the request, null for a program. */
  origin: string | null;
  /** Hash of the template that was the target. */
  fromHash: string | null;
  /** Why it was rejected. */
  findings: readonly { code: string; message: string }[];
  /** Keyed hash of the idempotency key of the request. */
  idempotencyKey: string | null;
}

export interface ListedAction extends ArchivedAction {
  /** Of the rollout that it began. */
  recordId: string | null;
}

export interface ActionQuery {
  cluster: string;
  namespace: string | null;
  resource: string | null;
  name: string | null;
  actor: string | null;
  kinds: readonly Action['action'][] | null;
  states: readonly Action['state'][] | null;
  /** Milliseconds since the epoch, of the start. */
  sinceMs: number | null;
  untilMs: number | null;
  limit: number;
  /** From the previous page. */
  cursor: string | null;
}

/** New actions of an audit file, from its lines up to `bytes`. */
export interface JournalChunk {
  /** Of the file. */
  id: string;
  bytes: number;
  /** Lines up to there that could not be read. */
  damaged: number;
  /** Checksum of the file's content right before `bytes`; reveals a file that was restored from a copy. */
  mark: string;
  actions: readonly ArchivedAction[];
}

/** Pods by revision during a rollout. */
export interface RecordTrack {
  summary: RecordSummary;
  /** Empty where they have expired. */
  samples: readonly PodSample[];
}

/** How long bodies and pod series are retained. Zero: no limit. */
export interface RetentionPolicy {
  /** Counted from when the cluster pruned the revision, or when the rollout began. */
  days: number;
  /** The latest of each incarnation. */
  perWorkload: number;
}

export interface RecordedNamespace {
  resource: string;
  namespace: string;
  deletedMs: number | null;
}

/**
 * Storage of the records, the same over SQLite and PostgreSQL. Methods reject with AppError: `archive_unavailable` when
 * the database can't be used now (`details.retry`), `conflict` where a version or an epoch is out of date.
 */
export interface Archive {
  readonly engine: 'sqlite' | 'postgres';

  /**
   * Takes or renews the lease for ten seconds; null while another process holds it. `cluster` is the cluster that the
   * holder records, empty while the holder does not know it.
   */
  acquire(holder: string, nowMs: number, cluster: string): Promise<Lease | null>;
  /** The cluster of the latest holder of the lease; null where the holder has not stated it. */
  leaseCluster(): Promise<string | null>;
  release(lease: Lease): Promise<void>;
  record(lease: Lease, recordings: readonly IncarnationRecording[], nowMs: number): Promise<void>;

  incarnations(
    cluster: string,
    resource: string,
    namespace: string,
    name: string,
  ): Promise<WorkloadIncarnation[]>;
  /** Incarnations not known to be deleted, for a process that starts recording. */
  currentIncarnations(cluster: string): Promise<WorkloadIncarnation[]>;
  /** Including deleted ones. */
  allIncarnations(cluster: string): Promise<WorkloadIncarnation[]>;
  revisions(workloadUid: string): Promise<ArchivedRevision[]>;
  activations(workloadUid: string): Promise<ArchivedActivation[]>;
  /** Null where it was never archived, or has expired. One from a masked import has markers in it: never write it. */
  body(hash: string): Promise<JsonObject | null>;
  /** Those of these hashes that are archived, by their hash. */
  bodiesOf(hashes: readonly string[]): Promise<ReadonlyMap<string, JsonObject>>;
  /** Those of these hashes whose bodies are archived as the cluster had them, neither expired nor masked. */
  unmaskedBodies(hashes: readonly string[]): Promise<ReadonlySet<string>>;

  /** The latest records of an incarnation, in order, without their course. */
  recordSummaries(workloadUid: string, limit: number): Promise<RecordSummary[]>;
  /** Those of these ids, in no order. */
  recordSummariesById(ids: readonly string[]): Promise<RecordSummary[]>;
  /** From which template to which the latest rollouts of an incarnation before an activation led, in order. */
  transitions(workloadUid: string, beforeActivation: number, limit: number): Promise<RecordTransition[]>;
  /** The last record of each incarnation that is not deleted, in order of uid, up to `limit` after `afterUid`. */
  latestRecordSummaries(cluster: string, afterUid: string, limit: number): Promise<RecordSummary[]>;
  /** Those of these ids, and all that began since `sinceMs`. */
  changedRecordSummaries(cluster: string, sinceMs: number, ids: readonly string[]): Promise<RecordSummary[]>;
  /** Pods by revision over the latest rollouts of an incarnation that began since `sinceMs`, in order. */
  tracks(workloadUid: string, limit: number, sinceMs: number | null): Promise<RecordTrack[]>;
  /** For those of the records that returned to an earlier template, by record id. */
  revertedRecords(ids: readonly string[]): Promise<ReadonlyMap<string, RevertedRecord>>;
  recordById(id: string): Promise<ListedRecord | null>;
  recordsOf(workloadUid: string): Promise<ListedRecord[]>;
  openRecords(cluster: string): Promise<RolloutRecord[]>;
  /** Latest start first, those of unknown start last; without samples. */
  search(query: RecordQuery): Promise<{ items: ListedRecord[]; nextCursor: string | null }>;
  /**
   * The records that a search finds, on all its pages, counted in buckets of `partMs` by their start, or all together
   * where it is null; earliest bucket first.
   */
  histogram(query: RecordQuery, partMs: number | null): Promise<RecordCount[]>;
  /**
   * Every resource with the namespaces that ever had workloads of it, and when the last of them was deleted; null where
   * one still exists.
   */
  recordedNamespaces(cluster: string): Promise<RecordedNamespace[]>;
  pin(id: string, pinned: boolean): Promise<void>;
  adjacentRecords(workloadUid: string, activation: number): Promise<AdjacentRecords>;
  /** Latest start first, those of unknown start left out. */
  rollouts(query: RolloutQuery): Promise<RolloutPage>;
  /** The workloads that these records are of, by their uid. */
  workloadsOf(ids: readonly string[]): Promise<ReadonlyMap<string, ArchivedWorkload>>;
  /**
   * When those of these records that were reverted were: the start, in milliseconds, of the first later rollout of the
   * incarnation that led to the template they had replaced. Rollouts whose start is unknown don't count.
   */
  revertTimes(ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** The labels of incarnations by their uid, as last observed. */
  labels(workloadUids: readonly string[]): Promise<Map<string, Readonly<Record<string, string>>>>;

  /**
   * Stores a verdict together with its comment, both or neither. Rejects with `conflict` and the current review where
   * `ifVersion` is not its version (0: there is none).
   */
  review(
    id: string,
    verdict: Verdict,
    ifVersion: number,
    comment?: string,
    /** Notifications about it, stored in the same transaction. */
    noticesOf?: (review: Review) => readonly Notice[],
  ): Promise<Review>;
  /** Records whose current verdict asks for a follow-up, the one due first in front; without samples. */
  followUps(query: FollowUpQuery): Promise<ListedRecord[]>;
  comments(recordId: string): Promise<ReviewComment[]>;
  addComment(comment: Omit<ReviewComment, 'id' | 'edits'>): Promise<ReviewComment>;
  editComment(id: string, body: string, edit: Author & { at: string }): Promise<ReviewComment>;

  /** How much of an audit file is stored here; zero for a new file. */
  journal(id: string): Promise<Omit<JournalChunk, 'id' | 'actions'>>;
  saveJournal(part: JournalChunk): Promise<void>;
  /** Latest first. */
  actions(query: ActionQuery): Promise<{ items: ListedAction[]; nextCursor: string | null }>;
  /** In its latest state; null for an unknown id. */
  action(id: string): Promise<Action | null>;

  dueNotices(target: string, nowMs: number, limit: number): Promise<DueNotice[]>;
  /** `error` null: it was delivered. Otherwise `nextMs` null: it is abandoned. Needs the lease, like a recording. */
  settleNotice(
    lease: Lease,
    notice: Pick<DueNotice, 'id' | 'target'>,
    result: { error: string | null; nextMs: number | null },
    nowMs: number,
  ): Promise<void>;
  pruneOutbox(lease: Lease, targets: readonly string[], nowMs: number): Promise<void>;
  outbox(): Promise<OutboxState[]>;

  /**
   * Expires what the policy no longer retains; needs the lease, like a recording. Other work continues meanwhile. An
   * aborted `signal` ends it: what is left expires the next time.
   */
  expire(
    lease: Lease,
    policy: RetentionPolicy,
    nowMs: number,
    signal?: AbortSignal,
  ): Promise<{ bodies: number; series: number }>;
  sizeBytes(): Promise<number>;
  /** When the first rollout of the cluster began whose start, or a bound of it, is known. */
  oldestAt(cluster: string): Promise<string | null>;
  close(): Promise<void>;
}
