import 'server-only';
import { setImmediate } from 'node:timers/promises';
import { type Action } from '@/lib/api/actions';
import {
  type ArchivedActivation,
  type ArchivedRevision,
  type RolloutRecord,
  type WorkloadLife,
} from '@/lib/ledger/record';
import { type JsonObject } from '@/lib/kube/json';
import { type RecordMark } from '@/lib/ledger/mark';
import { type Author, type Comment, type Review, type Verdict } from '@/lib/ledger/review';
import { actionById, actionsOf, journalOf, saveJournal } from '@/server/archive/actions';
import { activationsOf, saveActivations } from '@/server/archive/activations';
import {
  type ActionQuery,
  type Archive,
  type ArchivedWorkload,
  type DueNotice,
  type FollowUpQuery,
  type JournalPart,
  type Lease,
  type ListedAction,
  type ListedRecord,
  type Place,
  type Notice,
  type OutboxState,
  type Neighbours,
  type Recording,
  type RecordTrack,
  type RecordCount,
  type RecordPassage,
  type RecordQuery,
  type RetentionPolicy,
  type TakenBackRecord,
  type RolloutPage,
  type RolloutQuery,
} from '@/server/archive/archive';
import { readBodies, readBody, saveBodies, wholeBodies } from '@/server/archive/bodies';
import { addComment, commentsOf, editComment } from '@/server/archive/comments';
import { followUpsOf } from '@/server/archive/follow-ups';
import { acquireLease, leaseCluster, releaseLease, requireLease } from '@/server/archive/lease';
import { lifeSlices, livesOf, placesOf, saveLife } from '@/server/archive/lives';
import { neighboursOf } from '@/server/archive/neighbours';
import { changedMarks, latestMarks, marksById, marksOf, passagesOf, tracksOf } from '@/server/archive/marks';
import { dueNotices, outboxState, saveNotices, settleNotice, tidyOutbox } from '@/server/archive/outbox';
import { withPatience } from '@/server/archive/patience';
import { openRecordsOf, pinRecord, recordById, recordsOf, saveRecords } from '@/server/archive/records';
import { sliceRowsOf } from '@/server/archive/record-slices';
import { expire, type Expired } from '@/server/archive/retention';
import { saveReview } from '@/server/archive/reviews';
import { revisionsOf, saveRevisions } from '@/server/archive/revisions';
import { labelsOf, reversalsOf, rolloutPage, workloadsOf } from '@/server/archive/rollouts';
import { type ArchiveDatabase, type ArchiveTransaction, type Engine } from '@/server/archive/schema';
import { searchRecords, usualEffort } from '@/server/archive/search';
import { countRecords } from '@/server/archive/search-counts';
import { oldestOf } from '@/server/archive/oldest';
import { takenBackBy } from '@/server/archive/taken-back';
import { TurnBudget } from '@/server/turn-budget';

/** SQLite answers at once, so nothing else would run until all is recorded: so long may a request have to wait. */
const SLICE_MS = 10;

/** The archive over a database whose schema is up to date. Owns the database: `close` ends it. */
export class SqlArchive implements Archive {
  readonly engine: Engine;
  readonly #database: ArchiveDatabase;
  /** The same by connections of its own. */
  readonly #keeping: ArchiveDatabase;
  readonly #lockWaitMs: number;
  /** SQLite answers at once: whoever asks again and again would keep everything else waiting until the last answer. */
  readonly #turns = new TurnBudget(1);

  constructor(database: ArchiveDatabase, lockWaitMs: number) {
    this.engine = database.engine;
    this.#database = database;
    this.#keeping = { ...database, db: database.keeper ?? database.db };
    this.#lockWaitMs = lockWaitMs;
  }

  acquire(holder: string, nowMs: number, cluster: string): Promise<Lease | null> {
    return this.#do(() => acquireLease(this.#keeping, holder, nowMs, cluster));
  }

  leaseCluster(): Promise<string | null> {
    return this.#do(() => leaseCluster(this.#keeping));
  }

  release(lease: Lease): Promise<void> {
    return this.#do(() => releaseLease(this.#keeping, lease));
  }

