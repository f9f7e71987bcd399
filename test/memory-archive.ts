import { AppError } from '@/lib/errors';
import { type JsonObject } from '@/lib/kube/json';
import { findRevertedRollouts } from '@/lib/records/reverted-rollouts';
import { summarizeRecord, type RecordSummary } from '@/lib/records/record-summary';
import { type RolloutRecord } from '@/lib/records/record';
import { type Author, type ReviewComment, type Review, type Verdict } from '@/lib/records/review';
import {
  type Archive,
  type FollowUpQuery,
  type ArchivedWorkload,
  type ListedRecord,
  type RecordedNamespace,
  type AdjacentRecords,
  type RecordTransition,
  type NamespaceScope,
  type RecordQuery,
  type RolloutPage,
  type RolloutQuery,
  type RevertedRecord,
} from '@/server/archive/archive';

type ReadMethods = Pick<
  Archive,
  | 'search'
  | 'recordById'
  | 'body'
  | 'bodiesOf'
  | 'unmaskedBodies'
  | 'pin'
  | 'review'
  | 'comments'
  | 'addComment'
  | 'editComment'
  | 'followUps'
  | 'labels'
  | 'recordSummaries'
  | 'recordSummariesById'
  | 'transitions'
  | 'revertedRecords'
  | 'adjacentRecords'
  | 'rollouts'
  | 'workloadsOf'
  | 'revertTimes'
>;

/** The archive's reads for the pages, in memory; cursors are offsets. */
export class MemoryArchive implements ReadMethods {
  readonly records: RolloutRecord[] = [];
  readonly bodies = new Map<string, JsonObject>();
  readonly revertedBy = new Map<string, string>();
  /** When the last workload of a namespace was deleted, by namespace. */
  readonly deletedMs = new Map<string, number>();
  readonly queries: RecordQuery[] = [];
  readonly #reviews = new Map<string, Review>();
  readonly #comments: ReviewComment[] = [];

  /** The other methods belong to the recorder: calling one is an error of the test. */
  get asArchive(): Archive {
    return this as unknown as Archive;
  }

  recordedNamespaces(cluster: string): Promise<RecordedNamespace[]> {
    const ofCluster = this.records.filter(({ workload }) => workload.cluster === cluster);
    return Promise.resolve(
      ofCluster.map(({ workload: { resource, namespace } }) => ({
        resource,
        namespace,
        deletedMs: this.deletedMs.get(namespace) ?? null,
      })),
    );
  }

