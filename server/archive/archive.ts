import 'server-only';
import { type Action } from '@/lib/api/actions';
import { type JsonObject } from '@/lib/kube/json';
import {
  type ArchivedActivation,
  type ArchivedRevision,
  type Outcome,
  type PodSample,
  type RolloutRecord,
  type WorkloadLife,
} from '@/lib/ledger/record';
import { type RecordMark } from '@/lib/ledger/mark';
import { type TemplateRef } from '@/lib/ledger/meaning';
import { type Author, type Comment, type Review, type Verdict } from '@/lib/ledger/review';

/** What is recorded of one workload in one transaction; each part replaces what is there under the same key. */
export interface Recording {
  life: WorkloadLife;
  /** With the body, where the archive may not have it yet. */
  revisions: readonly { revision: ArchivedRevision; body: JsonObject | null }[];
  activations: readonly ArchivedActivation[];
  records: readonly RolloutRecord[];
  /** Of templates that records name and no revision carries. */
  bodies?: readonly { hash: string; body: JsonObject }[];
  /** What is to be told of it. */
  notices?: readonly Notice[];
}

/** Something that is to be told, to each target once. */
export interface Notice {
  /** The same event has the same id, however often it is found. */
  id: string;
  kind: string;
  /** When it happened: what is long ago by the time of the recording is not told. */
  atMs: number;
  payload: string;
  targets: readonly string[];
}

/** A notice that is to be sent to one target now. */
export interface DueNotice {
  id: string;
  target: string;
  kind: string;
  payload: string;
  createdMs: number;
  /** In vain, so far. */
  attempts: number;
}

/** How it stands with one target. */
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

/** Namespaces of a resource. */
export interface RecordPlace {
  resource: string;
  namespaces: readonly string[];
}

export interface RecordQuery {
  cluster: string;
  /** Words that all occur, by prefix, in workload, namespace, images, cause, summary or actor. */
  words: readonly string[];
  namespaces: readonly string[] | null;
  resources: readonly string[] | null;
  /** Those that someone may see; null: all. */
  places: readonly RecordPlace[] | null;
  name: string | null;
  /** Of lives of workloads. */
  uids: readonly string[] | null;
  outcomes: readonly (Outcome | 'open')[] | null;
  actor: string | null;
  image: string | null;
  /** Milliseconds since the epoch; a record counts by its start, or the bound of an unknown start. */
  sinceMs: number | null;
  untilMs: number | null;
  /**
   * Under way at any moment of it, both ends included. What is open goes on for ever; what nobody saw the end of counts
   * by its start, and that by its bound.
   */
  during: { fromMs: number; toMs: number } | null;
  reviewed: boolean | null;
  limit: number;
  /** Opaque, from the page before. */
  cursor: string | null;
}

/** How many rollouts began within one part of the time, and ended alike. */
export interface RecordCount {
  /** Beginning of the part. */
  fromMs: number;
  outcome: Outcome | 'open';
  count: number;
}

/** What a rollout led from and to; `from` is null for the first. */
export interface RecordPassage {
  id: string;
  from: TemplateRef | null;
  to: TemplateRef;
}

/** What a return to an earlier template takes back. */
export interface TakenBackRecord {
  /** The rollout that had led away from that template when it ran last. */
  first: RecordMark;
  /** How many came after it. */
  others: number;
}

export interface ListedRecord {
  record: RolloutRecord;
  /** Id of the record that took it back; computed on reading. */
  revertedBy: string | null;
  review: Review | null;
  comments: number;
}