  record(lease: Lease, recordings: readonly Recording[], nowMs: number): Promise<void> {
    return this.#do(() =>
      this.#keeping.db.transaction().execute(async (transaction) => {
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

  lives(cluster: string, resource: string, namespace: string, name: string): Promise<WorkloadLife[]> {
    return this.#do(({ db }) => livesOf(db, cluster, resource, namespace, name));
  }

  openLives(cluster: string): Promise<WorkloadLife[]> {
    return this.#livesOf(cluster, { isOpen: true });
  }

  allLives(cluster: string): Promise<WorkloadLife[]> {
    return this.#livesOf(cluster, { isOpen: false });
  }

  revisions(workloadUid: string): Promise<ArchivedRevision[]> {
    return this.#do(({ db }) => revisionsOf(db, workloadUid));
  }

  activations(workloadUid: string): Promise<ArchivedActivation[]> {
    return this.#do(({ db }) => activationsOf(db, workloadUid));
  }

  body(hash: string): Promise<JsonObject | null> {
    return this.#do(({ db }) => readBody(db, hash));
  }

  bodiesOf(hashes: readonly string[]): Promise<ReadonlyMap<string, JsonObject>> {
    return this.#do(({ db }) => readBodies(db, hashes));
  }

  wholeBodies(hashes: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#do(({ db }) => wholeBodies(db, hashes));
  }

  marks(workloadUid: string, limit: number): Promise<RecordMark[]> {
    return this.#do(({ db }) => marksOf(db, workloadUid, limit));
  }

  marksById(ids: readonly string[]): Promise<RecordMark[]> {
    return this.#do(({ db }) => marksById(db, ids));
  }

  passages(workloadUid: string, beforeActivation: number, limit: number): Promise<RecordPassage[]> {
    return this.#do(({ db }) => passagesOf(db, workloadUid, beforeActivation, limit));
  }

  latestMarks(cluster: string, afterUid: string, limit: number): Promise<RecordMark[]> {
    return this.#do(({ db }) => latestMarks(db, cluster, afterUid, limit));
  }

  changedMarks(cluster: string, sinceMs: number, ids: readonly string[]): Promise<RecordMark[]> {
    return this.#do(({ db }) => changedMarks(db, cluster, sinceMs, ids));
  }

  tracks(workloadUid: string, limit: number, sinceMs: number | null): Promise<RecordTrack[]> {
    return this.#do(({ db }) => tracksOf(db, workloadUid, limit, sinceMs));
  }

  takenBack(ids: readonly string[]): Promise<ReadonlyMap<string, TakenBackRecord>> {
    return this.#do(({ db }) => takenBackBy(db, ids));
  }

  recordById(id: string): Promise<ListedRecord | null> {
    return this.#do(({ db }) => recordById(db, id));
  }

  recordsOf(workloadUid: string): Promise<ListedRecord[]> {
    return this.#do(({ db }) => recordsOf(db, workloadUid));
  }

  openRecords(cluster: string): Promise<RolloutRecord[]> {
    return this.#do(({ db }) => openRecordsOf(db, cluster));
  }

  search(query: RecordQuery): Promise<{ items: ListedRecord[]; nextCursor: string | null }> {
    return this.#do(({ db, engine }) => searchRecords(db, query, usualEffort(engine)));
  }

  histogram(query: RecordQuery, partMs: number | null): Promise<RecordCount[]> {
    return this.#do(({ db, engine }) => countRecords(db, query, partMs, sliceRowsOf(engine)));
  }

  places(cluster: string): Promise<Place[]> {
    return this.#do(({ db }) => placesOf(db, cluster));
  }

  pin(id: string, pinned: boolean): Promise<void> {
    return this.#do(({ db }) => pinRecord(db, id, pinned));
  }

  review(
    id: string,
    verdict: Verdict,
    ifVersion: number,
    comment?: string,
    noticesOf?: (review: Review) => readonly Notice[],
  ): Promise<Review> {
    return this.#do((database) => saveReview(database, id, verdict, ifVersion, comment, noticesOf));
  }

