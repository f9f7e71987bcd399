import 'server-only';
import { setImmediate } from 'node:timers/promises';
import { type Action } from '@/lib/api/actions';
import {
  type ArchivedActivation,
  type ArchivedRevision,
  type RolloutRecord,
  type WorkloadIncarnation,
} from '@/lib/records/record';
import { type JsonObject } from '@/lib/kube/json';
import { type RecordSummary } from '@/lib/records/record-summary';
import { type Author, type ReviewComment, type Review, type Verdict } from '@/lib/records/review';
import { actionById, actionsOf, journalOf, saveJournal } from '@/server/archive/actions';
import { activationsOf, saveActivations } from '@/server/archive/activations';
import {
  type ActionQuery,
  type Archive,
  type ArchivedWorkload,
  type DueNotice,
  type FollowUpQuery,
  type JournalChunk,
  type Lease,
  type ListedAction,
  type ListedRecord,
  type RecordedNamespace,
  type Notice,
  type OutboxState,
  type AdjacentRecords,
  type IncarnationRecording,
  type RecordTrack,
  type RecordCount,
  type RecordTransition,
  type RecordQuery,
  type RetentionPolicy,
  type RevertedRecord,
  type RolloutPage,
  type RolloutQuery,
} from '@/server/archive/archive';
import { readBodies, readBody, saveBodies, unmaskedBodies } from '@/server/archive/bodies';
import { addComment, commentsOf, editComment } from '@/server/archive/comments';
import { followUpsOf } from '@/server/archive/follow-ups';
import { acquireLease, leaseCluster, releaseLease, requireLease } from '@/server/archive/lease';
import {
  incarnationSlices,
  incarnationsOf,
  recordedNamespaces,
  saveIncarnation,
} from '@/server/archive/incarnations';
import { adjacentRecordsOf } from '@/server/archive/adjacent-records';
import {
  changedRecordSummaries,
  latestRecordSummaries,
  recordSummariesById,
  recordSummariesOf,
  transitionsOf,
  tracksOf,
} from '@/server/archive/record-summaries';
import { dueNotices, outboxState, saveNotices, settleNotice, pruneOutbox } from '@/server/archive/outbox';
import { retryWhileLocked } from '@/server/archive/retry-while-locked';
import { openRecordsOf, pinRecord, recordById, recordsOf, saveRecords } from '@/server/archive/records';
import { sliceRowsOf } from '@/server/archive/record-slices';
import { expire, type ExpiredCounts } from '@/server/archive/retention';
import { saveReview } from '@/server/archive/reviews';
import { revisionsOf, saveRevisions } from '@/server/archive/revisions';
import { labelsAt, revertTimesOf, rolloutPage, workloadsOf } from '@/server/archive/report-rows';
import {
  type ArchiveDatabase,
  type ArchiveTransaction,
  type Engine,
} from '@/server/archive/migrations/schema';
import { searchRecords, defaultLimits } from '@/server/archive/search';
import { countRecords } from '@/server/archive/search-counts';
import { oldestStartOf } from '@/server/archive/oldest';
import { revertedRecordsBy } from '@/server/archive/reverted-records';
import { TurnBudget } from '@/server/shared/turn-budget';

/**
 * SQLite is synchronous, so a recording blocks everything else: this is the longest that a request may wait for one.
 */
const SLICE_MS = 10;

/** The archive over a database whose schema is up to date. Owns the database: `close` ends it. */
export class SqlArchive implements Archive {
  readonly engine: Engine;
  readonly #database: ArchiveDatabase;
  /** The same over connections of its own. */
  readonly #recorderDatabase: ArchiveDatabase;
  readonly #lockWaitMs: number;
  /** SQLite is synchronous: a series of reads would block everything else until the last answer. */
  readonly #turns = new TurnBudget(1);

  constructor(database: ArchiveDatabase, lockWaitMs: number) {
    this.engine = database.engine;
    this.#database = database;
    this.#recorderDatabase = { ...database, db: database.recorderDb ?? database.db };
    this.#lockWaitMs = lockWaitMs;
  }

  acquire(holder: string, nowMs: number, cluster: string): Promise<Lease | null> {
    return this.#run(() => acquireLease(this.#recorderDatabase, holder, nowMs, cluster));
  }

  leaseCluster(): Promise<string | null> {
    return this.#run(() => leaseCluster(this.#recorderDatabase));
  }

  release(lease: Lease): Promise<void> {
    return this.#run(() => releaseLease(this.#recorderDatabase, lease));
  }