/** A rollout as the figures of a period need it. */
export interface ArchivedRollout {
  id: string;
  workloadUid: string;
  activation: number;
  /** The start, or its bound. */
  startedMs: number;
  /** Null where nobody saw it, and while it is open. */
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

export type ArchivedWorkload = Pick<WorkloadLife, 'cluster' | 'resource' | 'namespace' | 'name'>;

export interface RolloutQuery {
  cluster: string;
  sinceMs: number;
  namespaces: readonly string[] | null;
  /** Where the page before ended. */
  before: RolloutPage['next'];
  limit: number;
}

export interface RolloutPage {
  items: ArchivedRollout[];
  next: { startedMs: number; activation: number; id: string } | null;
}

export type FollowUpQuery = Pick<RecordQuery, 'cluster' | 'places' | 'limit'>;

/** Ids of the records of the same life before and after one. */
export interface Neighbours {
  previous: string | null;
  next: string | null;
}

/** An action through Shiplog as it stood at one time. */
export interface ArchivedAction {
  at: string;
  action: Action;
  /** Of a refusal or failure: the error's code and the API server's own words. */
  code: string | null;
  apiMessage: string | null;
  /** As whom the API server took it; null where that was Shiplog's own identity. */
  identity: { user: string; groups: readonly string[] } | null;
  /** From where it was asked for: the origin of the page, null for a program. */
  origin: string | null;
  /** Stands for the template that was the target. */
  fromHash: string | null;
  /** Why it was refused. */
  findings: readonly { code: string; message: string }[];
  /** Keyed hash of the key that the request carried. */
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
  /** From the page before. */
  cursor: string | null;
}

/** What an audit file has gained: the actions of its lines up to `bytes`. */
export interface JournalPart {
  /** Of the file. */
  id: string;
  bytes: number;
  /** Lines up to there that could not be read. */
  damaged: number;
  /** Stands for what the file has right before `bytes`, by which one that was put back from a copy is told. */
  mark: string;
  actions: readonly ArchivedAction[];
}

/** Pods by revision while a rollout went on. */
export interface RecordTrack {
  mark: RecordMark;
  /** Empty where they have expired. */
  samples: readonly PodSample[];
}

/** How long bodies and pod series are kept. Zero stands for no limit. */
export interface RetentionPolicy {
  /** After the cluster has pruned a revision, or a rollout has begun. */
  days: number;
  /** Of each workload's life, the latest. */
  perWorkload: number;
}

export interface Place {
  resource: string;
  namespace: string;
  deletedMs: number | null;
}

/**
 * The ledger's memory, the same over SQLite and PostgreSQL. Methods reject with AppError: `archive_unavailable` when
 * the database can't be used now (`details.retry`), `conflict` where a version or an epoch is out of date.
 */
export interface Archive {
  readonly engine: 'sqlite' | 'postgres';

  /**
   * Takes or renews the lease for ten seconds; null while another holder has it. `cluster` is what the holder records,
   * empty while it does not know.
   */
  acquire(holder: string, nowMs: number, cluster: string): Promise<Lease | null>;
  /** The cluster of whoever took the lease last; null where it has not said. */
  leaseCluster(): Promise<string | null>;
  release(lease: Lease): Promise<void>;
  record(lease: Lease, recordings: readonly Recording[], nowMs: number): Promise<void>;

  lives(cluster: string, resource: string, namespace: string, name: string): Promise<WorkloadLife[]>;
  /** Lives not known to be deleted, for whoever takes up recording. */
  openLives(cluster: string): Promise<WorkloadLife[]>;
  /** With those that are over. */
  allLives(cluster: string): Promise<WorkloadLife[]>;
  revisions(workloadUid: string): Promise<ArchivedRevision[]>;
  activations(workloadUid: string): Promise<ArchivedActivation[]>;
  /** Null where it was never archived, or has expired. One from a masked import has markers in it: never write it. */
  body(hash: string): Promise<JsonObject | null>;
  /** Those of these hashes that are here, by their hash. */
  bodiesOf(hashes: readonly string[]): Promise<ReadonlyMap<string, JsonObject>>;
  /** Of these hashes the ones whose bodies are here as the cluster had them, neither expired nor masked. */
  wholeBodies(hashes: readonly string[]): Promise<ReadonlySet<string>>;