  neighbours(workloadUid: string, activation: number): Promise<Neighbours> {
    return this.#do(({ db }) => neighboursOf(db, workloadUid, activation));
  }

  rollouts(query: RolloutQuery): Promise<RolloutPage> {
    return this.#do(({ db }) => rolloutPage(db, query));
  }

  workloadsOf(ids: readonly string[]): Promise<ReadonlyMap<string, ArchivedWorkload>> {
    return this.#do(({ db }) => workloadsOf(db, ids));
  }

  reversals(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.#do(({ db }) => reversalsOf(db, ids));
  }

  labels(workloadUids: readonly string[]): Promise<Map<string, Readonly<Record<string, string>>>> {
    return this.#do(({ db }) => labelsOf(db, workloadUids));
  }

  followUps(query: FollowUpQuery): Promise<ListedRecord[]> {
    return this.#do(({ db }) => followUpsOf(db, query));
  }

  comments(recordId: string): Promise<Comment[]> {
    return this.#do(({ db }) => commentsOf(db, recordId));
  }

  addComment(comment: Omit<Comment, 'id' | 'edits'>): Promise<Comment> {
    return this.#do((database) => addComment(database, comment));
  }

  editComment(id: string, body: string, edit: Author & { at: string }): Promise<Comment> {
    return this.#do((database) => editComment(database, id, body, edit));
  }

  journal(id: string): Promise<Omit<JournalPart, 'id' | 'actions'>> {
    return this.#do(({ db }) => journalOf(db, id));
  }

  saveJournal(part: JournalPart): Promise<void> {
    return this.#do((database) => saveJournal(database, part));
  }

  actions(query: ActionQuery): Promise<{ items: ListedAction[]; nextCursor: string | null }> {
    return this.#do(({ db }) => actionsOf(db, query));
  }

  action(id: string): Promise<Action | null> {
    return this.#do(({ db }) => actionById(db, id));
  }

  dueNotices(target: string, nowMs: number, limit: number): Promise<DueNotice[]> {
    return this.#do(({ db }) => dueNotices(db, target, nowMs, limit));
  }

  settleNotice(
    lease: Lease,
    notice: Pick<DueNotice, 'id' | 'target'>,
    result: { error: string | null; nextMs: number | null },
    nowMs: number,
  ): Promise<void> {
    return this.#do((database) => settleNotice(database, lease, notice, result, nowMs));
  }

  tidyOutbox(lease: Lease, targets: readonly string[], nowMs: number): Promise<void> {
    return this.#do((database) => tidyOutbox(database, lease, targets, nowMs));
  }

  outbox(): Promise<OutboxState[]> {
    return this.#do(({ db }) => outboxState(db));
  }

  expire(lease: Lease, policy: RetentionPolicy, nowMs: number, signal?: AbortSignal): Promise<Expired> {
    return expire((work) => this.#do(work), lease, policy, nowMs, signal);
  }

  sizeBytes(): Promise<number> {
    return this.#do(({ bytes }) => bytes());
  }

  oldestAt(cluster: string): Promise<string | null> {
    return this.#do(({ db }) => oldestOf(db, cluster));
  }

  async close(): Promise<void> {
    await Promise.all([this.#database.db.destroy(), this.#database.keeper?.destroy()]);
  }

  async #livesOf(cluster: string, which: { isOpen: boolean }): Promise<WorkloadLife[]> {
    const lives: WorkloadLife[] = [];
    for await (const slice of lifeSlices((ask) => this.#do(ask), cluster, which)) lives.push(...slice);
    return lives;
  }

  async #do<Result>(work: (database: ArchiveDatabase) => Promise<Result>): Promise<Result> {
    if (this.engine === 'sqlite') await this.#turns.take();
    return withPatience(() => work(this.#database), this.#lockWaitMs);
  }
}

async function saveRecording(
  transaction: ArchiveTransaction,
  { life, revisions, activations, records, bodies = [], notices = [] }: Recording,
  nowMs: number,
): Promise<void> {
  await saveLife(transaction, life);
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