  record(lease: Lease, recordings: readonly IncarnationRecording[], nowMs: number): Promise<void> {
    return this.#run(() =>
      this.#recorderDatabase.db.transaction().execute(async (transaction) => {
        await requireLease(transaction, this.engine, lease);
        let sliceStart = performance.now();
        for (const recording of recordings) {
          await saveRecording(transaction, recording, nowMs);
          if (performance.now() - sliceStart < SLICE_MS) continue;
          await setImmediate();
          sliceStart = performance.now();
        }
      }),
    );
  }

  incarnations(
    cluster: string,
    resource: string,
    namespace: string,
    name: string,
  ): Promise<WorkloadIncarnation[]> {
    return this.#run(({ db }) => incarnationsOf(db, cluster, resource, namespace, name));
  }

  currentIncarnations(cluster: string): Promise<WorkloadIncarnation[]> {
    return this.#incarnationsOf(cluster, { isOpen: true });
  }

  allIncarnations(cluster: string): Promise<WorkloadIncarnation[]> {
    return this.#incarnationsOf(cluster, { isOpen: false });
  }

  revisions(workloadUid: string): Promise<ArchivedRevision[]> {
    return this.#run(({ db }) => revisionsOf(db, workloadUid));
  }

  activations(workloadUid: string): Promise<ArchivedActivation[]> {
    return this.#run(({ db }) => activationsOf(db, workloadUid));
  }

  body(hash: string): Promise<JsonObject | null> {
    return this.#run(({ db }) => readBody(db, hash));
  }

  bodiesOf(hashes: readonly string[]): Promise<ReadonlyMap<string, JsonObject>> {
    return this.#run(({ db }) => readBodies(db, hashes));
  }

  unmaskedBodies(hashes: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#run(({ db }) => unmaskedBodies(db, hashes));
  }

  recordSummaries(workloadUid: string, limit: number): Promise<RecordSummary[]> {
    return this.#run(({ db }) => recordSummariesOf(db, workloadUid, limit));
  }

  recordSummariesById(ids: readonly string[]): Promise<RecordSummary[]> {
    return this.#run(({ db }) => recordSummariesById(db, ids));
  }

  transitions(workloadUid: string, beforeActivation: number, limit: number): Promise<RecordTransition[]> {
    return this.#run(({ db }) => transitionsOf(db, workloadUid, beforeActivation, limit));
  }

  latestRecordSummaries(cluster: string, afterUid: string, limit: number): Promise<RecordSummary[]> {
    return this.#run(({ db }) => latestRecordSummaries(db, cluster, afterUid, limit));
  }

  changedRecordSummaries(cluster: string, sinceMs: number, ids: readonly string[]): Promise<RecordSummary[]> {
    return this.#run(({ db }) => changedRecordSummaries(db, cluster, sinceMs, ids));
  }

  tracks(workloadUid: string, limit: number, sinceMs: number | null): Promise<RecordTrack[]> {
    return this.#run(({ db }) => tracksOf(db, workloadUid, limit, sinceMs));
  }

  revertedRecords(ids: readonly string[]): Promise<ReadonlyMap<string, RevertedRecord>> {
    return this.#run(({ db }) => revertedRecordsBy(db, ids));
  }

  recordById(id: string): Promise<ListedRecord | null> {
    return this.#run(({ db }) => recordById(db, id));
  }

  recordsOf(workloadUid: string): Promise<ListedRecord[]> {
    return this.#run(({ db }) => recordsOf(db, workloadUid));
  }

  openRecords(cluster: string): Promise<RolloutRecord[]> {
    return this.#run(({ db }) => openRecordsOf(db, cluster));
  }

  search(query: RecordQuery): Promise<{ items: ListedRecord[]; nextCursor: string | null }> {
    return this.#run(({ db, engine }) => searchRecords(db, query, defaultLimits(engine)));
  }

  histogram(query: RecordQuery, partMs: number | null): Promise<RecordCount[]> {
    return this.#run(({ db, engine }) => countRecords(db, query, partMs, sliceRowsOf(engine)));
  }

  recordedNamespaces(cluster: string): Promise<RecordedNamespace[]> {
    return this.#run(({ db }) => recordedNamespaces(db, cluster));
  }

  pin(id: string, pinned: boolean): Promise<void> {
    return this.#run(({ db }) => pinRecord(db, id, pinned));
  }

  review(
    id: string,
    verdict: Verdict,
    ifVersion: number,
    comment?: string,
    noticesOf?: (review: Review) => readonly Notice[],
  ): Promise<Review> {
    return this.#run((database) => saveReview(database, id, verdict, ifVersion, comment, noticesOf));
  }

  adjacentRecords(workloadUid: string, activation: number): Promise<AdjacentRecords> {
    return this.#run(({ db }) => adjacentRecordsOf(db, workloadUid, activation));
  }

  rollouts(query: RolloutQuery): Promise<RolloutPage> {
    return this.#run(({ db }) => rolloutPage(db, query));
  }

  workloadsOf(ids: readonly string[]): Promise<ReadonlyMap<string, ArchivedWorkload>> {
    return this.#run(({ db }) => workloadsOf(db, ids));
  }

  revertTimes(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.#run(({ db }) => revertTimesOf(db, ids));
  }

  labels(workloadUids: readonly string[]): Promise<Map<string, Readonly<Record<string, string>>>> {
    return this.#run(({ db }) => labelsAt(db, workloadUids));
  }

  followUps(query: FollowUpQuery): Promise<ListedRecord[]> {
    return this.#run(({ db }) => followUpsOf(db, query));
  }

  comments(recordId: string): Promise<ReviewComment[]> {
    return this.#run(({ db }) => commentsOf(db, recordId));
  }

  addComment(comment: Omit<ReviewComment, 'id' | 'edits'>): Promise<ReviewComment> {
    return this.#run((database) => addComment(database, comment));
  }

  editComment(id: string, body: string, edit: Author & { at: string }): Promise<ReviewComment> {
    return this.#run((database) => editComment(database, id, body, edit));
  }

  journal(id: string): Promise<Omit<JournalChunk, 'id' | 'actions'>> {
    return this.#run(({ db }) => journalOf(db, id));
  }

  saveJournal(part: JournalChunk): Promise<void> {
    return this.#run((database) => saveJournal(database, part));
  }

  actions(query: ActionQuery): Promise<{ items: ListedAction[]; nextCursor: string | null }> {
    return this.#run(({ db }) => actionsOf(db, query));
  }

  action(id: string): Promise<Action | null> {
    return this.#run(({ db }) => actionById(db, id));
  }

  dueNotices(target: string, nowMs: number, limit: number): Promise<DueNotice[]> {
    return this.#run(({ db }) => dueNotices(db, target, nowMs, limit));
  }

  settleNotice(
    lease: Lease,
    notice: Pick<DueNotice, 'id' | 'target'>,
    result: { error: string | null; nextMs: number | null },
    nowMs: number,
  ): Promise<void> {
    return this.#run((database) => settleNotice(database, lease, notice, result, nowMs));
  }

  pruneOutbox(lease: Lease, targets: readonly string[], nowMs: number): Promise<void> {
    return this.#run((database) => pruneOutbox(database, lease, targets, nowMs));
  }

  outbox(): Promise<OutboxState[]> {
    return this.#run(({ db }) => outboxState(db));
  }

  expire(lease: Lease, policy: RetentionPolicy, nowMs: number, signal?: AbortSignal): Promise<ExpiredCounts> {
    return expire((work) => this.#run(work), lease, policy, nowMs, signal);
  }

  sizeBytes(): Promise<number> {
    return this.#run(({ bytes }) => bytes());
  }

  oldestAt(cluster: string): Promise<string | null> {
    return this.#run(({ db }) => oldestStartOf(db, cluster));
  }

  async close(): Promise<void> {
    await Promise.all([this.#database.db.destroy(), this.#database.recorderDb?.destroy()]);
  }

  async #incarnationsOf(cluster: string, which: { isOpen: boolean }): Promise<WorkloadIncarnation[]> {
    const incarnations: WorkloadIncarnation[] = [];
    for await (const slice of incarnationSlices((query) => this.#run(query), cluster, which))
      incarnations.push(...slice);
    return incarnations;
  }

  async #run<Result>(work: (database: ArchiveDatabase) => Promise<Result>): Promise<Result> {
    if (this.engine === 'sqlite') await this.#turns.acquire();
    return retryWhileLocked(() => work(this.#database), this.#lockWaitMs);
  }
}

async function saveRecording(
  transaction: ArchiveTransaction,
  { incarnation, revisions, activations, records, bodies = [], notices = [] }: IncarnationRecording,
  nowMs: number,
): Promise<void> {
  await saveIncarnation(transaction, incarnation);
  const carried = revisions.flatMap(({ revision, body }) =>
    body === null ? [] : [{ hash: revision.hash, body }],
  );
  await saveBodies(transaction, [...carried, ...bodies]);
  await saveRevisions(
    transaction,
    revisions.map(({ revision }) => revision),
  );
  await saveActivations(transaction, activations);
  await saveRecords(transaction, records);
  await saveNotices(transaction, notices, nowMs);
}