  async search(query: RecordQuery): Promise<{ items: ListedRecord[]; nextCursor: string | null }> {
    this.queries.push(query);
    const matching = this.records.filter((record) =>
      matchesQuery(record, query, this.#reviews.has(record.id)),
    );
    const start = Number(query.cursor ?? 0);
    const items = matching.slice(start, start + query.limit).map((record) => this.#listed(record));
    const end = start + items.length;
    return Promise.resolve({ items, nextCursor: end < matching.length ? String(end) : null });
  }

  async recordById(id: string): Promise<ListedRecord | null> {
    const record = this.records.find((entry) => entry.id === id);
    return Promise.resolve(record === undefined ? null : this.#listed(record));
  }

  async body(hash: string): Promise<JsonObject | null> {
    return Promise.resolve(this.bodies.get(hash) ?? null);
  }

  async bodiesOf(hashes: readonly string[]): Promise<ReadonlyMap<string, JsonObject>> {
    const found = new Map<string, JsonObject>();
    for (const hash of new Set(hashes)) {
      const body = await this.body(hash);
      if (body !== null) found.set(hash, body);
    }
    return found;
  }

  async unmaskedBodies(hashes: readonly string[]): Promise<ReadonlySet<string>> {
    return Promise.resolve(new Set(hashes.filter((hash) => this.bodies.has(hash))));
  }

  async pin(id: string, pinned: boolean): Promise<void> {
    const record = this.records.find((entry) => entry.id === id);
    if (record !== undefined) record.pinned = pinned;
    return Promise.resolve();
  }

  async review(id: string, verdict: Verdict, ifVersion: number, comment?: string): Promise<Review> {
    const current = this.#reviews.get(id);
    if ((current?.version ?? 0) !== ifVersion)
      throw new AppError('conflict', 'It is newer.', { review: current });
    const history = current === undefined ? [] : [...current.history, current];
    const review = { ...verdict, version: ifVersion + 1, history };
    this.#reviews.set(id, review);
    const { verdict: _, followUp: __, ...authorship } = verdict;
    if (comment !== undefined) {
      await this.addComment({ recordId: id, ...authorship, body: comment, path: null, answers: null });
    }
    return review;
  }

  async comments(recordId: string): Promise<ReviewComment[]> {
    return Promise.resolve(this.#comments.filter((comment) => comment.recordId === recordId));
  }

  async addComment(draft: Omit<ReviewComment, 'id' | 'edits'>): Promise<ReviewComment> {
    const comment = { ...draft, id: `c${this.#comments.length + 1}`, edits: [] };
    this.#comments.push(comment);
    return Promise.resolve(comment);
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- a refusal must reject
  async editComment(id: string, body: string, edit: Author & { at: string }): Promise<ReviewComment> {
    const index = this.#comments.findIndex((comment) => comment.id === id);
    const before = this.#comments[index];
    if (before === undefined) throw new AppError('not_found', 'There is no such comment.');
    const comment = { ...before, body, edits: [...before.edits, { ...edit, body: before.body }] };
    this.#comments[index] = comment;
    return comment;
  }

  async followUps({ cluster, scopes: places, limit }: FollowUpQuery): Promise<ListedRecord[]> {
    const within = this.records.filter((record) => isWithin(record, cluster, places));
    const listed = within.map((record) => this.#listed(record));
    const due = listed.filter(({ review }) => review?.followUp != null);
    const dayOf = ({ review }: ListedRecord) => review?.followUp?.due ?? '';
    return Promise.resolve(due.sort((a, b) => dayOf(a).localeCompare(dayOf(b))).slice(0, limit));
  }

  async recordSummaries(uid: string, limit: number): Promise<RecordSummary[]> {
    return Promise.resolve(this.#summariesBefore(uid, Infinity).slice(-limit));
  }

  async recordSummariesById(ids: readonly string[]): Promise<RecordSummary[]> {
    return Promise.resolve(this.records.filter(({ id }) => ids.includes(id)).map(summarizeRecord));
  }

  async transitions(uid: string, before: number, limit: number): Promise<RecordTransition[]> {
    const latest = this.#summariesBefore(uid, before).slice(-limit);
    return Promise.resolve(latest.map(({ id, from, to }) => ({ id, from, to })));
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- as an archive answers
  async revertedRecords(ids: readonly string[]): Promise<ReadonlyMap<string, RevertedRecord>> {
    const found = new Map<string, RevertedRecord>();
    for (const { id, workload, activation, from, to } of this.records) {
      const earlier = this.#summariesBefore(workload.uid, activation);
      const reverted =
        from === null
          ? null
          : findRevertedRollouts(
              from,
              to,
              earlier.map((summary) => ({ rollout: summary, from: summary.from, to: summary.to })),
            );
      if (ids.includes(id) && reverted !== null)
        found.set(id, { first: reverted.rollout, others: reverted.others });
    }
    return found;
  }

  async adjacentRecords(uid: string, activation: number): Promise<AdjacentRecords> {
    const ofIncarnation = this.records.filter(({ workload }) => workload.uid === uid);
    const sorted = ofIncarnation.sort((a, b) => a.activation - b.activation);
    return Promise.resolve({
      previous: sorted.findLast((record) => record.activation < activation)?.id ?? null,
      next: sorted.find((record) => record.activation > activation)?.id ?? null,
    });
  }

  async rollouts({ cluster, sinceMs, namespaces }: RolloutQuery): Promise<RolloutPage> {
    const items = this.records.flatMap((record) => {
      const { namespace, uid } = record.workload;
      const startedMs = startOf(record);
      if (
        !isWithin(record, cluster, null) ||
        !(startedMs >= sinceMs) ||
        namespaces?.includes(namespace) === false
      )
        return [];
      return {
        id: record.id,
        workloadUid: uid,
        activation: record.activation,
        startedMs,
        endedMs: record.endedAt === null ? null : Date.parse(record.endedAt),
        outcome: record.outcome,
        isReviewed: this.#reviews.has(record.id),
        isStartKnown: record.startedAt !== null,
        wasStuck: record.spans.some(({ kind }) => kind === 'stuck'),
        hasCause: record.cause !== null,
        isReturn: this.records.some(
          ({ workload, to, activation }) =>
            workload.uid === uid &&
            to.hash === record.to.hash &&
            record.from !== null &&
            record.from.hash !== record.to.hash &&
            activation < record.activation,
        ),
      };
    });
    return Promise.resolve({ items: items.sort((a, b) => b.startedMs - a.startedMs), next: null });
  }

  async workloadsOf(ids: readonly string[]): Promise<ReadonlyMap<string, ArchivedWorkload>> {
    const known = this.records.filter(({ id }) => ids.includes(id));
    return Promise.resolve(new Map(known.map(({ workload }) => [workload.uid, workload])));
  }

  async revertTimes(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    for (const { id, workload, activation, from, to } of this.records) {
      if (!ids.includes(id) || from === null || from.hash === to.hash) continue;
      const later = this.records.filter(
        (other) =>
          other.workload.uid === workload.uid &&
          other.activation > activation &&
          other.to.hash === from.hash &&
          startOf(other) > 0,
      );
      if (later.length > 0) found.set(id, Math.min(...later.map(startOf)));
    }
    return Promise.resolve(found);
  }

  async labels(uids: readonly string[]): Promise<Map<string, Readonly<Record<string, string>>>> {
    const known = this.records.filter(({ workload }) => uids.includes(workload.uid));
    return Promise.resolve(new Map(known.map(({ workload }) => [workload.uid, workload.labels])));
  }

  #summariesBefore(uid: string, activation: number): RecordSummary[] {
    return this.records
      .filter((record) => record.workload.uid === uid && record.activation < activation)
      .sort((a, b) => a.activation - b.activation)
      .map(summarizeRecord);
  }

  #listed(record: RolloutRecord): ListedRecord {
    return {
      record,
      revertedBy: this.revertedBy.get(record.id) ?? null,
      review: this.#reviews.get(record.id) ?? null,
      comments: this.#comments.filter(({ recordId }) => recordId === record.id).length,
    };
  }
}

function startOf({ startedAt, startedNotAfter }: RolloutRecord): number {
  return Date.parse(startedAt ?? startedNotAfter ?? '');
}

function isWithin({ workload }: RolloutRecord, cluster: string, places: RecordQuery['scopes']): boolean {
  const isReadable = (place: NamespaceScope) =>
    place.resource === workload.resource && place.namespaces.includes(workload.namespace);
  return workload.cluster === cluster && (places?.some(isReadable) ?? true);
}

function matchesQuery(record: RolloutRecord, query: RecordQuery, isReviewed: boolean): boolean {
  const { namespace, name } = record.workload;
  const text = `${namespace} ${name} ${record.cause ?? ''} ${record.summary}`.toLowerCase();
  const startedMs = startOf(record);
  return (
    isWithin(record, query.cluster, query.scopes) &&
    query.words.every((word) => text.includes(word)) &&
    (query.namespaces === null || query.namespaces.includes(namespace)) &&
    (query.outcomes === null || query.outcomes.includes(record.outcome ?? 'open')) &&
    (query.reviewed === null || query.reviewed === isReviewed) &&
    (query.sinceMs === null || startedMs >= query.sinceMs) &&
    (query.untilMs === null || startedMs < query.untilMs)
  );
}
