import 'server-only';
import { type JsonObject } from '@/lib/kube/json';
import {
  type ArchivedActivation,
  type ArchivedRevision,
  type Outcome,
  type RolloutRecord,
  type WorkloadLife,
} from '@/lib/ledger/record';
import { type Comment, type Review, type Verdict } from '@/lib/ledger/review';

/** What is recorded of one workload in one transaction; each part replaces what is there under the same key. */
export interface Recording {
  life: WorkloadLife;
  /** With the body, where the archive may not have it yet. */
  revisions: readonly { revision: ArchivedRevision; body: JsonObject | null }[];
  activations: readonly ArchivedActivation[];
  records: readonly RolloutRecord[];
}

/** Who may record: one process at a time. Every recording checks that `epoch` is still the newest. */
export interface Lease {
  holder: string;
  epoch: number;
}

export interface RecordQuery {
  /** Words that all occur, by prefix, in workload, namespace, images, cause, summary or actor. */
  words: readonly string[];
  namespaces: readonly string[] | null;
  resources: readonly string[] | null;
  name: string | null;
  uid: string | null;
  outcomes: readonly (Outcome | 'open')[] | null;
  actor: string | null;
  image: string | null;
  /** Milliseconds since the epoch; a record counts by its start, or the bound of an unknown start. */
  sinceMs: number | null;
  untilMs: number | null;
  reviewed: boolean | null;
  limit: number;
  /** Opaque, from the page before. */
  cursor: string | null;
}

export interface ListedRecord {
  record: RolloutRecord;
  /** Id of the record that took it back; computed on reading. */
  revertedBy: string | null;
  review: Review | null;
  comments: number;
}

export interface ArchiveSize {
  bytes: number;
  records: number;
  revisions: number;
  oldestAt: string | null;
}

/** How long bodies and pod series are kept. Zero stands for no limit. */
export interface RetentionPolicy {
  /** After the cluster has pruned a revision, or a rollout has begun. */
  days: number;
  /** Of each workload's life, the latest. */
  perWorkload: number;
}

/**
 * The ledger's memory, the same over SQLite and PostgreSQL. Methods reject with AppError: `archive_unavailable` when
 * the database can't be used now (`details.retry`), `conflict` where a version or an epoch is out of date.
 */
export interface Archive {
  readonly engine: 'sqlite' | 'postgres';

  /** Takes or renews the lease for ten seconds; null while another holder has it. */
  acquire(holder: string, nowMs: number): Promise<Lease | null>;
  release(lease: Lease): Promise<void>;
  record(lease: Lease, recordings: readonly Recording[], nowMs: number): Promise<void>;

  lives(cluster: string, resource: string, namespace: string, name: string): Promise<WorkloadLife[]>;
  /** Lives not known to be deleted, for whoever takes up recording. */
  openLives(cluster: string): Promise<WorkloadLife[]>;
  revisions(workloadUid: string): Promise<ArchivedRevision[]>;
  activations(workloadUid: string): Promise<ArchivedActivation[]>;
  /** Null where it was never archived, or has expired. One from a masked import has markers in it: never write it. */
  body(hash: string): Promise<JsonObject | null>;
  /** Of these hashes the ones whose bodies are here as the cluster had them, neither expired nor masked. */
  wholeBodies(hashes: readonly string[]): Promise<ReadonlySet<string>>;

  recordById(id: string): Promise<ListedRecord | null>;
  recordsOf(workloadUid: string): Promise<ListedRecord[]>;
  openRecords(cluster: string): Promise<RolloutRecord[]>;
  /** Latest start first, those of unknown start last; without samples. */
  search(query: RecordQuery): Promise<{ items: ListedRecord[]; nextCursor: string | null }>;
  pin(id: string, pinned: boolean): Promise<void>;

  /** Rejects with `conflict` and the present review where `ifVersion` is not its version (0: there is none). */
  /** A verdict with what was said about it: both are kept, or neither. */
  review(id: string, verdict: Verdict, ifVersion: number, comment?: string): Promise<Review>;
  comments(recordId: string): Promise<Comment[]>;
  addComment(comment: Omit<Comment, 'id' | 'edits'>): Promise<Comment>;
  editComment(id: string, body: string, by: string, at: string): Promise<Comment>;

  /** Lets go of what the policy no longer keeps; needs the lease, like a recording. */
  expire(lease: Lease, policy: RetentionPolicy, nowMs: number): Promise<{ bodies: number; series: number }>;
  size(): Promise<ArchiveSize>;
  close(): Promise<void>;
}
