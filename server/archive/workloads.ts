import 'server-only';
import { setImmediate } from 'node:timers/promises';
import {
  type ArchivedActivation,
  type WorkloadIncarnation,
  activationSchema,
  incarnationSchema,
} from '@/lib/api/incarnation';
import { chunksOf, formatDocument, parseDocument, toColumn, toMs } from '@/server/archive/column-values';
import type { ArchiveDb } from '@/server/archive/migrations/schema';
import type { ArchiveSession } from '@/server/archive/session';

export interface RecordedNamespace {
  resource: string;
  namespace: string;
  deletedMs: number | null;
}

/** Identifies an incarnation: one cluster that was restored from the backup of another has objects of the same uids. */
export type IncarnationKey = Pick<WorkloadIncarnation, 'cluster' | 'uid'>;

/** Read and parsed in one turn of the event loop: some milliseconds. */
export const INCARNATIONS_PER_SLICE = 500;

/** The incarnations of workloads, and their activations. */
export class WorkloadRepository {
  readonly #session: Pick<ArchiveSession, 'run'>;

  constructor(session: Pick<ArchiveSession, 'run'>) {
    this.#session = session;
  }

  /** All incarnations of a name, oldest first. */
  async incarnations(
    cluster: string,
    resource: string,
    namespace: string,
    name: string,
  ): Promise<WorkloadIncarnation[]> {
    const rows = await this.#session.run((db) =>
      db
        .selectFrom('incarnation')
        .select('document')
        .where('resource', '=', toColumn(resource))
        .where('namespace', '=', toColumn(namespace))
        .where('name', '=', toColumn(name))
        .where('cluster', '=', toColumn(cluster))
        .orderBy('created_ms')
        .orderBy('uid')
        .execute(),
    );
    return rows.map(({ document }) => parseDocument(incarnationSchema, document));
  }

  /** Incarnations not known to be deleted, for a process that starts recording. */
  currentIncarnations(cluster: string): Promise<WorkloadIncarnation[]> {
    return this.#incarnationsOf(cluster, { isOpen: true });
  }

  /** Including deleted ones. */
  allIncarnations(cluster: string): Promise<WorkloadIncarnation[]> {
    return this.#incarnationsOf(cluster, { isOpen: false });
  }

  /** Those of one incarnation, in order. */
  async activations({ cluster, uid }: IncarnationKey): Promise<ArchivedActivation[]> {
    const rows = await this.#session.run((db) =>
      db
        .selectFrom('activation')
        .select('document')
        .where('cluster', '=', toColumn(cluster))
        .where('workload_uid', '=', toColumn(uid))
        .orderBy('number')
        .execute(),
    );
    return rows.map(({ document }) => parseDocument(activationSchema, document));
  }

  /**
   * Every resource with the namespaces that ever had workloads of it, in order, and when the last of them was deleted;
   * null where one still exists.
   */
  async namespaces(cluster: string): Promise<RecordedNamespace[]> {
    const rows = await this.#session.run((db) =>
      db
        .selectFrom('incarnation')
        .select(({ fn }) => [
          'resource',
          'namespace',
          fn.countAll<number>().as('incarnations'),
          fn.count<number>('deleted_ms').as('deleted'),
          fn.max('deleted_ms').as('deletedMs'),
        ])
        .where('cluster', '=', toColumn(cluster))
        .groupBy(['resource', 'namespace'])
        .orderBy('resource')
        .orderBy('namespace')
        .execute(),
    );
    return rows.map(({ resource, namespace, incarnations, deleted, deletedMs }) => ({
      resource,
      namespace,
      deletedMs: Number(incarnations) > Number(deleted) ? null : Number(deletedMs),
    }));
  }

  /** The labels of incarnations of a cluster by their uid, as last observed. */
  async labels(
    cluster: string,
    workloadUids: readonly string[],
  ): Promise<Map<string, Readonly<Record<string, string>>>> {
    if (workloadUids.length === 0) return new Map();
    const rows = await this.#session.run((db) =>
      db
        .selectFrom('incarnation')
        .select(['uid', 'document'])
        .where('cluster', '=', toColumn(cluster))
        .where('uid', 'in', workloadUids.map(toColumn))
        .execute(),
    );
    return new Map(rows.map(({ uid, document }) => [uid, parseDocument(incarnationSchema, document).labels]));
  }

  /** In order of uid, in slices with a turn of the event loop after each: there may be very many. */
  async #incarnationsOf(cluster: string, { isOpen }: { isOpen: boolean }): Promise<WorkloadIncarnation[]> {
    const incarnations: WorkloadIncarnation[] = [];
    for (let after = ''; ;) {
      const slice = await this.#session.run((db) => incarnationSlice(db, cluster, isOpen, after));
      incarnations.push(...slice);
      const last = slice.at(-1);
      if (last === undefined || slice.length < INCARNATIONS_PER_SLICE) return incarnations;
      after = last.uid;
      await setImmediate();
    }
  }
}

async function incarnationSlice(
  db: ArchiveDb,
  cluster: string,
  isOpen: boolean,
  after: string,
): Promise<WorkloadIncarnation[]> {
  const incarnations = db
    .selectFrom('incarnation')
    .select('document')
    .where('cluster', '=', toColumn(cluster));
  const rows = await (isOpen ? incarnations.where('deleted_ms', 'is', null) : incarnations)
    .where('uid', '>', toColumn(after))
    .orderBy('uid')
    .limit(INCARNATIONS_PER_SLICE)
    .execute();
  return rows.map(({ document }) => parseDocument(incarnationSchema, document));
}

export async function saveIncarnation(db: ArchiveDb, incarnation: WorkloadIncarnation): Promise<void> {
  await db
    .insertInto('incarnation')
    .values(rowOfIncarnation(incarnation))
    .onConflict((conflict) =>
      conflict.columns(['cluster', 'uid']).doUpdateSet((of) => ({
        created_ms: of.ref('excluded.created_ms'),
        deleted_ms: of.ref('excluded.deleted_ms'),
        document: of.ref('excluded.document'),
      })),
    )
    .execute();
}

export function rowOfIncarnation(incarnation: WorkloadIncarnation) {
  return {
    uid: toColumn(incarnation.uid),
    cluster: toColumn(incarnation.cluster),
    resource: toColumn(incarnation.resource),
    namespace: toColumn(incarnation.namespace),
    name: toColumn(incarnation.name),
    created_ms: toMs(incarnation.createdAt) ?? 0,
    deleted_ms: toMs(incarnation.deletedAt),
    document: formatDocument(incarnation),
  };
}

/** Those of an incarnation of this cluster. */
export async function saveActivations(
  db: ArchiveDb,
  cluster: string,
  activations: readonly ArchivedActivation[],
): Promise<void> {
  // One statement may touch a row only once.
  const byKey = new Map(activations.map((each) => [`${each.workloadUid} ${each.index}`, each]));
  for (const chunk of chunksOf([...byKey.values()].map((each) => rowOfActivation(cluster, each)))) {
    await db
      .insertInto('activation')
      .values(chunk)
      .onConflict((conflict) =>
        conflict
          .columns(['cluster', 'workload_uid', 'number'])
          .doUpdateSet((of) => ({ document: of.ref('excluded.document') })),
      )
      .execute();
  }
}

export function rowOfActivation(cluster: string, activation: ArchivedActivation) {
  return {
    cluster: toColumn(cluster),
    workload_uid: toColumn(activation.workloadUid),
    number: activation.index,
    document: formatDocument(activation),
  };
}