  /** The latest so many records of a life, in order, without their course. */
  marks(workloadUid: string, limit: number): Promise<RecordMark[]>;
  /** Those of these ids, in no order. */
  marksById(ids: readonly string[]): Promise<RecordMark[]>;
  /** What the latest so many rollouts of a life before an activation led from and to, in order. */
  passages(workloadUid: string, beforeActivation: number, limit: number): Promise<RecordPassage[]>;
  /** The last record of each life that is not over, in order of uid, so many after `afterUid`. */
  latestMarks(cluster: string, afterUid: string, limit: number): Promise<RecordMark[]>;
  /** Those of these ids, and all begun since then. */
  changedMarks(cluster: string, sinceMs: number, ids: readonly string[]): Promise<RecordMark[]>;
  /** Pods by revision over the latest so many rollouts of a life, in order, of those begun since then. */
  tracks(workloadUid: string, limit: number, sinceMs: number | null): Promise<RecordTrack[]>;
  /** By the ids of those of the records that returned to an earlier template. */
  takenBack(ids: readonly string[]): Promise<ReadonlyMap<string, TakenBackRecord>>;
  recordById(id: string): Promise<ListedRecord | null>;
  recordsOf(workloadUid: string): Promise<ListedRecord[]>;
  openRecords(cluster: string): Promise<RolloutRecord[]>;
  /** Latest start first, those of unknown start last; without samples. */
  search(query: RecordQuery): Promise<{ items: ListedRecord[]; nextCursor: string | null }>;
  /**
   * Those that a search finds, on all its pages, counted in parts of `partMs` by their start, or all together where it
   * is null; earliest part first.
   */
  histogram(query: RecordQuery, partMs: number | null): Promise<RecordCount[]>;
  /**
   * Every resource with the namespaces in which there were ever workloads of it, and when the last of them was deleted;
   * null where one is still there.
   */
  places(cluster: string): Promise<Place[]>;
  pin(id: string, pinned: boolean): Promise<void>;
  neighbours(workloadUid: string, activation: number): Promise<Neighbours>;
  /** Latest start first, those of unknown start left out. */
  rollouts(query: RolloutQuery): Promise<RolloutPage>;
  /** The workloads that these records are of, by their uid. */
  workloadsOf(ids: readonly string[]): Promise<ReadonlyMap<string, ArchivedWorkload>>;
  /**
   * When those of these records that were taken back were: the start, in milliseconds, of the first later rollout of
   * the life that led to where they had come from. Those whose start is unknown don't count.
   */
  reversals(ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** The labels of lives by their uid, as they were last seen. */
  labels(workloadUids: readonly string[]): Promise<Map<string, Readonly<Record<string, string>>>>;

  /**
   * A verdict with what was said about it: both are kept, or neither. Rejects with `conflict` and the present review
   * where `ifVersion` is not its version (0: there is none).
   */
  review(
    id: string,
    verdict: Verdict,
    ifVersion: number,
    comment?: string,
    /** What is to be told of it; kept with it, or neither. */
    noticesOf?: (review: Review) => readonly Notice[],
  ): Promise<Review>;
  /** Records whose standing verdict asks for a follow-up, the one due first in front; without samples. */
  followUps(query: FollowUpQuery): Promise<ListedRecord[]>;
  comments(recordId: string): Promise<Comment[]>;
  addComment(comment: Omit<Comment, 'id' | 'edits'>): Promise<Comment>;
  editComment(id: string, body: string, edit: Author & { at: string }): Promise<Comment>;

  /** How much of an audit file is kept here; none of one that is new. */
  journal(id: string): Promise<Omit<JournalPart, 'id' | 'actions'>>;
  saveJournal(part: JournalPart): Promise<void>;
  /** Latest first. */
  actions(query: ActionQuery): Promise<{ items: ListedAction[]; nextCursor: string | null }>;
  /** As it stood last; null for an unknown id. */
  action(id: string): Promise<Action | null>;

  dueNotices(target: string, nowMs: number, limit: number): Promise<DueNotice[]>;
  /** `error` null: it was delivered. `nextMs` null: otherwise it is given up. Needs the lease, like a recording. */
  settleNotice(
    lease: Lease,
    notice: Pick<DueNotice, 'id' | 'target'>,
    result: { error: string | null; nextMs: number | null },
    nowMs: number,
  ): Promise<void>;
  tidyOutbox(lease: Lease, targets: readonly string[], nowMs: number): Promise<void>;
  outbox(): Promise<OutboxState[]>;

  /**
   * Lets go of what the policy no longer keeps; needs the lease, like a recording. Everything else runs meanwhile. An
   * aborted `signal` ends it: what is left goes the next time.
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
