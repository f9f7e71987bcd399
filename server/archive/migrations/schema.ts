import type { Generated, Kysely, Transaction } from 'kysely';

/*
 * Both engines have the same columns: times as milliseconds since the epoch, flags as 0 and 1, documents as JSON text
 * or deflated, and besides them only what is searched, joined or ordered by.
 */

/** Every cluster that has data here. */
interface ClusterTable {
  id: string;
  first_seen_ms: number;
  last_seen_ms: number;
  document: string;
}

interface IncarnationTable {
  cluster: string;
  uid: string;
  resource: string;
  namespace: string;
  name: string;
  created_ms: number;
  deleted_ms: number | null;
  document: string;
}

interface RevisionTable {
  cluster: string;
  workload_uid: string;
  id: string;
  hash: string;
  first_seen_ms: number;
  pruned_ms: number | null;
  document: string;
}

interface BodyTable {
  hash: string;
  /** Canonical JSON, deflated. */
  bytes: Uint8Array;
  /** 1: imported with credentials masked, so it does not match its hash. */
  masked: number;
}

interface ActivationTable {
  cluster: string;
  workload_uid: string;
  number: number;
  document: string;
}

interface RecordTable {
  seq: Generated<number>;
  id: string;
  cluster: string;
  resource: string;
  namespace: string;
  name: string;
  workload_uid: string;
  activation: number;
  /** The start, or its bound; 0 where neither is known, so that those come last. */
  started_ms: number;
  /** The start where the end was not observed, `OPEN_END_MS` while it is open. */
  ended_ms: Generated<number>;
  outcome: string;
  actor: string | null;
  from_hash: string | null;
  to_hash: string;
  /** What the templates mean, where known: by the rules of version `rules`, 0 where both need a backfill. */
  from_meaning: string | null;
  to_meaning: string | null;
  rules: Generated<number>;
  pinned: number;
  reviewed: number;
  /** Tells whether the terms need a rewrite. */
  terms_digest: string;
  /** The action through Shiplog that began it. */
  action_id: string | null;
  /** 0: `started_ms` is only a bound, or nothing. */
  start_known: Generated<number>;
  stuck: Generated<number>;
  has_cause: Generated<number>;
  /** 1: its template had been the target of the workload before. */
  is_return: Generated<number>;
}

/** Apart from the columns that are searched, which stay few pages. */
interface RecordDocumentTable {
  seq: number;
  document: Uint8Array;
  /** Null where there are none, or they have expired. */
  samples: Uint8Array | null;
}

interface TermTable {
  term: string;
  seq: number;
}

interface ReviewTable {
  seq: number;
  version: number;
  document: string;
  /** The day of the follow-up; null where the verdict asks for none. */
  due: string | null;
}

interface CommentTable {
  id: string;
  seq: number;
  at_ms: number;
  document: string;
}

interface ActionTable {
  id: string;
  cluster: string;
  resource: string;
  namespace: string;
  name: string;
  uid: string;
  kind: string;
  state: string;
  actor: string;
  started_ms: number;
  /** An older entry of the journal never replaces a newer one. */
  changed_ms: number;
  document: string;
}

/** How much of which audit file the table of actions holds. */
interface JournalTable {
  id: string;
  bytes: number;
  /** Lines that could not be read. */
  damaged: number;
  /** Checksum of the file's content right before `bytes`. */
  mark: string;
}

/** A row for each event and target; settled ones are stored for a while, so that no notification is sent twice. */
interface OutboxTable {
  id: string;
  target: string;
  cluster: Generated<string>;
  kind: string;
  /** Empty once it is settled. */
  payload: string;
  created_ms: number;
  attempts: number;
  /** Null once it has been delivered or abandoned. */
  next_ms: number | null;
  tried_ms: number | null;
  delivered_ms: number | null;
  error: string | null;
}

interface LeaseTable {
  /** The cluster that its holder records; empty for the maintenance of the archive. */
  cluster: string;
  holder: string;
  epoch: number;
  expires_ms: number;
}

/** Who has signed in; only hashes of what their browsers hold. */
interface SessionTable {
  id_hash: string;
  act_hash: string;
  /** The id of the person. */
  person: string;
  document: string;
  /** Credentials for clusters, encrypted. */
  sealed: string;
  seen_ms: number;
  expires_ms: number;
  /** Goes up with each renewal, so that two never spend one refresh token. */
  version: number;
  /** The process that renews it, and until when no other does. */
  refresh_owner: string | null;
  refresh_until_ms: number;
  /** When the identity provider last confirmed the person. */
  checked_ms: number;
  /** Of the identity provider; null where no provider has signed the person in. */
  issuer: string | null;
  subject: string | null;
  sid: string | null;
}

/** A person who has sent a request, to be mentioned and assigned. */
interface PersonTable {
  id: string;
  /** As it is shown: masked. */
  name: string;
  /** The name in lower case, to be found by. */
  term: string;
  seen_ms: number;
}

/** A review, a sign-in, or a change of a cluster, from the audit file. */
interface EventTable {
  /** Of the line: the hash of its file, and its position there. */
  id: string;
  at_ms: number;
  kind: 'review' | 'signIn' | 'cluster';
  /** The id of the person; null where someone was refused, or no one did it. */
  person: string | null;
  /** Of a review: the cluster of its workload. Null of a sign-in. */
  cluster: string | null;
  document: string;
}

/** What a person has set for themselves. */
interface PreferenceTable {
  /** The id of the person. */
  person: string;
  version: number;
  document: string;
  changed_ms: number;
}

interface MigrationTable {
  number: number;
  name: string;
  applied_ms: number;
}

export interface ArchiveSchema {
  cluster: ClusterTable;
  incarnation: IncarnationTable;
  revision: RevisionTable;
  body: BodyTable;
  activation: ActivationTable;
  record: RecordTable;
  record_document: RecordDocumentTable;
  record_term: TermTable;
  review: ReviewTable;
  comment: CommentTable;
  action: ActionTable;
  journal: JournalTable;
  outbox: OutboxTable;
  lease: LeaseTable;
  session: SessionTable;
  person: PersonTable;
  event: EventTable;
  preference: PreferenceTable;
  migration: MigrationTable;
}

/** By name, each after those that it references. */
export const tables = [
  'cluster',
  'incarnation',
  'revision',
  'body',
  'activation',
  'record',
  'record_document',
  'record_term',
  'review',
  'comment',
  'action',
  'journal',
  'outbox',
  'lease',
  'session',
  'person',
  'event',
  'preference',
  'migration',
] as const satisfies readonly (keyof ArchiveSchema)[];

export type ArchiveDb = Kysely<ArchiveSchema>;
export type ArchiveTransaction = Transaction<ArchiveSchema>;

export type Engine = 'sqlite' | 'postgres';

/** A database with what sets its engine apart. */
export interface ArchiveDatabase {
  engine: Engine;
  db: ArchiveDb;
  /** For the lease and what is recorded under it, where many reads at once could block `db`. */
  recorderDb?: ArchiveDb;
  /** Bytes on disk. */
  readonly bytes: () => Promise<number>;
}
