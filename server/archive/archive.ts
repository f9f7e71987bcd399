import 'server-only';
import { setImmediate } from 'node:timers/promises';
import { AppError } from '@/lib/errors';
import type { JsonObject } from '@/lib/kube/json';
import type { ArchivedActivation, ArchivedRevision, WorkloadIncarnation } from '@/lib/api/incarnation';
import type { RolloutRecord } from '@/lib/api/record';
import { ActionRepository } from '@/server/archive/actions';
import { type Lease, LeaseRepository, requireLease } from '@/server/archive/lease';
import type { ArchiveDatabase, ArchiveTransaction, Engine } from '@/server/archive/migrations/schema';
import { type Notice, OutboxRepository, saveNotices } from '@/server/archive/outbox';
import { EventRepository } from '@/server/archive/events';
import { PersonRepository } from '@/server/archive/people';
import { PreferenceRepository } from '@/server/archive/preferences';
import { saveRecords } from '@/server/archive/records';
import { ReportRepository } from '@/server/archive/reports';
import { ArchiveRetention } from '@/server/archive/retention';
import { ReviewRepository } from '@/server/archive/reviews';
import { RevisionRepository, saveBodies, saveRevisions } from '@/server/archive/revisions';
import { RolloutRepository } from '@/server/archive/rollouts';
import { ViewerSessionRepository } from '@/server/archive/viewer-sessions';
import { ArchiveSession } from '@/server/archive/session';
import { ClusterRepository } from '@/server/archive/clusters';
import { saveActivations, saveIncarnation, WorkloadRepository } from '@/server/archive/workloads';

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

/**
 * SQLite is synchronous, so a recording blocks everything else: this is the longest that a request may wait for one.
 */
const SLICE_MS = 10;

/**
 * Storage of the records, the same over SQLite and PostgreSQL; its schema is up to date. Owns the database: `close`
 * ends it. Every method of it rejects with AppError: `archive_unavailable` when the database can't be used now
 * (`details.retry`), `conflict` where a version or an epoch is out of date.
 */
export class Archive {
  readonly engine: Engine;
  readonly leases: LeaseRepository;
  readonly clusters: ClusterRepository;
  readonly workloads: WorkloadRepository;
  readonly revisions: RevisionRepository;
  readonly rollouts: RolloutRepository;
  readonly reports: ReportRepository;
  readonly reviews: ReviewRepository;
  readonly actions: ActionRepository;
  readonly events: EventRepository;
  readonly outbox: OutboxRepository;
  readonly sessions: ViewerSessionRepository;
  readonly people: PersonRepository;
  readonly preferences: PreferenceRepository;
  readonly retention: ArchiveRetention;
  readonly #database: ArchiveDatabase;
  readonly #session: ArchiveSession;
  /** Over connections of its own, where the engine has several. */
  readonly #recorderSession: ArchiveSession;

  constructor(database: ArchiveDatabase, lockWaitMs: number) {
    const { engine, db, recorderDb } = database;
    const session = new ArchiveSession(engine, db, lockWaitMs);
    const recorderSession =
      recorderDb === undefined ? session : new ArchiveSession(engine, recorderDb, lockWaitMs);
    this.engine = engine;
    this.leases = new LeaseRepository(recorderSession);
    this.clusters = new ClusterRepository(recorderSession);
    this.workloads = new WorkloadRepository(session);
    this.revisions = new RevisionRepository(session);
    this.rollouts = new RolloutRepository(session);
    this.reports = new ReportRepository(session);
    this.reviews = new ReviewRepository(session);
    this.actions = new ActionRepository(session);
    this.events = new EventRepository(session);
    this.outbox = new OutboxRepository(session);
    this.sessions = new ViewerSessionRepository(session);
    this.people = new PersonRepository(session);
    this.preferences = new PreferenceRepository(session);
    this.retention = new ArchiveRetention(session);
    this.#database = database;
    this.#session = session;
    this.#recorderSession = recorderSession;
  }

  /** Records all of it, or nothing. Rejects with `conflict` where another process holds the lease by now. */
  async record(lease: Lease, recordings: readonly IncarnationRecording[], nowMs: number): Promise<void> {
    await this.#recorderSession.transaction(async (transaction) => {
      await requireLease(transaction, this.engine, lease);
      const foreign = recordings.find(({ incarnation }) => incarnation.cluster !== lease.cluster);
      if (foreign !== undefined)
        throw new AppError('internal', 'A recording of another cluster than that of the lease.');
      let sliceStart = performance.now();
      for (const recording of recordings) {
        await saveRecording(transaction, recording, nowMs);
        if (performance.now() - sliceStart < SLICE_MS) continue;
        await setImmediate();
        sliceStart = performance.now();
      }
    });
  }

  sizeBytes(): Promise<number> {
    return this.#session.run(() => this.#database.bytes());
  }

  async close(): Promise<void> {
    await Promise.all([this.#database.db.destroy(), this.#database.recorderDb?.destroy()]);
  }
}

async function saveRecording(
  transaction: ArchiveTransaction,
  { incarnation, revisions, activations, records, bodies = [], notices = [] }: IncarnationRecording,
  nowMs: number,
): Promise<void> {
  const { cluster } = incarnation;
  await saveIncarnation(transaction, incarnation);
  const carried = revisions.flatMap(({ revision, body }) =>
    body === null ? [] : [{ hash: revision.hash, body }],
  );
  await saveBodies(transaction, [...carried, ...bodies]);
  await saveRevisions(
    transaction,
    cluster,
    revisions.map(({ revision }) => revision),
  );
  await saveActivations(transaction, cluster, activations);
  await saveRecords(transaction, records);
  await saveNotices(transaction, notices, nowMs);
}
